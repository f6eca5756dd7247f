#pragma once
// How much two panes differ, summed by the GPU and read back frames later.
#include <cstdint>
#include <memory>

#include "app/gl/interop/interop.h"
#include "app/state/stats.h"

namespace convoscope {

class DifferenceMeter {
 public:
  static std::unique_ptr<DifferenceMeter> make();  // throws Error when the shader does not compile
  virtual ~DifferenceMeter() = default;
  // Starts comparing two pictures of one size and format, about `most_pixels` of them now and as many in every
  // take_difference(). Where that is not all of them it compares copies, so that the textures may go on with other
  // frames. False: the last request is still under way, or the pictures cannot be compared.
  virtual bool request(const PaneTexture& first, const PaneTexture& second, int most_pixels) = 0;
  // False: nothing requested, or (without wait) not there yet.
  virtual bool take_difference(PictureDifference&, bool wait) = 0;
};

}  // namespace convoscope
