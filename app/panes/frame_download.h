#pragma once
// The copy of a GPU's frame for this machine's cores, in step with the frame's stream: it is there some frames later.
#include <memory>

#include "app/panes/patch_download.h"

namespace convoscope {

class FrameDownload {
 public:
  explicit FrameDownload(Compute& gpu) : gpu_(gpu) {}

  // Once the last one has arrived. Throws Error when there is no memory for a frame of another size.
  void start(const Image& frame) {
    const std::size_t bytes = row_bytes(frame) * static_cast<std::size_t>(frame.height);
    if (!patches_ || bytes_ != bytes) patches_ = std::make_unique<PatchDownload>(gpu_, bytes);
    bytes_ = bytes;
    patches_->begin();
    patches_->add(frame, {0, 0, frame.width, frame.height});
    patches_->end();
  }
  bool arrived() const { return patches_->arrived(); }  // never waits
  void wait() { gpu_.synchronize(); }                   // until it has arrived
  // The copy of `frame`, which has arrived; valid until start().
  Image copy_of(const Image& frame) const {
    const void* const pixels = patches_->patches()[0].pixels;
    return {const_cast<void*>(pixels), frame.width, frame.height, row_bytes(frame), frame.format};
  }
  void release_memory() { patches_.reset(); }

 private:
  static std::size_t row_bytes(const Image& frame) {
    return static_cast<std::size_t>(frame.width) * bytes_per_pixel(frame.format);
  }
  Compute& gpu_;
  std::unique_ptr<PatchDownload> patches_;
  std::size_t bytes_ = 0;
};

}  // namespace convoscope
