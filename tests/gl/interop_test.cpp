#include "app/gl/interop/interop.h"

#include <gmock/gmock.h>

#include <cstring>

#include "app/gl/interop/present_path.h"
#include "kernels/text/error.h"
#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

constexpr int image_width = 37, image_height = 21;

// An image in host memory whose rows are padded, filled by a seed.
struct HostImage {
  HostImage(PixelFormat format, int seed) : bytes(pitch * image_height) {
    for (int y = 0; y < image_height; ++y)
      for (int x = 0; x < image_width; ++x) {
        std::byte* to = bytes.data() + static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x) * 4;
        if (format == PixelFormat::gray32f) {
          const float value = gray(x, y, seed);
          std::memcpy(to, &value, 4);
        } else {
          const Rgba8 value = colour(x, y, seed);
          std::memcpy(to, &value, 4);
        }
      }
    image = {bytes.data(), image_width, image_height, pitch, format};
  }
  static Rgba8 colour(int x, int y, int seed) {
    return {static_cast<std::uint8_t>(x * 5 + seed), static_cast<std::uint8_t>(y * 7 + seed),
            static_cast<std::uint8_t>(x * y), 255};
  }
  static float gray(int x, int y, int seed) { return static_cast<float>(x + 40 * y + seed) / 700 - 0.25f; }

  static constexpr std::size_t pitch = 192;
  std::vector<std::byte> bytes;
  Image image;
};

class InteropTest : public GlTest {
 protected:
  void expect_colours(unsigned texture, int seed) {
    std::vector<Rgba8> pixels(image_width * image_height);
    glGetTextureImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<GLsizei>(pixels.size() * 4), pixels.data());
    for (int y = 0; y < image_height; ++y)
      for (int x = 0; x < image_width; ++x) {
        const Rgba8 seen = pixels[static_cast<std::size_t>(y * image_width + x)];
        const Rgba8 expected = HostImage::colour(x, y, seed);
        ASSERT_EQ(std::memcmp(&seen, &expected, 4), 0) << x << ", " << y;
      }
  }
  std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
};

TEST_F(InteropTest, OnTheCpuThereIsNothingToExplain) { EXPECT_EQ(make_interop(*compute_)->notice(), ""); }

TEST_F(InteropTest, BringsEveryFrameOfEveryPane) {
  const auto interop = make_interop(*compute_);
  interop->resize(3, image_width, image_height, PixelFormat::rgba8);
  ASSERT_EQ(interop->textures().size(), 3u);
  for (int frame = 0; frame < 8; ++frame) {  // more than the ring is long
    const HostImage a(PixelFormat::rgba8, frame), b(PixelFormat::rgba8, 50 + frame), c(PixelFormat::rgba8, 90);
    interop->present(std::array{a.image, b.image, c.image});
    expect_colours(interop->textures()[0].name, frame);
    expect_colours(interop->textures()[1].name, 50 + frame);
    expect_colours(interop->textures()[2].name, 90);
  }
}

TEST_F(InteropTest, BringsFloatsUnrounded) {
  const auto interop = make_interop(*compute_);
  interop->resize(1, image_width, image_height, PixelFormat::gray32f);
  const HostImage image(PixelFormat::gray32f, 3);
  interop->present(std::array{image.image});
  std::vector<float> pixels(image_width * image_height);
  glGetTextureImage(interop->textures()[0].name, 0, GL_RED, GL_FLOAT, static_cast<GLsizei>(pixels.size() * 4),
                    pixels.data());
  for (int y = 0; y < image_height; ++y)
    for (int x = 0; x < image_width; ++x)
      ASSERT_EQ(pixels[static_cast<std::size_t>(y * image_width + x)], HostImage::gray(x, y, 3));
}

TEST_F(InteropTest, ShowsFloatsAsClampedGray) {
  const auto interop = make_interop(*compute_);
  interop->resize(1, image_width, image_height, PixelFormat::gray32f);
  const HostImage image(PixelFormat::gray32f, 0);
  interop->present(std::array{image.image});
  Composition composition;
  composition.area = {0, 0, image_width, image_height};
  Compositor::make()->draw(interop->textures(), composition);
  const Shot shot = shoot();
  for (int y = 0; y < image_height; ++y)
    for (int x = 0; x < image_width; ++x) {
      const float value = std::clamp(HostImage::gray(x, y, 0), 0.0f, 1.0f);
      const Pixel seen = shot.at(x, y);
      ASSERT_NEAR(static_cast<float>(seen[0]), value * 255, 0.51f) << x << ", " << y;
      ASSERT_EQ(seen[0], seen[1]);
      ASSERT_EQ(seen[0], seen[2]);
    }
}

