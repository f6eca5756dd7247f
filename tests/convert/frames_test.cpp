// What the converter does with frames: owners, timers, changes of format, device memory, formats it must refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/convert/conversion.h"
#include "kernels/text/error.h"
#include "pictures.h"

namespace convoscope::tests {
namespace {

const TestFormat& test_format(AVPixelFormat wanted) {
  for (const TestFormat& format : test_formats())
    if (format.av == wanted) return format;
  throw std::logic_error("no such format");
}

class Frames : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_unavailable(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    compute_ = make_compute(GetParam());
    converter_ = make_frame_converter(*compute_);
  }

  DeviceImage image_for(const VideoFormat& format) {
    return compute_->allocate(format.upright_width(), format.upright_height(), PixelFormat::rgba8);
  }

  void expect_converted(const Picture& picture, const Image& image) {
    const std::size_t pitch = static_cast<std::size_t>(image.width) * 4;
    std::vector<unsigned char> rgba(pitch * static_cast<std::size_t>(image.height));
    compute_->download(image, {rgba.data(), image.width, image.height, pitch, image.format});
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        const auto exact = exact_rgb(picture, x, y);
        for (std::size_t c = 0; c < 3; ++c)
          ASSERT_LE(
              std::abs(rgba[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x) * 4 + c] - exact[c]),
              0.51)
              << x << ", " << y;
      }
  }

  std::unique_ptr<Compute> compute_;
  std::unique_ptr<FrameConverter> converter_;
};

TEST_P(Frames, KeepsTheOwnerUntilTheDeviceHasRead) {
  const Picture picture = make_picture(video_format(test_format(AV_PIX_FMT_NV12), 64, 32), Content::noise, 1);
  const DeviceImage out = image_for(picture.format);
  std::weak_ptr<int> owner;
  for (int i = 0; i < 40; ++i) {
    VideoFrame frame = frame_of(picture);
    auto token = std::make_shared<int>(i);
    owner = token;
    frame.owner = std::move(token);
    converter_->enqueue(frame, out.image());
  }
  compute_->synchronize();
  converter_->poll_convert_ms();
  EXPECT_TRUE(owner.expired());
  expect_converted(picture, out.image());
}

TEST_P(Frames, LetsGoOfOwnersWhenItGoes) {
  const Picture picture = make_picture(video_format(test_format(AV_PIX_FMT_YUV420P), 64, 32), Content::noise, 1);
  const DeviceImage out = image_for(picture.format);
  VideoFrame frame = frame_of(picture);
  auto token = std::make_shared<int>(0);
  const std::weak_ptr<int> owner = token;
  frame.owner = std::move(token);
  converter_->enqueue(frame, out.image());
  frame.owner.reset();
  converter_.reset();
  EXPECT_TRUE(owner.expired());
}

