// Filtering as a product of spectra, block by block (overlap-save). Idea: a transform of N samples, times the taps'
// spectrum, transformed back, is a correlation that goes round; where it does not reach round, which is for all but the
// last M − 1 outputs, it is the one that we want. So blocks overlap by M − 1 samples, and every core takes some.
// Traffic: the signal is read and written once, what is transformed stays in a core's cache.
// Limits: transforms cost more than a few taps do. FFTW plans once; planning is for one thread at a time.
#include <fftw3.h>

#include <mutex>
#include <new>

#include "kernels/cpu/cpu_strips.h"
#include "kernels/kinds/signal.h"
#include "kernels/strategies/shared/overlap_save.h"

namespace convoscope::cpu::signal::cpu_fft {

namespace {

std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

struct Free {
  void operator()(float* memory) const { fftwf_free(memory); }
};
using Floats = std::unique_ptr<float[], Free>;  // aligned as FFTW's plans expect it

Floats allocate(int count) {
  Floats memory(static_cast<float*>(fftwf_malloc(static_cast<std::size_t>(count) * sizeof(float))));
  if (!memory) throw std::bad_alloc();
  std::fill_n(memory.get(), count, 0.0f);
  return memory;
}
fftwf_complex* as_complex(const Floats& floats) { return reinterpret_cast<fftwf_complex*>(floats.get()); }

struct Destroy {
  void operator()(fftwf_plan plan) const {
    const std::lock_guard lock(planner());
    fftwf_destroy_plan(plan);
  }
};
using Transform = std::unique_ptr<std::remove_pointer_t<fftwf_plan>, Destroy>;

class FftPlan final : public Plan {
 public:
  FftPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        layout_(overlap_save(problem, tuning["transform_size"])),
        workers_(worker_count(tuning)),
        spectrum_(allocate(complex_floats())) {
    for (int i = 0; i < workers_; ++i)
      scratch_.push_back({allocate(layout_.size + rows::slack), allocate(complex_floats())});
    const Scratch& first = scratch_[0];
    {
      const std::lock_guard lock(planner());
      forward_.reset(
          fftwf_plan_dft_r2c_1d(layout_.size, first.samples.get(), as_complex(first.spectrum), FFTW_ESTIMATE));
      inverse_.reset(
          fftwf_plan_dft_c2r_1d(layout_.size, as_complex(first.spectrum), first.samples.get(), FFTW_ESTIMATE));
    }
    if (!forward_ || !inverse_) throw std::bad_alloc();
    FftPlan::set_filter(problem.filter);
  }
  // A correlation takes the conjugate, and one transform there and back multiplies by N.
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    float* const taps = scratch_[0].samples.get();
    std::fill(std::copy(filter.weights.begin(), filter.weights.end(), taps), taps + layout_.size, 0.0f);
    fftwf_execute_dft_r2c(forward_.get(), taps, as_complex(spectrum_));
    const float scale = 1.0f / static_cast<float>(layout_.size);
    for (int i = 0; i < complex_floats(); i += 2) {
      spectrum_[i] *= scale;
      spectrum_[i + 1] *= -scale;
    }
  }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    const Image channels = rows_of(in[0]), results = rows_of(out[0]);
    const int blocks = (problem_.width + layout_.block - 1) / layout_.block;
    parallel_for(blocks * problem_.height, workers_, [&](int i, int worker) {
      run(i / blocks, i % blocks * layout_.block, scratch_[worker], channels, results);
    });
  }
  std::string note() const override {
    return "transforms of " + std::to_string(layout_.size) + " samples, " + std::to_string(layout_.block) +
           " outputs of each";
  }

 private:
  struct Scratch {
    Floats samples, spectrum;
  };

  int complex_floats() const { return 2 * (layout_.size / 2 + 1); }

  void run(int channel, int first, const Scratch& scratch, const Image& in, const Image& out) const {
    const int last = std::min(first + layout_.block, problem_.width), radius = problem_.filter.rx();
    float* const samples = scratch.samples.get();
    load_line(in, channel, first - radius, last + radius, problem_.border, samples);
    std::fill(samples + (last - first) + 2 * radius, samples + layout_.size, 0.0f);
    fftwf_execute_dft_r2c(forward_.get(), samples, as_complex(scratch.spectrum));
    float* const a = scratch.spectrum.get();
    const float* const b = spectrum_.get();
    for (int i = 0; i < complex_floats(); i += 2) {
      const float re = a[i] * b[i] - a[i + 1] * b[i + 1];
      a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
      a[i] = re;
    }
    fftwf_execute_dft_c2r(inverse_.get(), as_complex(scratch.spectrum), samples);
    store_line(samples, nullptr, problem_.filter, in, out, channel, {first, last, channel, channel + 1});
  }

  Problem problem_;
  OverlapSave layout_;
  int workers_;
  Floats spectrum_;               // of the taps
  std::vector<Scratch> scratch_;  // one for each worker
  Transform forward_, inverse_;
};

constexpr Tunable tunables[] = {threads_tunable, transform_size_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "cpu-fft",
    .title = "FFT on all cores",
    .idea =
        "Blocks of the signal are transformed, multiplied by the spectrum of the taps and transformed back: the time "
        "hardly depends on how many taps there are.",
    .reading =
        "Oppenheim & Schafer, Discrete-Time Signal Processing, ch. 8.7: overlap-save; Frigo & Johnson, FFTW3, "
        "2005",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = overlap_save_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned& t) -> std::string {
      return overlap_save_reason(p, t["transform_size"]);
    },
    .plans = plan_of<FftPlan>,
    .costs =
        [](const Problem& p, const Tuned& t) {
          const OverlapSave layout = overlap_save(p, t["transform_size"]);
          Cost cost = direct_cost(p);
          cost.flop = flop_of_block(layout) * outputs(p) / layout.block;
          cost.global_loads_per_output = static_cast<double>(layout.size) / layout.block;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OverlapSave layout = overlap_save(p, t["transform_size"]);
          return Explanation{.steps = {},
                             .words = "The output is number " + std::to_string(at.x % layout.block) + " of block " +
                                      std::to_string(at.x / layout.block) + " of channel " + std::to_string(at.y) +
                                      ". One thread transforms the " + std::to_string(layout.size) + " samples from " +
                                      std::to_string(p.filter.rx()) +
                                      " before the block on, multiplies them by the spectrum of the taps and "
                                      "transforms them back: no product of one tap and one sample is ever made."};
        },
    .calls_library = true,
    .kind = &signal_kind,
};

}  // namespace convoscope::cpu::signal::cpu_fft
