#pragma once
// The part of NPP that we call, declared by us so that nothing is needed at build time.
#include "kernels/contract/error.h"
#include "kernels/peers/dynamic_library.h"

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

// Coefficients lie in device memory. Pitches in bytes; `origin`: where the region of interest starts in the source.
template <class Element>
using FilterBorder = int(const Element* in, int in_pitch, Size in_size, Point origin, Element* out, int out_pitch,
                         Size region, const float* weights, Size weights_size, Point anchor, int border, StreamContext);

struct Api {
  std::string missing;                                  // why it cannot be used; empty when it can
  FilterBorder<unsigned char>* filter_rgba8 = nullptr;  // filters three of four channels; alpha is left alone
  FilterBorder<float>* filter_gray32f = nullptr;
};

inline Api find() {
  const DynamicLibrary library({"libnppif.so.13", "libnppif.so.12", "libnppif.so.11", "libnppif.so"}, "npp");
  Api a;
  if (!library)
    a.missing = "NPP is not installed: install the package libnpp-13-0 (or the CUDA Toolkit)";
  else if (!library.find("nppiFilterBorder32f_8u_AC4R_Ctx", a.filter_rgba8) ||
           !library.find("nppiFilterBorder_32f_C1R_Ctx", a.filter_gray32f))
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
