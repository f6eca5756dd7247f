// Memory, order and time on every backend that this machine has.
#include "kernels/compute/compute.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "kernels/compute/surface_write.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

struct HostImage {
  HostImage(int width, int height, std::size_t padding, PixelFormat format = PixelFormat::rgba8)
      : pitch(static_cast<std::size_t>(width) * 4 + padding),
        bytes(pitch * static_cast<std::size_t>(height), 0xEE),
        image{bytes.data(), width, height, pitch, format} {}
  unsigned char& at(int byte, int y) {
    return bytes[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(byte)];
  }
  std::size_t pitch;
  std::vector<unsigned char> bytes;
  Image image;
};

class ComputeTest : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_unavailable(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    compute_ = make_compute(GetParam());
  }
  std::unique_ptr<Compute> compute_;
};

TEST_P(ComputeTest, DescribesItsDevice) {
  const std::vector<Device> devices = list_devices(GetParam());
  ASSERT_FALSE(devices.empty());
  const Device& device = compute_->device();
  EXPECT_EQ(device.backend, GetParam());
  EXPECT_EQ(device.ordinal, 0);
  EXPECT_EQ(device.name, devices.front().name);
  EXPECT_FALSE(device.name.empty());
  EXPECT_GE(device.multiprocessors, 1);
  EXPECT_GT(device.memory_bytes, std::size_t{1} << 28);
  if (GetParam() == Backend::cpu)
    EXPECT_EQ(device.compute_capability, 0);
  else
    EXPECT_GE(device.compute_capability, 75);
  EXPECT_EQ(compute_->stream().handle != nullptr, GetParam() == Backend::cuda);
}

TEST_P(ComputeTest, PadsRows) {
  const std::size_t alignment = GetParam() == Backend::cuda ? 256 : 64;
  for (const int width : {1, 2, 15, 16, 17, 63, 64, 65, 1000, 3840}) {
    const DeviceImage image = compute_->allocate(width, 3, PixelFormat::gray32f);
    EXPECT_EQ(image.image().width, width);
    EXPECT_EQ(image.image().height, 3);
    EXPECT_EQ(image.image().format, PixelFormat::gray32f);
    EXPECT_GE(image.image().pitch, static_cast<std::size_t>(width) * 4);
    EXPECT_EQ(image.image().pitch % alignment, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.image().data) % alignment, 0u);
  }
}

TEST_P(ComputeTest, MovesPixelsThereAndBack) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{7, 5}, std::pair{64, 2}, std::pair{641, 127}}) {
    HostImage source(width, height, 12);
    std::iota(source.bytes.begin(), source.bytes.end(), static_cast<unsigned char>(1));
    HostImage target(width, height, 28);
    const DeviceImage a = compute_->allocate(width, height, PixelFormat::rgba8);
    const DeviceImage b = compute_->allocate(width, height, PixelFormat::rgba8);
    compute_->upload(source.image, a.image());
    compute_->copy(a.image(), b.image());
    compute_->fill(a.image(), 0);
    compute_->download(b.image(), target.image);
    for (int y = 0; y < height; ++y) {
      for (int byte = 0; byte < width * 4; ++byte) ASSERT_EQ(target.at(byte, y), source.at(byte, y));
      for (int byte = width * 4; byte < width * 4 + 28; ++byte) ASSERT_EQ(target.at(byte, y), 0xEE) << "padding";
    }
  }
}

TEST_P(ComputeTest, Fills) {
  HostImage host(33, 9, 4);
  const DeviceImage image = compute_->allocate(33, 9, PixelFormat::rgba8);
  compute_->fill(image.image(), 0x5A);
  compute_->download(image.image(), host.image);
  for (int y = 0; y < 9; ++y)
    for (int byte = 0; byte < 33 * 4; ++byte) ASSERT_EQ(host.at(byte, y), 0x5A);
}

TEST_P(ComputeTest, CopiesBytesFromPinnedMemory) {
  constexpr std::size_t bytes = 4 * 1000 * 10;
  const std::shared_ptr<void> pinned = compute_->allocate_host(bytes), device = compute_->allocate_bytes(bytes);
  std::memset(pinned.get(), 0x17, bytes);
  compute_->copy_bytes(pinned.get(), device.get(), bytes);
  compute_->copy_bytes(nullptr, nullptr, 0);
  HostImage host(1000, 10, 0);
  compute_->download({device.get(), 1000, 10, 4000, PixelFormat::rgba8}, host.image);
  EXPECT_EQ(host.bytes, std::vector<unsigned char>(bytes, 0x17));
}

// The decoder's thread takes its buffers itself.
TEST_P(ComputeTest, GivesHostMemoryToAnyThread) {
  std::shared_ptr<void> memory;
  std::thread([&] { memory = compute_->allocate_host(1 << 20); }).join();
  ASSERT_NE(memory, nullptr);
  std::memset(memory.get(), 1, 1 << 20);
  std::thread([&] { memory.reset(); }).join();
}

TEST_P(ComputeTest, MemoryOutlivesTheImageThatNamesIt) {
  DeviceImage copy;
  {
    const DeviceImage image = compute_->allocate(16, 16, PixelFormat::rgba8);
    compute_->fill(image.image(), 9);
    copy = image;
  }
  HostImage host(16, 16, 0);
  compute_->download(copy.image(), host.image);
  EXPECT_EQ(host.bytes, std::vector<unsigned char>(16 * 16 * 4, 9));
}

