#pragma once
// The CPU with timers whose results a test holds back as a GPU does, and that fails when a test wants it to.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/text/error.h"

namespace convoscope {

// Times are 1, 2, 3… ms in the order of starts; none is finished before the test says so.
struct Clockwork {
  int started = 0, finished = 0;
  // After so many that do not, what is timed fails as if it could not be launched, as often as this.
  int good_starts = 0, failing_starts = 0;
};

class HeldTimer final : public IntervalTimer {
 public:
  explicit HeldTimer(Clockwork& clockwork) : clockwork_(clockwork) {}
  void start(Stream) override {
    if (clockwork_.good_starts > 0) {
      --clockwork_.good_starts;
    } else if (clockwork_.failing_starts > 0) {
      --clockwork_.failing_starts;
      throw Error("The launch failed.");
    }
    number_ = ++clockwork_.started;
  }
  void stop(Stream) override {}
  std::optional<double> poll_ms() override {
    return number_ <= clockwork_.finished ? std::optional<double>(number_) : std::nullopt;
  }

 private:
  Clockwork& clockwork_;
  int number_ = 0;
};

class HeldCompute final : public Compute {
 public:
  // `claimed`: what it says that it is; it computes nothing but copies.
  explicit HeldCompute(Backend claimed = Backend::cpu) : device_(cpu_->device()) { device_.backend = claimed; }
  const Device& device() const override { return device_; }
  Stream stream() const override { return {}; }
  DeviceImage allocate(int w, int h, PixelFormat f) override {
    if (failing_allocations > 0) {
      --failing_allocations;
      throw Error("There is no memory for it.");
    }
    return cpu_->allocate(w, h, f);
  }
  std::shared_ptr<void> allocate_bytes(std::size_t n) override { return cpu_->allocate_bytes(n); }
  std::shared_ptr<void> allocate_host(std::size_t n) override {
    if (failing_host_allocations > 0) {
      --failing_host_allocations;
      throw Error("There is no memory for it on the host.");
    }
    std::shared_ptr<void> memory = cpu_->allocate_host(n);
    on_host_.push_back(memory);
    return memory;
  }
  // Blocks of allocate_host() that somebody still has.
  std::ptrdiff_t blocks_on_host() const {
    return std::ranges::count_if(on_host_, [](const std::weak_ptr<void>& block) { return !block.expired(); });
  }
  std::unique_ptr<IntervalTimer> make_timer() override { return std::make_unique<HeldTimer>(clockwork); }
  void upload(const Image& from, const Image& to) override { cpu_->upload(from, to); }
  void copy(const Image& from, const Image& to) override { cpu_->copy(from, to); }
  void copy_bytes(const void* from, void* to, std::size_t n) override { cpu_->copy_bytes(from, to, n); }
  void download(const Image& from, const Image& to) override { cpu_->download(from, to); }
  void start_download(const Image& from, const Image& to) override { cpu_->start_download(from, to); }
  void fill(const Image& image, unsigned char byte) override { cpu_->fill(image, byte); }
  void synchronize() override {}
  Clockwork clockwork;
  int failing_allocations = 0, failing_host_allocations = 0;

 private:
  std::unique_ptr<Compute> cpu_ = make_compute(Backend::cpu);
  Device device_;
  std::vector<std::weak_ptr<void>> on_host_;
};

}  // namespace convoscope
