#pragma once
// Brings strategies' outputs into textures: one map, a copy per pane, one unmap, or, where GL and CUDA cannot share,
// over the host. interop.cpp is the only file that includes both GL and CUDA.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/compute/compute.h"

namespace convoscope {

// A texture of one pane: GL_RGBA8 for rgba8, GL_R32F (shown as gray) for gray32f.
struct PaneTexture {
  unsigned name = 0;
  int width = 0, height = 0;
  PixelFormat format = PixelFormat::rgba8;
};

class Interop {
 public:
  virtual ~Interop() = default;
  // Makes (or keeps) `count` textures of this size and format. Throws Error when OpenGL has no textures that large.
  virtual void resize(int count, int width, int height, PixelFormat) = 0;
  virtual std::span<const PaneTexture> textures() const = 0;
  // Takes the textures from GL for this frame: what is enqueued on the compute stream from here to present() starts
  // after all GL work so far, so that no drawing falls between the events of a kernel. GL must leave the textures alone
  // until present(), and resize() comes before. The host path has nothing to take.
  virtual void begin() = 0;
  // The same ahead of a frame, so that the device goes from drawing to computing while nothing waits for it. begin() is
  // still called when the frame is there.
  virtual void take_ahead() = 0;
  // Textures that were taken go back to GL as they are, where nothing is presented.
  virtual void give_back() = 0;
  // images[i] goes to textures()[i]; enqueued on the compute stream, ordered before later GL commands. Begins by itself
  // when begin() was not called. The host path waits for the compute stream: the picture on screen is always this
  // frame's.
  virtual void present(std::span<const Image> images) = 0;
  // Map, copies and unmap (on the host path: the host's time) of the oldest finished frame not returned before. The map
  // includes the wait for GL: the rest of the last frame's drawing where no display's pace has waited for it already.
  // Of textures that were taken ahead only what is left of it when begin() is called.
  virtual std::optional<double> poll_ms() = 0;
  virtual std::string notice() const = 0;  // why the host copy is used and what to do; empty otherwise
};

// Chooses: CUDA with GL on the same GPU, else host copies. Never throws for a lack of interop; explains in notice().
std::unique_ptr<Interop> make_interop(Compute&);

// The plain sentence for a CUDA error of the interop calls, 304 and 999 above all: what it means and what to do.
std::string explain_interop_error(int code, const std::string& name);

}  // namespace convoscope
