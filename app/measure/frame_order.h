#pragma once
// In which order the strategies of a frame run: a new random one every frame, so that being first, or behind a
// particular neighbour, falls on all of them alike.
#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace convoscope {

class FrameOrder {
 public:
  explicit FrameOrder(unsigned seed = 1) : random_(seed) {}

  // 0 … count−1, each once; valid until the next call. Allocates only when the count grows.
  std::span<const int> next(int count) {
    if (static_cast<int>(order_.size()) != count) {
      order_.resize(static_cast<std::size_t>(std::max(count, 0)));
      std::iota(order_.begin(), order_.end(), 0);
    }
    std::shuffle(order_.begin(), order_.end(), random_);
    return order_;
  }

 private:
  std::mt19937 random_;
  std::vector<int> order_;
};

}  // namespace convoscope
