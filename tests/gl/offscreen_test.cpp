#include <gmock/gmock.h>
#include <imgui.h>

#include <cstdio>
#include <cstdlib>

#include "app/gl/opengl.h"
#include "app/gl/window/window_icon.h"
#include "kernels/text/error.h"
#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

class OffscreenTest : public GlTest {
 protected:
  // A frame with one square drawn by ImGui, in its own pixels.
  void draw_square(float x, float y, float size, ImU32 colour) const {
    context_->begin_ui_frame();
    ImGui::NewFrame();
    ImGui::GetBackgroundDrawList()->AddRectFilled({x, y}, {x + size, y + size}, colour);
    const float black[4] = {0, 0, 0, 1};
    glClearBufferfv(GL_COLOR, 0, black);
    render_ui();
  }
};

TEST_F(OffscreenTest, IsOpenGl45OfTheSizeAskedFor) {
  GLint major = 0, minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  EXPECT_GE(major * 10 + minor, 45);
  EXPECT_TRUE(context_->offscreen());
  EXPECT_EQ(context_->width(), 320);
  EXPECT_EQ(context_->height(), 200);
  EXPECT_EQ(context_->content_scale(), 1);
  EXPECT_NE(context_->framebuffer(), 0u);
  EXPECT_NE(context_->renderer(), "");
  EXPECT_EQ(ImGui::GetIO().IniFilename, nullptr);
}

TEST_F(OffscreenTest, DrawsPanelsWhereTheyAre) {
  draw_square(30, 40, 10, IM_COL32(255, 0, 128, 255));
  const Shot shot = shoot();
  EXPECT_EQ(shot.at(30, 40), (Pixel{255, 0, 128}));
  EXPECT_EQ(shot.at(39, 49), (Pixel{255, 0, 128}));
  EXPECT_EQ(shot.at(29, 40), (Pixel{0, 0, 0}));
  EXPECT_EQ(shot.at(40, 50), (Pixel{0, 0, 0}));
  context_->swap();
}

TEST_F(OffscreenTest, ResizesWithItsPanels) {
  draw_square(30, 40, 10, IM_COL32(255, 0, 128, 255));
  context_->set_size(640, 480);
  draw_square(600, 450, 20, IM_COL32(0, 255, 0, 255));
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 640);
  EXPECT_EQ(context_->width(), 640);
  const Shot shot = shoot();
  EXPECT_EQ(shot.at(619, 469), (Pixel{0, 255, 0}));
  EXPECT_EQ(shot.at(620, 469), (Pixel{0, 0, 0}));
}

// The panels build another atlas when the scale changes.
TEST_F(OffscreenTest, ShowsFontsThatWereBuiltAnew) {
  draw_square(1, 1, 1, IM_COL32_WHITE);
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
  ImFontConfig large;
  large.SizePixels = 40;
  fonts.AddFontDefault(&large);
  context_->begin_ui_frame();
  ImGui::NewFrame();
  ImGui::GetBackgroundDrawList()->AddRectFilled({200, 100}, {220, 120}, IM_COL32(0, 0, 255, 255));
  ImGui::GetBackgroundDrawList()->AddText({0, 0}, IM_COL32_WHITE, "H");
  const float black[4] = {0, 0, 0, 1};
  glClearBufferfv(GL_COLOR, 0, black);
  render_ui();
  const Shot shot = shoot();
  EXPECT_EQ(shot.at(210, 110), (Pixel{0, 0, 255}));  // solid shapes use the atlas's white pixel
  int lit = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 24; ++x) lit += shot.at(x, y)[0] > 200;
  EXPECT_GT(lit, 100);  // the strokes of an H, 40 pixels high
#if IMGUI_VERSION_NUM < 19200
  EXPECT_FALSE(fonts.TexPixelsAlpha8 || fonts.TexPixelsRGBA32) << "what the texture has is not kept beside it";
#endif
  EXPECT_LT(lit, 700);  // and not a white block
}

TEST_F(OffscreenTest, RefusesAnAbsurdSize) {
  try {
    context_->set_size(100, 1'000'000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("100 × 1000000"));
  }
  EXPECT_EQ(context_->height(), 200);
}

TEST_F(OffscreenTest, HasNoEventsAndIgnoresWindowMatters) {
  context_->set_vsync(true);
  context_->set_fullscreen(true);
  context_->set_title("x");
  const InputEvents events = context_->take_events();
  EXPECT_TRUE(events.keys.empty());
  EXPECT_FALSE(events.close_requested);
  EXPECT_EQ(context_->width(), 320);
}

TEST(OffscreenContext, CanBeMadeAgainAndForAMissingCudaDevice) {
  for (int i = 0; i < 3; ++i) {
    const auto context = make_offscreen({.width = 64, .height = 32, .egl_device = 97});
    context->begin_ui_frame();
    ImGui::NewFrame();
    render_ui();
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  }
}

TEST(OffscreenDeathTest, SaysWhichOpenGlIsMissing) {
  const auto start_on_an_old_driver = [] {
    setenv("MESA_GL_VERSION_OVERRIDE", "3.3", 1);
    try {
      make_offscreen({.width = 64, .height = 32});
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(start_on_an_old_driver(), testing::ExitedWithCode(3),
              "OpenGL 4.5 is needed, but this machine has 3.3.* \\(.*\\): update the graphics driver");
}

TEST(OpenGlTooOld, IsAPlainSentence) {
  EXPECT_EQ(opengl_too_old("3.3 (Core Profile) Mesa 22.3.6", "llvmpipe"),
            "OpenGL 4.5 is needed, but this machine has 3.3 (llvmpipe): update the graphics driver.");
  EXPECT_THAT(opengl_too_old("", ""), HasSubstr("has none"));
}

TEST(WindowIcon, IsARoundedSquareWithATrace) {
  for (const int size : {16, 32, 64}) {
    const std::vector<unsigned char> pixels = draw_window_icon(size);
    ASSERT_EQ(pixels.size(), static_cast<std::size_t>(size * size * 4));
    const auto at = [&](int x, int y) { return &pixels[static_cast<std::size_t>((y * size + x) * 4)]; };
    EXPECT_LT(at(0, 0)[3], 60);                     // a transparent corner
    EXPECT_EQ(at(size / 2, size / 2)[3], 255);      // a solid middle
    EXPECT_GT(at(size / 2, size / 5)[0], 200);      // the top of the bell
    EXPECT_LT(at(size / 2, size * 3 / 5)[0], 120);  // and the dark below it
  }
}

}  // namespace
}  // namespace convoscope
