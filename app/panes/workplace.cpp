#include "app/panes/workplace.h"

#include <utility>

namespace convoscope {
namespace {

DeviceImage allocate(Compute& compute, const PictureShape& shape) {
  return compute.allocate(shape.width, shape.height, shape.format);
}

// Everything is in step with the stream: the plan writes the picture that is shown.
class OnGpu final : public Workplace {
 public:
  explicit OnGpu(Compute& gpu) : Workplace(gpu) {}
  bool holds_up_caller() const override { return false; }
  void make_room(const PictureShape& shape, DeviceImage& shown, bool) override {
    if (!shape.is_of(shown.image())) shown = allocate(compute(), shape);
  }
  const Image& target(const DeviceImage& shown) const override { return shown.image(); }
  void show_target(const PictureShape&, DeviceImage&) override {}
  void pass_through(const DeviceImage& in, DeviceImage& shown) override { compute().copy(in.image(), shown.image()); }
};

// The last picture stays on screen until the next is finished.
class OnCores : public Workplace {
 public:
  explicit OnCores(Compute& pictures) : Workplace(pictures), pictures_(pictures) {}
  OnCores(Compute& pictures, std::unique_ptr<Compute> own) : Workplace(std::move(own)), pictures_(pictures) {}
  bool holds_up_caller() const override { return true; }
  void make_room(const PictureShape& shape, DeviceImage&, bool is_filtered) override {
    if (is_filtered && !shape.is_of(next_.image())) next_ = allocate_next(shape);
  }
  void clear_room() override { next_ = {}; }
  const Image& target(const DeviceImage&) const override { return next_.image(); }
  void show_target(const PictureShape& shape, DeviceImage& shown) override {
    if (!shape.is_of(shown.image()) || shown.is_shared()) shown = allocate(pictures_, shape);
    std::swap(shown, next_);
  }
  void pass_through(const DeviceImage& in, DeviceImage& shown) override { shown = in; }

 protected:
  virtual DeviceImage allocate_next(const PictureShape& shape) { return allocate(pictures_, shape); }

  Compute& pictures_;
  DeviceImage next_;  // what the plan writes
};

// The pictures' device is another one than the plan's.
class OnCoresBeside : public OnCores {
 public:
  explicit OnCoresBeside(Compute& pictures) : OnCores(pictures, make_compute(Backend::cpu)) {}
  std::string note() const override { return "Runs on the CPU; the copies to and from it are not timed."; }
};

// The finished picture goes up in step with the stream, from memory that the GPU can read.
class OnCoresBesideGpu final : public OnCoresBeside {
 public:
  explicit OnCoresBesideGpu(Compute& gpu) : OnCoresBeside(gpu) {}
  void clear_room() override {
    if (next_) pictures_.synchronize();  // the device may still read it
    next_ = {};
  }
  void show_target(const PictureShape& shape, DeviceImage& shown) override {
    if (!shape.is_of(shown.image())) shown = allocate(pictures_, shape);
    pictures_.upload(next_.image(), shown.image());
  }

 protected:
  DeviceImage allocate_next(const PictureShape& shape) override {
    const std::size_t row = static_cast<std::size_t>(shape.width) * bytes_per_pixel(shape.format);
    std::shared_ptr<void> pinned = pictures_.allocate_host(row * static_cast<std::size_t>(shape.height));
    return {{pinned.get(), shape.width, shape.height, row, shape.format}, pinned};
  }
};

}  // namespace

std::unique_ptr<Workplace> make_workplace(Compute& compute) {
  if (compute.device().backend == Backend::cuda) return std::make_unique<OnGpu>(compute);
  return std::make_unique<OnCores>(compute);
}

std::unique_ptr<Workplace> make_workplace_beside(Compute& compute) {
  if (compute.device().backend == Backend::cuda) return std::make_unique<OnCoresBesideGpu>(compute);
  return std::make_unique<OnCoresBeside>(compute);
}

}  // namespace convoscope
