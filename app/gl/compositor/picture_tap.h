#pragma once
// Brings pictures from the GPU to a recorder's thread without a copy on the frame's: compute shaders write them in the
// recorder's layout into mapped memory, which is lent out once the GPU is done with it.
#include <functional>
#include <memory>

#include "app/media/write/picture_planes.h"

namespace convoscope {

class PictureTap {
 public:
  // Links its shaders; throws Error. All calls with the context current.
  static std::unique_ptr<PictureTap> make();
  virtual ~PictureTap() = default;  // nothing may be on loan any more

  // Pictures of width × height pixels from now on, not larger than the planes. Nothing may be on loan. Throws Error
  // when there is no memory.
  virtual void start(const PicturePlanes&, int width, int height) = 0;
  virtual void stop() = 0;  // frees the memory; nothing may be on loan

  // What is taken next: drawn, with the canvas as the bound framebuffer and viewport; or copied from a part of another
  // framebuffer (in OpenGL's rows), fitted into the picture with black bars where the size differs.
  virtual void draw(const std::function<void()>&) = 0;
  struct Part {
    int left = 0, bottom = 0, width = 0, height = 0;
  };
  virtual void copy(unsigned framebuffer, const Part&) = 0;

  // Starts to take the canvas. False: every buffer is in flight or on loan.
  virtual bool take_picture(const LentPicture& about) = 0;  // its times; memory is the tap's
  // The oldest picture that the GPU has finished (wait: of all), to be handed on. False: none.
  virtual bool deliver(LentPicture&, bool wait) = 0;
  virtual void wait_for_a_loan_to_end() = 0;  // returns at once when nothing is on loan
};

}  // namespace convoscope
