#include <gmock/gmock.h>
// GLFW brings OpenGL's old header unless told not to.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <imgui.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "kernels/text/error.h"
#include "tests/gl/canvas.h"
#include "tests/gl/xvfb.h"

namespace {
bool hide_randr = false;
}

// Instead of the C library's, which GLFW calls.
extern "C" void* dlopen(const char* name, int mode) noexcept {
  static const auto own = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return hide_randr && name && std::string_view(name).starts_with("libXrandr") ? nullptr : own(name, mode);
}

namespace convoscope {
namespace {

using testing::HasSubstr;

constexpr int screen_width = 1280, screen_height = 800;

TEST(NoDisplay, SaysThatNoneIsSet) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  EXPECT_EQ(why_no_display(), "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.");
  EXPECT_THROW(make_window({}), Error);
}

TEST(NoDisplay, SaysThatItCannotBeOpened) {
  setenv("DISPLAY", ":4242", 1);
  unsetenv("WAYLAND_DISPLAY");
  EXPECT_THAT(why_no_display(), HasSubstr("cannot be opened"));
  EXPECT_THAT(why_no_display(), HasSubstr(":4242"));
  try {
    make_window({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be opened"));
  }
}

TEST(NoDisplayDeathTest, SaysWhichOpenGlIsMissing) {
  const auto start_on_an_old_driver = [] {
    const Xvfb display(640, 480);
    setenv("MESA_GL_VERSION_OVERRIDE", "3.3", 1);
    std::fprintf(stderr, "%s\n", why_no_display().c_str());
    try {
      make_window({});
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 3;
    }
    return 0;
  };
  const std::string sentence = "OpenGL 4.5 is needed, but this machine has 3.3.* \\(.*\\): update the graphics driver";
  EXPECT_EXIT(std::exit(start_on_an_old_driver()), testing::ExitedWithCode(3), sentence + ".*\n" + sentence);
}

class WindowTest : public testing::Test {
 protected:
  void SetUp() override { window_ = make_window({.width = 800, .height = 600, .title = "Test", .vsync = false}); }
  void TearDown() override {
    if (window_) {
      EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
  }

  // Draws `picture` over the whole window, with a square of ImGui's in its top left corner.
  void draw(const Picture& picture) {
    window_->begin_ui_frame();
    ImGui::NewFrame();
    Composition composition;
    composition.area = {0, 0, static_cast<float>(window_->width()), static_cast<float>(window_->height())};
    compositor().draw(std::array{picture.pane}, composition);
    ImGui::GetBackgroundDrawList()->AddRectFilled({10, 10}, {30, 30}, IM_COL32(255, 255, 0, 255));
    render_ui();
  }
  Compositor& compositor() {
    if (!compositor_) compositor_ = Compositor::make();
    return *compositor_;
  }

  // Frames pass until the condition holds, five seconds at most.
  template <class Condition>
  bool wait_until(const Condition& condition) {
    for (int i = 0; i < 250; ++i) {
      window_->begin_ui_frame();
      if (condition()) return true;
      window_->swap();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  static void SetUpTestSuite() { display_ = std::make_unique<Xvfb>(screen_width, screen_height); }
  static void TearDownTestSuite() { display_.reset(); }

  static inline std::unique_ptr<Xvfb> display_;  // one for all: GLFW stays on the display it was started on
  std::unique_ptr<Context> window_;
  std::unique_ptr<Compositor> compositor_;
};

TEST_F(WindowTest, ShowsThePictureOnTheScreen) {
  EXPECT_EQ(why_no_display(), "");
  EXPECT_FALSE(window_->offscreen());
  EXPECT_EQ(window_->framebuffer(), 0u);
  ASSERT_EQ(window_->width(), 800);
  ASSERT_EQ(window_->height(), 600);
  EXPECT_GT(window_->content_scale(), 0);

  const Picture picture(800, 600, [](int x, int y) {
    return Pixel{x * 255 / 800, y * 255 / 600, (x / 8 + y / 8) % 2 * 255};
  });
  draw(picture);
  Shot shot;
  const auto read_back = ReadBack::make(800, 600);
  ASSERT_TRUE(read_back->request(window_->framebuffer(), 0));
  ASSERT_TRUE(read_back->take_pixels(shot.pixels, true));
  window_->swap();

  // What X shows must be what was drawn: seen through another program. The window lies in the middle of the screen.
  const std::string screen = output_of("ffmpeg -v error -f x11grab -draw_mouse 0 -video_size 1280x800 -i " +
                                       display_->display() + " -frames:v 1 -f rawvideo -pix_fmt rgba -");
  ASSERT_EQ(screen.size(), static_cast<std::size_t>(screen_width * screen_height * 4));
  for (int y = 0; y < 600; ++y)
    for (int x = 0; x < 800; ++x) {
      const Pixel drawn = x >= 10 && x < 30 && y >= 10 && y < 30
                              ? Pixel{255, 255, 0}
                              : Pixel{x * 255 / 800, y * 255 / 600, (x / 8 + y / 8) % 2 * 255};
      ASSERT_EQ(shot.at(x, y), drawn) << x << ", " << y;
      const auto* p = reinterpret_cast<const unsigned char*>(screen.data()) + ((y + 100) * screen_width + x + 240) * 4;
      ASSERT_EQ((Pixel{p[0], p[1], p[2]}), drawn) << x << ", " << y;
    }
}

TEST_F(WindowTest, HearsKeysAndTheWheel) {
  InputEvents heard;
  const auto pressed = [&](int key, int modifiers) {
    const InputEvents events = window_->take_events();
    heard.keys.insert(heard.keys.end(), events.keys.begin(), events.keys.end());
    heard.wheel += events.wheel;
    heard.any |= events.any;
    for (const KeyEvent& event : heard.keys)
      if (event.key == key && event.modifiers == modifiers && event.pressed && !event.repeated) return true;
    return false;
  };
  wait_until([] { return true; });
  output_of("xdotool mousemove 640 400 key ctrl+o");
  EXPECT_TRUE(wait_until([&] { return pressed(GLFW_KEY_O, GLFW_MOD_CONTROL); }));
  EXPECT_TRUE(heard.any);
  output_of("xdotool click 4 click 4 click 5 click 4");
  EXPECT_TRUE(wait_until([&] { return pressed(GLFW_KEY_O, GLFW_MOD_CONTROL) && heard.wheel == 2; })) << heard.wheel;
  const InputEvents after = window_->take_events();  // each event once
  EXPECT_TRUE(after.keys.empty());
  EXPECT_FALSE(after.any);
}

TEST_F(WindowTest, ImGuiHearsCharactersAndTheMouse) {
  wait_until([] { return true; });
  output_of("xdotool mousemove 290 150 click 1 type x");
  char text[8] = "";
  EXPECT_TRUE(wait_until([&] {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::Begin("window");
    ImGui::SetKeyboardFocusHere();
    ImGui::InputText("text", text, sizeof text);
    ImGui::End();
    render_ui();
    if (text[0] == 0) output_of("xdotool type x");
    return text[0] == 'x' && ImGui::GetIO().MousePos.x == 50 && ImGui::GetIO().MousePos.y == 50;
  }));
}

TEST_F(WindowTest, GoesFullScreenAndBack) {
  window_->set_size(700, 500);
  ASSERT_TRUE(wait_until([&] { return window_->width() == 700 && window_->height() == 500; }));
  window_->set_fullscreen(true);
  window_->set_fullscreen(true);
  EXPECT_TRUE(wait_until([&] { return window_->width() == screen_width && window_->height() == screen_height; }));
  window_->set_fullscreen(false);
  EXPECT_TRUE(wait_until([&] { return window_->width() == 700 && window_->height() == 500; }));
}

// Where nothing tells it of monitors, GLFW 3.3 puts a window of the whole screen where two variables say that it never
// sets.
struct NoRandr {
  NoRandr() { hide_randr = true; }
  ~NoRandr() { hide_randr = false; }
};
class NoRandrTest : NoRandr, public WindowTest {};

TEST_F(NoRandrTest, FillsTheScreen) {
  window_->set_size(700, 500);
  ASSERT_TRUE(wait_until([&] { return window_->width() == 700 && window_->height() == 500; }));
  GLFWwindow* const window = glfwGetCurrentContext();
  int before_x = 0, before_y = 0, x = -1, y = -1;
  glfwGetWindowPos(window, &before_x, &before_y);
  const auto is_at = [&](int wanted_x, int wanted_y) {
    glfwGetWindowPos(window, &x, &y);
    return x == wanted_x && y == wanted_y;
  };
  window_->set_fullscreen(true);
  EXPECT_TRUE(wait_until([&] { return window_->width() == screen_width && is_at(0, 0); })) << x << ", " << y;
  window_->set_fullscreen(false);
  EXPECT_TRUE(wait_until([&] { return window_->width() == 700 && is_at(before_x, before_y); })) << x << ", " << y;
}

TEST_F(WindowTest, HasATitleAndVsync) {
  window_->set_title("Another title");
  window_->set_vsync(true);
  window_->set_vsync(false);
  wait_until([] { return true; });
  EXPECT_THAT(output_of("xdotool search --name 'Another title' | head -1"), testing::Not(testing::IsEmpty()));
}

TEST_F(WindowTest, IsNoLargerThanTheScreen) {
  window_.reset();
  window_ = make_window({.width = 5000, .height = 4000, .vsync = false});
  EXPECT_EQ(window_->width(), screen_width);
  EXPECT_EQ(window_->height(), screen_height);
}

}  // namespace
}  // namespace convoscope
