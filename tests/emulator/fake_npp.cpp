// Stands in for NPP, as its documentation has it: correlates with reversed weights, replicates the border, truncates to
// bytes and leaves alpha alone. On the host, where the emulator's memory is.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/libraries/npp.h"

using convoscope::libnpp::Point;
using convoscope::libnpp::Size;
using convoscope::libnpp::StreamContext;

extern "C" int fake_npp_calls;
int fake_npp_calls = 0;

namespace {

unsigned char stored(float sum, unsigned char) { return static_cast<unsigned char>(std::clamp(sum, 0.0f, 255.0f)); }
float stored(float sum, float) { return sum; }

template <class Element>
struct Frame {
  const Element* in;
  int in_pitch;
  Size size;
  Element* out;
  int out_pitch;
};

template <class Element>
int filter(const Frame<Element>& f, const float* weights, Size taps, Point anchor) {
  ++fake_npp_calls;
  constexpr int step = sizeof(Element) == 1 ? 4 : 1, channels = sizeof(Element) == 1 ? 3 : 1;
  for (int y = 0; y < f.size.height; ++y)
    for (int x = 0; x < f.size.width; ++x)
      for (int c = 0; c < channels; ++c) {
        float sum = 0;
        for (int j = 0; j < taps.height; ++j)
          for (int i = 0; i < taps.width; ++i) {
            const int row = std::clamp(y + anchor.y - j, 0, f.size.height - 1);
            const int column = std::clamp(x + anchor.x - i, 0, f.size.width - 1);
            const auto* const line =
                reinterpret_cast<const char*>(f.in) + static_cast<std::ptrdiff_t>(row) * f.in_pitch;
            sum += weights[j * taps.width + i] *
                   static_cast<float>(reinterpret_cast<const Element*>(line)[column * step + c]);
          }
        auto* const line = reinterpret_cast<char*>(f.out) + static_cast<std::ptrdiff_t>(y) * f.out_pitch;
        reinterpret_cast<Element*>(line)[x * step + c] = stored(sum, Element{});
      }
  return 0;
}

template <class Element>
int filter(const Frame<Element>& f, const std::vector<float>& weights, int width) {
  const int height = static_cast<int>(weights.size()) / width;
  return filter(f, weights.data(), {width, height}, {width / 2, height / 2});
}

std::vector<float> product(const float* line, int taps) {
  std::vector<float> weights;
  for (int y = 0; y < taps; ++y)
    for (int x = 0; x < taps; ++x) weights.push_back(line[y] * line[x]);
  return weights;
}

// With a sigma that is nobody's but NPP's.
std::vector<float> own_gauss(int mask) {
  const int width = mask < 400 ? 3 + 2 * (mask - 200) : 7 + 2 * (mask - 400) / 100;
  std::vector<float> line;
  float sum = 0;
  for (int i = 0; i < width; ++i) {
    const float distance = static_cast<float>(i - width / 2) / (0.4f + 0.6f * static_cast<float>(width / 2));
    sum += line.emplace_back(std::exp(-0.5f * distance * distance));
  }
  for (float& weight : line) weight /= sum;
  return product(line.data(), width);
}

}  // namespace

#define FRAME(E) const E *in, int in_pitch, Size size, Point, E *out, int out_pitch, Size
#define GIVEN \
  { in, in_pitch, size, out, out_pitch }
#define FILTERS(E, weighted, end)                                                                               \
  extern "C" int nppiFilterBorder##weighted(FRAME(E), const float* w, Size taps, Point a, int, StreamContext) { \
    return filter<E>(GIVEN, w, taps, a);                                                                        \
  }                                                                                                             \
  extern "C" int nppiFilterRowBorder##weighted(FRAME(E), const float* w, int n, int a, int, StreamContext) {    \
    return filter<E>(GIVEN, w, {n, 1}, {a, 0});                                                                 \
  }                                                                                                             \
  extern "C" int nppiFilterColumnBorder##weighted(FRAME(E), const float* w, int n, int a, int, StreamContext) { \
    return filter<E>(GIVEN, w, {1, n}, {0, a});                                                                 \
  }                                                                                                             \
  extern "C" int nppiFilterGaussAdvancedBorder##end(FRAME(E), int n, const float* w, int, StreamContext) {      \
    return filter<E>(GIVEN, product(w, n), n);                                                                  \
  }                                                                                                             \
  extern "C" int nppiFilterBoxBorder##end(FRAME(E), Size taps, Point, int, StreamContext) {                     \
    const auto n = static_cast<std::size_t>(taps.width * taps.height);                                          \
    return filter<E>(GIVEN, std::vector<float>(n, 1.0f / static_cast<float>(n)), taps.width);                   \
  }                                                                                                             \
  extern "C" int nppiFilterGaussBorder##end(FRAME(E), int mask, int, StreamContext) {                           \
    const std::vector<float> weights = own_gauss(mask);                                                         \
    return filter<E>(GIVEN, weights, static_cast<int>(std::lround(std::sqrt(weights.size()))));                 \
  }                                                                                                             \
  extern "C" int nppiFilterLaplaceBorder##end(FRAME(E), int mask, int, StreamContext) {                         \
    if (mask != 200) return -1; /* an error: the plan has other ways */                                         \
    return filter<E>(GIVEN, {-1, -1, -1, -1, 8, -1, -1, -1, -1}, 3);                                            \
  }                                                                                                             \
  extern "C" int nppiFilterSobelHorizBorder##end(FRAME(E), int, StreamContext) {                                \
    return filter<E>(GIVEN, {1, 2, 1, 0, 0, 0, -1, -2, -1}, 3);                                                 \
  }                                                                                                             \
  extern "C" int nppiFilterSobelVertBorder##end(FRAME(E), int, StreamContext) {                                 \
    return filter<E>(GIVEN, {-1, 0, 1, -2, 0, 2, -1, 0, 1}, 3);                                                 \
  }

FILTERS(unsigned char, 32f_8u_AC4R_Ctx, _8u_AC4R_Ctx)
FILTERS(float, _32f_C1R_Ctx, _32f_C1R_Ctx)