TEST_P(ComputeTest, TimesIntervals) {
  const auto timer = compute_->make_timer();
  EXPECT_EQ(timer->poll_ms(), std::nullopt);
  const DeviceImage image = compute_->allocate(512, 512, PixelFormat::rgba8);
  for (int round = 0; round < 3; ++round) {
    timer->start(compute_->stream());
    EXPECT_EQ(timer->poll_ms(), std::nullopt);
    compute_->fill(image.image(), 1);
    if (GetParam() != Backend::cuda) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    timer->stop(compute_->stream());
    compute_->synchronize();
    const auto elapsed = timer->poll_ms();
    ASSERT_TRUE(elapsed);
    EXPECT_GT(*elapsed, GetParam() == Backend::cuda ? 0.0 : 4.9);
    EXPECT_LT(*elapsed, 60'000);
    EXPECT_EQ(timer->poll_ms(), elapsed);
  }
}

TEST_P(ComputeTest, RefusesAbsurdSizesWithASentence) {
  const auto allocate = [&](int width, int height) {
    return error_of([&] { compute_->allocate(width, height, PixelFormat::rgba8); });
  };
  constexpr int most = std::numeric_limits<int>::max();
  EXPECT_NE(allocate(1'000'000, 1'000'000).find("1000000 × 1000000 pixels takes 4.0 TB"), std::string::npos)
      << allocate(1'000'000, 1'000'000);
  EXPECT_NE(allocate(most, most).find("takes 18.4 EB"), std::string::npos) << allocate(most, most);
  EXPECT_NE(allocate(0, 5).find("0 × 5 pixels"), std::string::npos);
  EXPECT_NE(allocate(5, -1).find("5 × -1 pixels"), std::string::npos);
  EXPECT_EQ(allocate(5, 1), "no error");
  compute_->synchronize();  // a refusal leaves nothing behind
}

TEST_P(ComputeTest, CallsDifferentShapesAMistake) {
  const DeviceImage a = compute_->allocate(8, 8, PixelFormat::rgba8), b = compute_->allocate(8, 9, PixelFormat::rgba8);
  const DeviceImage c = compute_->allocate(8, 8, PixelFormat::gray32f);
  EXPECT_THROW(compute_->copy(a.image(), b.image()), std::logic_error);
  EXPECT_THROW(compute_->copy(a.image(), c.image()), std::logic_error);
}

TEST_P(ComputeTest, NamesADeviceThatIsNotThere) {
  const std::string error = error_of([] { make_compute(GetParam(), 4711); });
  EXPECT_NE(error.find("4711"), std::string::npos) << error;
  EXPECT_NE(error_of([] { make_compute(GetParam(), -1); }).find("-1"), std::string::npos);
}

TEST_P(ComputeTest, LetsGoOfEverything) {
  for (int round = 0; round < 200; ++round) {
    const DeviceImage image = compute_->allocate(1 + 7 * round % 640, 1 + 5 * round % 480, PixelFormat::rgba8);
    const auto timer = compute_->make_timer();
    timer->start(compute_->stream());
    compute_->fill(image.image(), 1);
    timer->stop(compute_->stream());
    if (round % 20 == 0) compute_ = make_compute(GetParam());
  }
  compute_->synchronize();
}

INSTANTIATE_TEST_SUITE_P(Backends, ComputeTest, testing::Values(Backend::cpu, Backend::emulated, Backend::cuda),
                         [](const auto& parameter) { return std::string(to_string(parameter.param)); });

#if defined(__SANITIZE_ADDRESS__)
TEST(ComputeDeathTest, PaddingIsGuardedUnderAddressSanitizer) {
  for (const Backend backend : {Backend::cpu, Backend::emulated}) {
    const auto compute = make_compute(backend);
    for (const int width : {1, 2, 15, 16, 33}) {
      const DeviceImage image = compute->allocate(width, 4, PixelFormat::rgba8);
      volatile unsigned char* behind =
          static_cast<unsigned char*>(image.image().data) + image.image().pitch + width * 4;
      EXPECT_DEATH(static_cast<void>(*behind), "use-after-poison") << "width " << width;
    }
  }
}
#endif

// Where CUDA cannot run, the reason is a sentence, always the same, and quick to have.
TEST(Backends, SayWhyTheyAreUnavailable) {
  EXPECT_EQ(why_unavailable(Backend::cpu), "");
  EXPECT_EQ(why_unavailable(Backend::emulated), "");
  const std::string reason = why_unavailable(Backend::cuda);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(why_unavailable(Backend::cuda), reason);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  if (reason.empty()) {
    EXPECT_FALSE(list_devices(Backend::cuda).empty());
    return;
  }
  EXPECT_TRUE(reason.ends_with(".")) << reason;
  EXPECT_TRUE(list_devices(Backend::cuda).empty());
  EXPECT_EQ(error_of([] { make_compute(Backend::cuda); }), reason);
  if (!built_with_cuda()) {
    EXPECT_NE(reason.find("nvcc"), std::string::npos) << reason;
  }
}

TEST(SurfaceWrites, NeedCuda) {
  if (why_unavailable(Backend::cuda).empty()) GTEST_SKIP() << "there is a CUDA device";
  enqueue_surface_writes({}, {}, {});  // nothing to do is no error
  const Image image{nullptr, 1, 1, 4, PixelFormat::rgba8};
  const unsigned long long surface = 0;
  EXPECT_NE(error_of([&] { enqueue_surface_writes({&image, 1}, {&surface, 1}, {}); }), "no error");
}

}  // namespace
}  // namespace convoscope
