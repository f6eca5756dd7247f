// What a library for computer vision does. Idea: CV-CUDA convolves a batch of pictures with a batch of weights, and has
// operators of its own for Gaussians, whose weights it makes from sigma, and for means. The operator that is made for
// the weights, or with `measure` the fastest of those whose result is right. Traffic: CV-CUDA's own; it filters alpha
// like a colour, so a small kernel carries the input's over, which is part of the time shown. Limits: 8-bit results are
// stored without bias, absolute value or a second filter; for gray32f a small kernel adds those.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/peers/cv_cuda_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::cv_cuda {
namespace {

constexpr Tunable tunables[] = {try_all_tunable};

// A float32 sum, and one more rounding for the gain inside the weights. A Gaussian's weights are off, beside their own
// rounding, by sigma's tolerance (16 units of 2^-24), by the rounding of their sum (one a tap) and of an exponential
// and its argument in float32 (up to 40 together).
double cv_cuda_bound(const Problem& p) {
  const int taps = p.filter.taps();
  return float32_sum_bound(p, suits(Way::gauss, p) ? 2 * taps + 64 : taps + 2);
}

}  // namespace

extern const Strategy strategy{
    .id = "cv-cuda",
    .title = "CV-CUDA",
    .idea =
        "NVIDIA's library for computer vision: its Gaussian, its mean, or its general convolution, whichever is made "
        "for "
        "the weights. With 'measure', whichever of them is the fastest here and right. For rgba8, alpha is carried "
        "over "
        "afterwards, which is part of the time.",
    .reading = "CV-CUDA documentation, Gaussian, AverageBlur and Conv2D",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = cv_cuda_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls CV-CUDA, which cannot be emulated";
      if (std::string missing = libcvcuda::Library::missing(); !missing.empty()) return missing;
      if (p.border == Border::mirror && std::min(p.width, p.height) == 1)
        return "some versions of CV-CUDA divide by 0 when they mirror a picture that is 1 pixel wide or high";
      if (p.format == PixelFormat::rgba8 && p.filter.is_magnitude())
        return "CV-CUDA stores the sums of an rgba8 filter as 8 bits, so two of them cannot become an edge magnitude";
      if (p.format == PixelFormat::rgba8 && (p.filter.bias != 0 || p.filter.absolute))
        return "CV-CUDA stores the sums of an rgba8 filter as 8 bits at once: there is no bias and no absolute value";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      libcvcuda::api();
      ChosenWay<Way> choice{usual_way(p), {}};
      if (t["measure"] != 0) choice = fastest_way<CvCudaPlan>(ways, p, device, cv_cuda_bound(p), suits, is_a_guess);
      return std::make_unique<CvCudaPlan>(p, device, choice.way, std::move(choice.said));
    },
    // CV-CUDA does not say what its kernels do: the work of the definition, and the pixels read twice and written once
    // more for alpha.
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      Cost cost = direct_cost(p);
      if (p.format == PixelFormat::rgba8) cost.dram_bytes += 3 * frame_bytes(p);
      return cost;
    },
    .peer = true,
    .calls_library = true,
    .open_library = libcvcuda::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::cv_cuda