TEST_F(InteropTest, KeepsTexturesUntilSizeFormatOrCountChange) {
  const auto interop = make_interop(*compute_);
  interop->resize(2, image_width, image_height, PixelFormat::rgba8);
  const HostImage image(PixelFormat::rgba8, 1);
  interop->present(std::array{image.image, image.image});
  interop->resize(2, image_width, image_height, PixelFormat::rgba8);
  expect_colours(interop->textures()[1].name, 1);  // untouched
  interop->resize(1, 16, 8, PixelFormat::gray32f);
  ASSERT_EQ(interop->textures().size(), 1u);
  EXPECT_EQ(interop->textures()[0].width, 16);
  EXPECT_EQ(interop->textures()[0].height, 8);
  EXPECT_EQ(interop->textures()[0].format, PixelFormat::gray32f);
  interop->resize(0, 16, 8, PixelFormat::gray32f);
  EXPECT_TRUE(interop->textures().empty());
  interop->present({});
}

TEST_F(InteropTest, TellsEachTimeOnce) {
  const auto interop = make_interop(*compute_);
  interop->resize(1, image_width, image_height, PixelFormat::rgba8);
  EXPECT_FALSE(interop->poll_ms());
  const HostImage image(PixelFormat::rgba8, 1);
  interop->present(std::array{image.image});
  interop->present(std::array{image.image});
  EXPECT_TRUE(interop->poll_ms());
  EXPECT_TRUE(interop->poll_ms());
  EXPECT_FALSE(interop->poll_ms());
}

TEST_F(InteropTest, RefusesImagesOfAnotherSize) {
  const auto interop = make_interop(*compute_);
  interop->resize(1, image_width + 1, image_height, PixelFormat::rgba8);
  const HostImage image(PixelFormat::rgba8, 1);
  EXPECT_THROW(interop->present(std::array{image.image}), std::logic_error);
}

TEST_F(InteropTest, SaysWhenAPictureIsTooLargeForTextures) {
  const auto interop = make_interop(*compute_);
  try {
    interop->resize(1, 1'000'000, 10, PixelFormat::rgba8);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1000000 × 10"));
  }
}

// Stands in for CUDA: works for a while, then fails as the driver would.
class FailingPath final : public PresentPath {
 public:
  explicit FailingPath(int presents_before_failure, bool fails_on_bind = false)
      : left_(presents_before_failure), fails_on_bind_(fails_on_bind) {}
  void bind(std::span<const PaneTexture> panes) override {
    if (fails_on_bind_ && !panes.empty()) throw InteropFailure(explain_interop_error(304, "cudaErrorOperatingSystem"));
  }
  void present(std::span<const Image>) override {
    if (left_-- == 0) throw InteropFailure(explain_interop_error(999, "cudaErrorUnknown"));
  }
  std::optional<double> poll_ms() override { return std::nullopt; }

 private:
  int left_;
  bool fails_on_bind_;
};

TEST_F(InteropTest, FallsBackInTheMiddleOfASession) {
  const auto interop = make_interop(*compute_, std::make_unique<FailingPath>(2), "");
  interop->resize(1, image_width, image_height, PixelFormat::rgba8);
  for (int frame = 0; frame < 5; ++frame) {
    const HostImage image(PixelFormat::rgba8, frame);
    interop->present(std::array{image.image});
    if (frame < 2) {
      EXPECT_EQ(interop->notice(), "");
    } else {
      expect_colours(interop->textures()[0].name, frame);  // also the very frame that failed
      EXPECT_THAT(interop->notice(), HasSubstr("999"));
    }
  }
}

TEST_F(InteropTest, FallsBackWhenTexturesCannotBeShared) {
  const auto interop = make_interop(*compute_, std::make_unique<FailingPath>(0, true), "");
  interop->resize(2, image_width, image_height, PixelFormat::rgba8);
  EXPECT_THAT(interop->notice(), HasSubstr("304"));
  const HostImage image(PixelFormat::rgba8, 7);
  interop->present(std::array{image.image, image.image});
  expect_colours(interop->textures()[1].name, 7);
}

TEST_F(InteropTest, StartsOnTheHostWithTheReasonGiven) {
  const auto interop = make_interop(*compute_, nullptr, "OpenGL draws elsewhere.");
  EXPECT_THAT(interop->notice(), HasSubstr("OpenGL draws elsewhere. "));
  EXPECT_THAT(interop->notice(), HasSubstr("through the host"));
}

// What it is told, in order.
class WatchedPath final : public PresentPath {
 public:
  explicit WatchedPath(std::vector<std::string>& told) : told_(told) {}
  void bind(std::span<const PaneTexture>) override { told_.push_back("bind"); }
  void take_ahead() override { told_.push_back("ahead"); }
  void begin() override { told_.push_back("begin"); }
  void give_back() override { told_.push_back("back"); }
  void present(std::span<const Image>) override { told_.push_back("present"); }
  std::optional<double> poll_ms() override { return std::nullopt; }

 private:
  std::vector<std::string>& told_;
};