TEST_P(Frames, TimesWithoutWaiting) {
  EXPECT_EQ(converter_->poll_upload_ms(), std::nullopt);
  EXPECT_EQ(converter_->poll_convert_ms(), std::nullopt);
  const Picture picture = make_picture(video_format(test_format(AV_PIX_FMT_YUV420P), 320, 180), Content::noise, 1);
  const DeviceImage out = image_for(picture.format);
  for (int i = 0; i < 20; ++i) converter_->enqueue(frame_of(picture), out.image());
  compute_->synchronize();
  int frames = 0;
  while (const auto convert = converter_->poll_convert_ms()) {
    EXPECT_GT(*convert, 0);
    EXPECT_LT(*convert, 60'000);
    ASSERT_LE(++frames, 20);
  }
  EXPECT_GE(frames, 1);
  int uploads = 0;
  while (converter_->poll_upload_ms()) ASSERT_LE(++uploads, 20);
  EXPECT_EQ(uploads > 0, GetParam() == Backend::cuda);
}

TEST_P(Frames, FollowsTheFormatFromFrameToFrame) {
  const std::pair<AVPixelFormat, int> sequence[] = {
      {AV_PIX_FMT_YUV420P, 40}, {AV_PIX_FMT_P010LE, 40},      {AV_PIX_FMT_YUV444P, 96}, {AV_PIX_FMT_GRAY8, 8},
      {AV_PIX_FMT_RGBA, 40},    {AV_PIX_FMT_YUV422P10LE, 33}, {AV_PIX_FMT_NV12, 97},    {AV_PIX_FMT_YUV420P, 40}};
  for (const auto& [format, width] : sequence) {
    const Picture picture = make_picture(video_format(test_format(format), width, 20), Content::noise, 9, 32);
    const DeviceImage out = image_for(picture.format);
    converter_->enqueue(frame_of(picture), out.image());
    expect_converted(picture, out.image());
  }
}

// Planes that start anywhere, as FFmpeg's do after cropping.
TEST_P(Frames, TakesPlanesAtAnyAddress) {
  const Picture picture = make_picture(video_format(test_format(AV_PIX_FMT_NV12), 37, 12), Content::noise, 2, 3);
  for (const std::size_t offset : {1, 2, 3, 5}) {
    Picture moved = picture;
    VideoFrame frame = frame_of(picture);
    for (std::size_t i = 0; i < 2; ++i) {
      moved.planes[i].insert(moved.planes[i].begin(), offset, 0);
      frame.planes[i] = moved.planes[i].data() + offset;
    }
    const DeviceImage out = image_for(picture.format);
    converter_->enqueue(frame, out.image());
    expect_converted(picture, out.image());
  }
}

// As NVDEC delivers: two planes in device memory. A pitch that the kernel cannot read in place is taken too.
TEST_P(Frames, ReadsDeviceMemory) {
  if (GetParam() != Backend::cuda) {
    VideoFrame frame;
    frame.format = video_format(test_format(AV_PIX_FMT_NV12), 8, 8);
    frame.on_device = true;
    EXPECT_THROW(converter_->enqueue(frame, image_for(frame.format).image()), std::logic_error);
    return;
  }
  for (const std::size_t padding : {std::size_t{24}, std::size_t{3}}) {
    const Picture picture =
        make_picture(video_format(test_format(AV_PIX_FMT_NV12), 104, 50), Content::noise, 4, padding);
    VideoFrame frame = frame_of(picture);
    std::array<std::shared_ptr<void>, 2> memory;
    for (std::size_t i = 0; i < 2; ++i) {
      memory[i] = compute_->allocate_bytes(picture.planes[i].size());
      compute_->copy_bytes(picture.planes[i].data(), memory[i].get(), picture.planes[i].size());
      frame.planes[i] = memory[i].get();
    }
    compute_->synchronize();
    frame.on_device = true;
    const DeviceImage out = image_for(picture.format);
    converter_->enqueue(frame, out.image());
    expect_converted(picture, out.image());
  }
}

TEST_P(Frames, RefusesWhatItCannotConvertWithASentence) {
  const auto refused = [&](auto&& change) {
    VideoFormat format = video_format(test_format(AV_PIX_FMT_YUV420P), 16, 16);
    change(format);
    try {
      make_conversion(format);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(refused([](VideoFormat& f) { f.bits = 7; }).find("7 bits"), std::string::npos);
  EXPECT_NE(refused([](VideoFormat& f) { f.bits = 17; }).find("17 bits"), std::string::npos);
  EXPECT_NE(refused([](VideoFormat& f) { f.bits = 12, f.shift = 6; }).find("12 bits, shifted by 6"), std::string::npos);
  EXPECT_NE(refused([](VideoFormat& f) { f.chroma_shift_x = f.chroma_shift_y = 2; }).find("4 × 4"), std::string::npos);
  EXPECT_NE(refused([](VideoFormat& f) { f.width = 0; }).find("0 × 16"), std::string::npos);
}

TEST_P(Frames, CallsAWrongSizeAMistake) {
  const Picture picture = make_picture(video_format(test_format(AV_PIX_FMT_YUV420P), 16, 8), Content::noise, 1);
  const DeviceImage out = compute_->allocate(8, 16, PixelFormat::rgba8);
  EXPECT_THROW(converter_->enqueue(frame_of(picture), out.image()), std::logic_error);
  VideoFrame frame = frame_of(picture);
  frame.planes[2] = nullptr;
  EXPECT_THROW(converter_->enqueue(frame, image_for(picture.format).image()), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Backends, Frames, testing::Values(Backend::cpu, Backend::emulated, Backend::cuda),
                         [](const auto& parameter) { return std::string(to_string(parameter.param)); });

}  // namespace
}  // namespace convoscope::tests
