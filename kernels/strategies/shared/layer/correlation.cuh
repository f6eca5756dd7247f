#pragma once
// A layer's forward pass and its gradient to the input as one and the same correlation of source planes with a bank:
// for the gradient the sources are dY, maps and channels change places, the filters are turned about, and the stride
// becomes zeros between the sources' elements, which are skipped.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/layer_launch.cuh"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

struct Correlation {
  int samples, sources, targets, groups;
  int height, width;          // of the sources
  int out_height, out_width;  // of the targets
  int filter, stride, padding, dilation;
  int spread;  // between the sources' elements are spread − 1 zeros

  CONVOSCOPE_HOST_DEVICE int group_sources() const { return sources / groups; }
  CONVOSCOPE_HOST_DEVICE int group_targets() const { return targets / groups; }
  // The row (or column) of a source that meets the tap in that row of the target, −1 when there is none.
  CONVOSCOPE_HOST_DEVICE int source_index(int target, int tap, int extent) const {
    const int place = target * stride - padding + tap * dilation;
    return place < 0 || place % spread != 0 || place / spread >= extent ? -1 : place / spread;
  }
  // The taps meet neighbouring elements, for neighbouring outputs too.
  bool plain() const { return stride == 1 && dilation == 1 && spread == 1; }
};

inline Correlation correlation_of(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  if (p.layer.pass == Pass::forward)
    return {e.samples,   e.channels, e.maps,   e.groups,  e.height,   e.width, e.out_height,
            e.out_width, e.filter,   e.stride, e.padding, e.dilation, 1};
  return {e.samples,
          e.maps,
          e.channels,
          e.groups,
          e.out_height,
          e.out_width,
          e.height,
          e.width,
          e.filter,
          1,
          e.dilation * (e.filter - 1) - e.padding,
          e.dilation,
          e.stride};
}

// Kernels are built for these filters; others take a slower path.
inline bool unrolled(const Problem& p) {
  const int k = p.filter.width;
  return correlation_of(p).plain() && (k == 3 || k == 5 || k == 7);
}

// The weights of that correlation in a bank, which outlives this: of a target, a source of its group, and a tap.
class CorrelationWeights {
 public:
  CorrelationWeights(const Problem& p, const Filter& bank)
      : weights_(bank.weights.data()), e_(layer_extents(p)), c_(correlation_of(p)), pass_(p.layer.pass) {}
  float operator()(int target, int source, int tap) const {
    const int from = target / c_.group_targets() * c_.group_sources() + source;
    if (pass_ == Pass::forward) return weights_[e_.weight_index(target, from, tap / e_.filter, tap % e_.filter)];
    const int turned = e_.filter * e_.filter - 1 - tap;
    return weights_[e_.weight_index(from, target, turned / e_.filter, turned % e_.filter)];
  }

 private:
  const float* weights_;
  LayerExtents e_;
  Correlation c_;
  Pass pass_;
};

// The bank of that correlation in chunks of `targets` filters, each of one group, filled up with zeros: of the chunk's
// every source and tap the weights of all of its filters, one after the other.
inline std::vector<float> chunked_bank(const Problem& p, const Filter& filter, int targets) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  const int taps = c.filter * c.filter, chunks = ceil_div(c.group_targets(), targets);
  std::vector<float> bank;
  for (int chunk = 0; chunk < c.groups * chunks; ++chunk)
    for (int source = 0; source < c.group_sources(); ++source)
      for (int tap = 0; tap < taps; ++tap)
        for (int t = 0; t < targets; ++t) {
          const int group = chunk / chunks, member = chunk % chunks * targets + t;
          if (member >= c.group_targets()) {
            bank.push_back(0);
            continue;
          }
          bank.push_back(weights(group * c.group_targets() + member, source, tap));
        }
  return bank;
}

// Adds a source's products to the sums of Rows outputs, one below the other, of Targets filters. Each row is loaded
// once, its K elements from (top, left) on, and a weight serves all outputs one after the other; `first` is where the
// first element lies, or would lie. weight(tap, target) gives a weight.
template <int K, bool Inside, int Rows, int Targets, class Weight>
__device__ inline void add_source(float (&sums)[Rows][Targets], const float* first, std::ptrdiff_t pitch, int top,
                                  int left, int height, int width, Weight weight) {
  float x[Rows][K];  // slot r % Rows holds row r
  const auto load_row = [&](int r) {
    CONVOSCOPE_UNROLL
    for (int j = 0; j < K; ++j) {
      const bool there = Inside || (top + r >= 0 && top + r < height && left + j >= 0 && left + j < width);
      x[r % Rows][j] = there ? __ldg(first + j) : 0.0f;
    }
    first += pitch;
  };
  CONVOSCOPE_UNROLL
  for (int r = 0; r < Rows; ++r) load_row(r);
  CONVOSCOPE_UNROLL
  for (int i = 0; i < K; ++i) {
    CONVOSCOPE_UNROLL
    for (int j = 0; j < K; ++j) CONVOSCOPE_UNROLL
    for (int t = 0; t < Targets; ++t) {
      const float w = weight(i * K + j, t);
      CONVOSCOPE_UNROLL
      for (int r = 0; r < Rows; ++r) sums[r][t] = fmaf(w, x[(r + i) % Rows][j], sums[r][t]);
    }
    if (i + 1 < K) load_row(Rows + i);
  }
}

// The same for one output and whatever stride, padding and dilation.
template <int Targets, class Weight>
__device__ inline void add_source_anyhow(float (&sums)[1][Targets], const float* source, std::ptrdiff_t pitch, int y,
                                         int x, const Correlation& c, Weight weight) {
  for (int i = 0; i < c.filter; ++i) {
    const int row = c.source_index(y, i, c.height);
    if (row < 0) continue;
    for (int j = 0; j < c.filter; ++j) {
      const int column = c.source_index(x, j, c.width);
      if (column < 0) continue;
      const float value = __ldg(source + row * pitch + column);
      CONVOSCOPE_UNROLL
      for (int t = 0; t < Targets; ++t) sums[0][t] = fmaf(weight(i * c.filter + j, t), value, sums[0][t]);
    }
  }
}

// Whether all that a block of such threads reads lies in the sources.
template <int K, int Rows>
__device__ inline bool block_inside(const Correlation& c) {
  const int left = static_cast<int>(blockIdx.x * blockDim.x) - c.padding;
  const int top = static_cast<int>(blockIdx.y * blockDim.y) * Rows - c.padding;
  return left >= 0 && top >= 0 && left + static_cast<int>(blockDim.x) + K - 1 <= c.width &&
         top + static_cast<int>(blockDim.y) * Rows + K - 1 <= c.height;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
