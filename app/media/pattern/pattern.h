#pragma once
// The built-in test pattern, drawn to show what a filter does at every frequency, in every direction, to edges, to
// text, to noise, to gradients and to motion.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/data/image.h"

namespace convoscope {

class Pattern {
 public:
  static constexpr double seconds = 20;  // every motion repeats after this long, so that a loop has no seam

  // names() lists the names; any other throws Error. width, height from 1; rate in frames a second. Draws what does not
  // move, once.
  Pattern(std::string_view name, int width, int height, double rate);
  ~Pattern();

  static const std::vector<std::string>& names();  // "all" first
  std::int64_t frames() const { return frames_; }  // in one period

  // The same number gives the same bits. `rgba`: host memory of this size, alpha is 255. Any threads at once.
  void draw(std::int64_t number, const Image& rgba) const;

 private:
  struct Card;
  std::vector<Card> cards_;
  std::vector<std::uint32_t> still_;  // the whole picture without what moves
  int width_, height_, corner_;
  std::int64_t frames_;
  double rate_;
};

}  // namespace convoscope
