#pragma once
// The step around any strategy for images, for pictures that are not opaque: what a pixel that nobody sees is coloured
// must not bleed into those that are seen. The strategies know colours and no alpha; so each colour times alpha, and
// alpha itself where it weighs, is a plane of its own that goes through the strategy as gray32f, and one more pass
// makes the picture of what has come out. Float32 planes, since eight bits of a colour times a small alpha would leave
// nothing to divide.
//
// As Porter and Duff have it ("Compositing digital images", 1984), c a colour and a alpha from 0 to 1:
// - weighs: no weight is below 0 and one is above it. A mean: Σw · Σwac / Σwa, which for weights that sum to 1 is
//   Σwac / Σwa; alpha is Σwa / Σw. Where Σwa is 0, so are colours and alpha.
// - multiplies: any other filter works on c·a, and its result is divided by the pixel's own alpha, which stays as it
//   is. Where that is 0, so are the colours.
// Gain, bias and |…| follow, as ever.
#include <array>
#include <cstdint>

#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

enum class AlphaUse { weighs, multiplies };
AlphaUse alpha_use(const Filter&);

// Whether pictures with alpha take the step: of one picture in, and colours.
bool takes_alpha_step(const Problem&);
// What a strategy is asked for in place of an rgba8 problem: a plane, and the bare sums.
Problem problem_of_plane(const Problem&);

// Whether every pixel's alpha is 255. Host memory.
bool is_opaque(const Image& rgba);

class AlphaStep {
 public:
  // For pictures of this size; the Compute outlives it. Throws Error when there is no memory: 20 bytes a pixel.
  AlphaStep(Compute&, int width, int height);
  void set_filter(const Filter&);  // the whole one, with what follows the sums
  // Plane after plane: each is taken from the picture, and the plan is then to make sum(pass) of plane(). At least one.
  int passes() const { return use_ == AlphaUse::weighs ? 4 : 3; }
  void take_plane(int pass, const Image& picture, Stream) const;
  const Image& plane() const { return plane_.image(); }
  const Image& sum(int pass) const { return sums_[static_cast<std::size_t>(pass)].image(); }
  // The picture that comes of the sums. `picture`: the one that they were made of; both rgba8.
  void join(const Image& picture, const Image& out, Stream) const;

 private:
  Backend backend_;
  Filter filter_;
  AlphaUse use_ = AlphaUse::multiplies;
  double weight_ = 1;  // Σw
  DeviceImage plane_;
  std::array<DeviceImage, 4> sums_;  // red, green, blue; alpha
};

// All of it: what `plan`, made for problem_of_plane(), makes of a picture. Enqueued, as a plan's own enqueue().
void enqueue_with_alpha(const AlphaStep&, Plan& plan, const Image& picture, const Image& out, Stream);

}  // namespace convoscope
