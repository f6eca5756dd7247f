#pragma once
// Histogram and vectorscope of a pane, counted by the GPU and read back frames later.
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gl/interop/interop.h"

namespace convoscope {

class Scopes {
 public:
  static constexpr int chroma_bins = 128;
  struct Counts {
    std::vector<std::uint32_t> histogram[4];  // 256 bins each: R, G, B, luma (BT.709)
    std::vector<std::uint32_t> vectorscope;   // chroma_bins² : Cb along the rows, Cr from row to row upwards
    int step = 1;                             // every n-th pixel of every n-th row was counted
    int tag = 0;                              // as requested
  };

  static std::unique_ptr<Scopes> make();  // throws Error when the shader does not compile
  virtual ~Scopes() = default;
  // Starts counting at most about `most_pixels` pixels, evenly spread. False: the last request is still under way.
  // `map_colours`: it shows feature maps in orange and blue, whose values are counted, from −1 to 1 over the bins.
  virtual bool request(const PaneTexture&, int tag, int most_pixels, bool map_colours = false) = 0;
  virtual bool take_counts(Counts&, bool wait) = 0;  // false: nothing requested, or (without wait) not there yet
};

}  // namespace convoscope
