#pragma once
// The part of NPP that we call, declared by us so that nothing is needed at build time.
#include "kernels/libraries/dynamic_library.h"
#include "kernels/text/error.h"

namespace convoscope::libnpp {

struct Size {
  int width, height;
};
struct Point {
  int x, y;
};
struct StreamContext {  // NppStreamContext
  void* stream = nullptr;
  int device = 0;
  int multiprocessors = 0;
  int max_threads_per_multiprocessor = 0;
  int max_threads_per_block = 0;
  std::size_t shared_bytes_per_block = 0;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  unsigned stream_flags = 0;
  int reserved = 0;
};
inline constexpr int border_replicate = 2;  // NPP_BORDER_REPLICATE

// NppiMaskSize of a square of 3, 5, … 15; 0 where there is none.
inline int mask_size(int width) {
  switch (width) {
    case 3:
      return 200;
    case 5:
      return 201;
    case 7:
    case 9:
    case 11:
    case 13:
    case 15:
      return 400 + (width - 7) / 2 * 100;
    default:
      return 0;
  }
}

// What every call begins with. Pitches in bytes; `origin`: where the region of interest starts in the source.
template <class Element, class... Rest>
using Call = int(const Element* in, int in_pitch, Size in_size, Point origin, Element* out, int out_pitch, Size region,
                 Rest...);

// Weights lie in device memory, in reverse order. A Point after them is the anchor, the last number the border.
template <class Element>
struct Filters {
  using General = Call<Element, const float*, Size, Point, int, StreamContext>;
  using Line = Call<Element, const float*, int, int, int, StreamContext>;  // taps, anchor
  using Gauss = Call<Element, int, const float*, int, StreamContext>;      // taps; rows and columns alike, of sum 1
  using Box = Call<Element, Size, Point, int, StreamContext>;
  using Masked = Call<Element, int, int, StreamContext>;  // mask_size(); weights of its own
  using Fixed = Call<Element, int, StreamContext>;        // of 3 × 3; the same
  General* general = nullptr;
  Line *row = nullptr, *column = nullptr;
  Gauss* gauss = nullptr;
  Box* box = nullptr;
  Masked *own_gauss = nullptr, *laplace = nullptr;
  Fixed *sobel_horizontal = nullptr, *sobel_vertical = nullptr;
};

struct Api {
  std::string missing;           // why it cannot be used; empty when it can
  Filters<unsigned char> rgba8;  // filters three of four channels; alpha is left alone
  Filters<float> gray32f;
};

// weighted: how the names of those end that take weights in float32.
template <class Element>
bool find_filters(const DynamicLibrary& library, const std::string& weighted, const std::string& end,
                  Filters<Element>& filters) {
  const auto found = [&](const std::string& name, auto*& function) {
    return library.find(("nppiFilter" + name).c_str(), function);
  };
  return found("Border" + weighted, filters.general) && found("RowBorder" + weighted, filters.row) &&
         found("ColumnBorder" + weighted, filters.column) && found("GaussAdvancedBorder" + end, filters.gauss) &&
         found("BoxBorder" + end, filters.box) && found("GaussBorder" + end, filters.own_gauss) &&
         found("LaplaceBorder" + end, filters.laplace) && found("SobelHorizBorder" + end, filters.sobel_horizontal) &&
         found("SobelVertBorder" + end, filters.sobel_vertical);
}

inline Api find() {
  const DynamicLibrary library({"libnppif.so.13", "libnppif.so.12", "libnppif.so.11", "libnppif.so"}, "nvidia/npp/lib");
  Api a;
  if (!library)
    a.missing = "NPP is not installed: install the package libnpp-13-0 (or the CUDA Toolkit)";
  else if (!find_filters(library, "32f_8u_AC4R_Ctx", "_8u_AC4R_Ctx", a.rgba8) ||
           !find_filters(library, "_32f_C1R_Ctx", "_32f_C1R_Ctx", a.gray32f))
    a.missing = "the installed NPP lacks nppiFilterBorder…_Ctx: the one of CUDA 11 or newer is needed";
  return a;
}
using Library = convoscope::Library<Api, find>;

inline const Api& api() { return Library::usable(); }

// Negative: an error; positive: a warning.
inline void check(int status, const char* what) {
  if (status < 0) throw Error(std::string("NPP: ") + what + " failed with status " + std::to_string(status));
}

}  // namespace convoscope::libnpp