TEST_F(InteropTest, TakesTexturesOnceAFrameAndGivesBackWhatIsNotPresented) {
  using testing::ElementsAre;
  std::vector<std::string> told;
  const auto interop = make_interop(*compute_, std::make_unique<WatchedPath>(told), "");
  interop->take_ahead();
  interop->give_back();
  EXPECT_THAT(told, ElementsAre()) << "there are no textures";
  interop->resize(1, image_width, image_height, PixelFormat::rgba8);
  const HostImage image(PixelFormat::rgba8, 1);
  told.clear();
  interop->take_ahead();
  interop->take_ahead();
  interop->begin();
  interop->take_ahead();
  interop->present(std::array{image.image});
  interop->give_back();
  EXPECT_THAT(told, ElementsAre("ahead", "begin", "present"));
  told.clear();
  interop->take_ahead();
  interop->give_back();
  interop->give_back();
  interop->begin();
  interop->give_back();
  interop->present(std::array{image.image});
  EXPECT_THAT(told, ElementsAre("ahead", "back", "begin", "back", "begin", "present"));
  told.clear();
  interop->take_ahead();
  interop->resize(1, 16, 8, PixelFormat::rgba8);
  interop->give_back();
  EXPECT_THAT(told, ElementsAre("ahead", "bind", "bind")) << "new textures are GL's";
}

// The real thing, where there is a GPU: pixels reach the textures without the host.
TEST(CudaInterop, BringsFramesWithoutTheHost) {
  if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty()) GTEST_SKIP() << reason;
  const auto compute = make_compute(Backend::cuda);
  const auto context = make_offscreen({.width = 64, .height = 64, .egl_device = compute->device().ordinal});
  const auto interop = make_interop(*compute);
  EXPECT_EQ(interop->notice(), "");
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
    interop->resize(2, image_width, image_height, format);
    const DeviceImage a = compute->allocate(image_width, image_height, format);
    const DeviceImage b = compute->allocate(image_width, image_height, format);
    for (int frame = 0; frame < 12; ++frame) {
      const HostImage host_a(format, frame), host_b(format, 100 + frame);
      if (frame % 2 == 1) interop->take_ahead();
      if (frame % 4 == 3) interop->give_back();
      compute->upload(host_a.image, a.image());
      compute->upload(host_b.image, b.image());
      interop->present(std::array{a.image(), b.image()});
      for (int pane = 0; pane < 2; ++pane) {
        const HostImage& expected = pane == 0 ? host_a : host_b;
        std::vector<unsigned char> seen(image_width * image_height * 4);
        const bool gray = format == PixelFormat::gray32f;
        glGetTextureImage(interop->textures()[static_cast<std::size_t>(pane)].name, 0, gray ? GL_RED : GL_RGBA,
                          gray ? GL_FLOAT : GL_UNSIGNED_BYTE, static_cast<GLsizei>(seen.size()), seen.data());
        for (std::size_t y = 0; y < image_height; ++y)
          ASSERT_EQ(std::memcmp(&seen[y * image_width * 4], &expected.bytes[y * HostImage::pitch], image_width * 4), 0)
              << to_string(format) << ", frame " << frame << ", pane " << pane << ", row " << y;
      }
      compute->synchronize();
      interop->poll_ms();
    }
  }
  EXPECT_EQ(interop->notice(), "");
}

// Where CUDA has no hold of OpenGL (software drawing, another GPU), the host carries the frames and says why.
TEST(CudaInterop, CarriesFramesOverTheHostWhenItMust) {
  if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty()) GTEST_SKIP() << reason;
  const auto compute = make_compute(Backend::cuda);
  const auto context = make_offscreen({.width = 64, .height = 64});
  const auto interop = make_interop(*compute, nullptr, "No sharing in this test.");
  interop->resize(1, image_width, image_height, PixelFormat::rgba8);
  const DeviceImage image = compute->allocate(image_width, image_height, PixelFormat::rgba8);
  for (int frame = 0; frame < 8; ++frame) {
    const HostImage host(PixelFormat::rgba8, frame);
    compute->upload(host.image, image.image());
    interop->present(std::array{image.image()});
    std::vector<unsigned char> seen(image_width * image_height * 4);
    glGetTextureImage(interop->textures()[0].name, 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<GLsizei>(seen.size()),
                      seen.data());
    for (std::size_t y = 0; y < image_height; ++y)
      ASSERT_EQ(std::memcmp(&seen[y * image_width * 4], &host.bytes[y * HostImage::pitch], image_width * 4), 0);
  }
}

TEST(ExplainInteropError, NamesTheCauseAndTheRemedy) {
  const std::string wrong_gpu = explain_interop_error(304, "cudaErrorOperatingSystem");
  EXPECT_THAT(wrong_gpu, HasSubstr("does not draw on the NVIDIA GPU"));
  EXPECT_THAT(wrong_gpu, HasSubstr("304, cudaErrorOperatingSystem"));
  EXPECT_THAT(wrong_gpu, HasSubstr("__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia"));
  EXPECT_THAT(wrong_gpu, HasSubstr("High performance"));
  const std::string unknown = explain_interop_error(999, "cudaErrorUnknown");
  EXPECT_THAT(unknown, HasSubstr("999, cudaErrorUnknown"));
  EXPECT_THAT(unknown, HasSubstr("restart the machine"));
  for (const int code : {2, 35, 100, 205, 219, 400, 801, 803, 12345}) {
    const std::string sentence = explain_interop_error(code, "name");
    EXPECT_THAT(sentence, HasSubstr(std::to_string(code)));
    EXPECT_EQ(sentence.back(), '.');
  }
}

}  // namespace
}  // namespace convoscope
