#pragma once
// What lies outside the image. The same index arithmetic serves the reference, the CPU strategies and the kernels.
#include <array>
#include <string_view>

#if defined(__CUDACC__)
#define CONVOSCOPE_HOST_DEVICE __host__ __device__
#else
#define CONVOSCOPE_HOST_DEVICE
#endif

namespace convoscope {

enum class Border {
  zero,       // … 0 0 | 1 2 3 4 5 | 0 0 …
  replicate,  // … 1 1 | 1 2 3 4 5 | 5 5 …
  mirror,     // … 3 2 | 1 2 3 4 5 | 4 3 …  the edge is not repeated
  wrap,       // … 4 5 | 1 2 3 4 5 | 1 2 …
};

inline constexpr std::array<Border, 4> all_borders{Border::zero, Border::replicate, Border::mirror, Border::wrap};

constexpr std::string_view to_string(Border border) {
  constexpr std::array<std::string_view, 4> names{"zero", "replicate", "mirror", "wrap"};
  return names[static_cast<std::size_t>(border)];
}

// Maps any index, however far outside, into 0 … n-1; -1 for a ghost cell of Border::zero. n ≥ 1.
CONVOSCOPE_HOST_DEVICE constexpr int border_index(int i, int n, Border border) {
  if (i >= 0 && i < n) return i;
  switch (border) {
    case Border::zero:
      return -1;
    case Border::replicate:
      return i < 0 ? 0 : n - 1;
    case Border::mirror: {
      if (n == 1) return 0;
      const int period = 2 * (n - 1);
      int j = i % period;
      if (j < 0) j += period;
      return j < n ? j : period - j;
    }
    case Border::wrap: {
      const int j = i % n;
      return j < 0 ? j + n : j;
    }
  }
  return -1;
}

}  // namespace convoscope
