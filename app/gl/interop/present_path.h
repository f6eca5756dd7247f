#pragma once
// Inside app/gl: one way to bring images into textures, and the failure that makes Interop choose the other.
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include "app/gl/interop/interop.h"

namespace convoscope {

// CUDA and GL cannot share, or no longer. what(): the sentence for notice().
struct InteropFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class PresentPath {
 public:
  virtual ~PresentPath() = default;
  virtual void bind(std::span<const PaneTexture>) = 0;  // forgets the textures bound before; empty: only that
  virtual void begin() {}                               // once before present(), or not at all
  virtual void take_ahead() {}                          // once before that, or not at all
  virtual void give_back() {}                           // instead of present()
  virtual void present(std::span<const Image>) = 0;     // one for each texture bound, of its size and format
  virtual std::optional<double> poll_ms() = 0;          // each frame's time once, oldest first
};

std::unique_ptr<PresentPath> make_host_path(Compute&);
std::unique_ptr<PresentPath> make_cuda_path(Compute&);  // throws InteropFailure

// `first` until it fails, from then on the host path. Null: the host path at once, for the given reason.
std::unique_ptr<Interop> make_interop(Compute&, std::unique_ptr<PresentPath> first, const std::string& reason);

// Lets the CUDA device copy into host memory that GL has mapped, at the bus's speed. Does nothing where that is not
// possible: copies work then too, slower. Released when the result is destroyed.
std::shared_ptr<void> pin_for_cuda(void* memory, std::size_t bytes);

}  // namespace convoscope
