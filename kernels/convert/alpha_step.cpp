#include "kernels/convert/alpha_step.h"

#include <algorithm>
#include <numeric>

#include "kernels/contract/image_plan.h"
#include "kernels/convert/alpha_pixels.h"
#include "kernels/threads/stop.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {

AlphaUse alpha_use(const Filter& filter) {
  const auto& w = filter.weights;
  const bool weighs = !filter.is_magnitude() && std::ranges::all_of(w, [](float each) { return each >= 0; }) &&
                      std::ranges::any_of(w, [](float each) { return each > 0; });
  return weighs ? AlphaUse::weighs : AlphaUse::multiplies;
}

bool takes_alpha_step(const Problem& problem) {
  return problem.kind == &image_kind && problem.format == PixelFormat::rgba8;
}

Problem problem_of_plane(const Problem& problem) {
  Problem plane = problem;
  plane.format = PixelFormat::gray32f;
  plane.filter.gain = 1;
  plane.filter.bias = 0;
  plane.filter.absolute = false;
  return plane;
}

bool is_opaque(const Image& rgba) {
  for (int y = 0; y < rgba.height; ++y) {
    const Rgba8* row = row_of<const Rgba8>(rgba, y);
    unsigned all = 255;  // without a branch for each pixel, so that the compiler takes many at once
    for (int x = 0; x < rgba.width; ++x) all &= row[x].a;
    if (all != 255) return false;
  }
  return true;
}

AlphaStep::AlphaStep(Compute& compute, int width, int height)
    : backend_(compute.device().backend), plane_(compute.allocate(width, height, PixelFormat::gray32f)) {
  for (DeviceImage& sum : sums_) sum = compute.allocate(width, height, PixelFormat::gray32f);
}

void AlphaStep::set_filter(const Filter& filter) {
  filter_ = filter;
  use_ = alpha_use(filter);
  weight_ = std::accumulate(filter.weights.begin(), filter.weights.end(), 0.0);
}

void AlphaStep::take_plane(int pass, const Image& picture, Stream stream) const {
  if (backend_ == Backend::cuda) return enqueue_take_plane(picture, pass, plane(), stream);
  parallel_for(picture.height, core_count(), [&](int row, int) {
    for (int x = 0; x < picture.width; ++x) take_plane_pixel(picture, pass, plane(), x, row);
  });
}

void AlphaStep::join(const Image& picture, const Image& out, Stream stream) const {
  AlphaJoin join;
  for (int i = 0; i < 4; ++i) join.sums[i] = sum(i);
  join.weighs = use_ == AlphaUse::weighs;
  join.weight = static_cast<float>(weight_);
  join.gain = filter_.gain;
  join.bias = filter_.bias;
  join.absolute = filter_.absolute;
  if (backend_ == Backend::cuda) return enqueue_join(join, picture, out, stream);
  parallel_for(picture.height, core_count(), [&](int row, int) {
    for (int x = 0; x < picture.width; ++x) join_pixel(join, picture, out, x, row);
  });
}

void enqueue_with_alpha(const AlphaStep& step, Plan& plan, const Image& picture, const Image& out, Stream stream) {
  for (int pass = 0; pass < step.passes(); ++pass) {
    if (stop_requested()) return;
    step.take_plane(pass, picture, stream);
    enqueue_image(plan, step.plane(), step.sum(pass), stream);
  }
  step.join(picture, out, stream);
}

}  // namespace convoscope
