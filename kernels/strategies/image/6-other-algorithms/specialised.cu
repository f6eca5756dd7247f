// A kernel written for one filter. Idea: its weights are literals in source that is made from them and compiled while
// the program runs, so zeros cost nothing, rows that are multiples of one another are summed once, and mirrored weights
// share a multiplication. A thread walks down a strip of a few columns; the sums of all outputs that a row goes into
// stay in registers, so nothing is loaded twice but the neighbours' edges, and there is no shared memory and no
// barrier. Traffic: (C + 2rx)/C loads per output from L1, (H + 2ry)/H from DRAM, for C columns and strips of H rows;
// one store. Limits: (2ry + 1) · C sums in registers, and code that fits in the instruction cache. A new filter takes
// up to a second to compile, in the background; another strategy runs meanwhile.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/pixel.cuh"
#include "kernels/jit/compiler.h"
#include "kernels/jit/specialised_source.h"

#if !defined(CONVOSCOPE_EMULATED)
#include <cstdio>

#include "kernels/device/cuda_fence.h"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/retired.h"
#include "kernels/jit/loaded_kernel.h"
#endif

namespace convoscope::CONVOSCOPE_TARGET::specialised {

namespace {

constexpr int strip_rows[] = {0, 8, 16, 32, 64, 128}, thread_columns[] = {0, 1, 2, 4};
constexpr Tunable tunables[] = {
    {"rows", "Rows", "Outputs that a thread makes below one another; 0: chosen by the filter's height.", strip_rows, 0},
    {"columns", "Columns", "Outputs that a thread makes side by side; 0: as many as its registers hold.",
     thread_columns, 0},
};

#if !defined(CONVOSCOPE_EMULATED)

// What runs until the kernel has been compiled, the best first.
const Strategy& stand_in(const Problem& problem, const Device& device) {
  for (const char* id : {"register-stream", "register-tile"})
    if (const Strategy* strategy = find_strategy(target_backend, id))
      if (strategy->unsupported(problem, device, {}).empty()) return *strategy;
  return *find_strategy(target_backend, "constant");
}

struct Specialisation {
  SpecialisedKernel about;
  std::shared_ptr<jit::LoadedKernel> kernel;
};

class SpecialisedPlan final : public ImagePlan {
 public:
  SpecialisedPlan(const Problem& problem, const Device& device, int rows, int columns)
      : problem_(problem),
        device_(device),
        rows_(rows),
        columns_(columns),
        column_table_(table(problem.width, problem.filter.rx())),
        row_table_(table(problem.height, problem.filter.ry())) {
    compile();
  }

  void set_filter(const Filter& filter) override {
    const bool same_weights =
        filter.weights == problem_.filter.weights && filter.weights_y == problem_.filter.weights_y;
    problem_.filter = filter;
    if (meanwhile_) meanwhile_->set_filter(filter);
    if (!same_weights) compile();
  }
  void prepare(Stream stream) override {
    if (meanwhile_) meanwhile_->prepare(stream);
  }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    stream_ = stream;
    if (!running_) return enqueue_image(*meanwhile_, in, out, stream);
    const Filter& filter = problem_.filter;
    SpecialisedSource source{
        in.data,   in.pitch,   column_table_.data() + filter.rx(), row_table_.data() + filter.ry(), in.width,
        in.height, aligned(in)};
    SpecialisedTarget target{out.data, out.pitch, aligned(out)};
    Epilogue epilogue = make_epilogue(filter, problem_.format);
    void* arguments[] = {&source, &target, &epilogue};
    CONVOSCOPE_CHECK(cudaLaunchKernel(running_->kernel->function, grid(), block(), arguments, 0, native(stream)));
  }
  std::vector<KernelInfo> kernels() const override {
    if (!running_) return meanwhile_->kernels();
    return {describe_launch("filter_specialised", running_->kernel->function, grid(), block(), 0)};
  }
  std::string note() const override {
    if (!error_.empty())
      return error_ + (error_.ends_with('.') ? " " : ". ") + std::string(meanwhile_strategy_->id) + " runs instead.";
    if (!running_) return "Compiling; " + std::string(meanwhile_strategy_->id) + " runs meanwhile.";
    char time[32];
    std::snprintf(time, sizeof time, "%.0f ms", milliseconds_);
    return std::to_string(running_->about.operations) + " operations a pixel: " + running_->about.findings + ". " +
           (from_cache_ ? "Compiled by an earlier run." : "Compiled in " + std::string(time) + ".");
  }

  const Strategy* runs() const override { return running_ ? nullptr : meanwhile_strategy_; }
  bool settled() const override { return !job_; }
  void explore_frame(const Image&, Stream) override {
    if (!job_ || job_->state == jit::Job::State::waiting) return;
    if (job_->state == jit::Job::State::ready) {
      running_ = std::static_pointer_cast<Specialisation>(job_->result);
      milliseconds_ = job_->milliseconds;
      from_cache_ = job_->from_cache;
      retire(std::move(meanwhile_));
    } else {
      error_ = job_->error;
    }
    job_.reset();
  }

 private:
  static bool aligned(const Image& image) {
    return reinterpret_cast<std::uintptr_t>(image.data) % 16 == 0 && image.pitch % 16 == 0;
  }
  dim3 block() const { return {SpecialisedKernel::block_width, SpecialisedKernel::block_height}; }
  dim3 grid() const {
    const SpecialisedKernel& about = running_->about;
    return {static_cast<unsigned>(ceil_div(problem_.width, SpecialisedKernel::block_width * about.columns)),
            static_cast<unsigned>(ceil_div(ceil_div(problem_.height, about.rows), SpecialisedKernel::block_height))};
  }

  // Which column (or row) of the image stands at −radius … size + radius + reach.
  DeviceBuffer<int> table(int size, int radius) const {
    std::vector<int> places;
    for (int i = -radius; i < size + radius + SpecialisedKernel::reach; ++i)
      places.push_back(border_index(i, size, problem_.border));
    DeviceBuffer<int> buffer(places.size());
    CONVOSCOPE_CHECK(cudaMemcpy(buffer.data(), places.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
  }

  void compile() {
    error_.clear();
    if (!meanwhile_) {
      meanwhile_strategy_ = &stand_in(problem_, device_);
      meanwhile_ = meanwhile_strategy_->plan(problem_, device_, {});
    }
    if (running_) retire(std::move(running_));  // only now, so that a stand-in without memory leaves a plan that runs
    const auto made = std::make_shared<Specialisation>();
    job_ = std::make_shared<jit::Job>();
    job_->source = [made, filter = problem_.filter, format = problem_.format, rows = rows_, columns = columns_] {
      made->about = specialised_source(filter, format, rows, columns);
      return std::move(made->about.source);
    };
    job_->compute_capability = device_.compute_capability;
    job_->load = [made, device = device_.ordinal](const std::string& cubin) -> std::shared_ptr<void> {
      made->kernel = jit::load_kernel(cubin, "filter_specialised", device);
      return made;
    };
    jit::request(job_);
  }

  // Frames that were enqueued before may still be running it.
  void retire(std::shared_ptr<void> old) { retired_.add(std::move(old), Fence(stream_)); }

  Problem problem_;
  const Device device_;
  const int rows_, columns_;
  Stream stream_;  // of the last frame
  Retired<Fence> retired_;
  std::shared_ptr<Specialisation> running_;
  std::shared_ptr<jit::Job> job_;  // of a kernel that is not there yet
  const Strategy* meanwhile_strategy_ = nullptr;
  std::unique_ptr<Plan> meanwhile_;
  std::string error_;
  double milliseconds_ = 0;
  bool from_cache_ = false;
  // Last, so that they go first: freeing them waits for the frames in flight, which may use what is above.
  DeviceBuffer<int> column_table_, row_table_;
};

#endif

std::string why_not(const Problem& p, const Device&, const Tuned& t) {
  if (target_backend == Backend::emulated) return "compiles for a GPU with NVRTC, which cannot be emulated";
  if (std::string reason = jit::why_unavailable(); !reason.empty()) return reason;
  return specialised_reason(p.filter, p.format, t["columns"]);
}

std::unique_ptr<Plan> make_plan(const Problem& p, const Device& device, const Tuned& t) {
#if defined(CONVOSCOPE_EMULATED)
  throw Error("specialised: " + why_not(p, device, t));
#else
  return std::make_unique<SpecialisedPlan>(p, device, t["rows"], t["columns"]);
#endif
}

// What is left to do after zeros and multiples, and one read and one write of the frame.
Cost model(const Problem& p, const Tuned& t) {
  const int columns = specialised_columns(p.filter, p.format, t["columns"]);
  return {.flop = 2.0 * specialised_operations(p.filter, p.format) * outputs(p),
          .global_loads_per_output = (std::max(columns, 1) + 2.0 * p.filter.rx()) / std::max(columns, 1),
          .global_stores_per_output = 1,
          .dram_bytes = 2 * frame_bytes(p)};
}

// Of the kernel that is written for the filter; until it has been compiled, Plan::runs() says which other one runs.
Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  constexpr int lanes = SpecialisedKernel::block_width, warps = SpecialisedKernel::block_height;
  const int columns = specialised_columns(p.filter, p.format, t["columns"]);
  const int rows = specialised_rows(p.filter, t["rows"]);
  KernelStep step = one_strip_per_thread("filter_specialised", lanes, warps,
                                         {columns, rows, p.filter.rx(), p.filter.ry()}, p.width, p.height, at.x, at.y);
  // The outermost threads of the block may load more than they need; what others load so, their neighbours need.
  const int first = step.outputs[0].x;
  const int last = first + (std::min(lanes, ceil_div(p.width - first, columns)) - 1) * columns;
  PixelArea& read = step.direct[0];
  read.x = first - specialised_beside(p.filter, columns, first, p.width);
  read.width = last + columns + specialised_beside(p.filter, columns, last, p.width) - read.x;
  step.words = "Each thread walks down its strip. A row that it has read goes at once into the sums of the " +
               std::to_string(p.filter.height) +
               " output rows that it touches, which wait in registers. The weights are literals in the code.";
  return {.steps = {std::move(step)},
          .words =
              "Weights of zero are left out, pixels whose weights mirror each other are added before one "
              "multiplication, and rows of weights that are multiples of one another are summed once."};
}

}  // namespace

extern const Strategy strategy{
    .id = "specialised",
    .title = "Specialised",
    .idea =
        "Source is written and compiled for this very filter: weights become literals, zeros vanish, rows that are "
        "multiples of one another are summed once, mirrored weights share a multiplication. Each thread slides down a "
        "strip with all unfinished sums in registers.",
    .reading = "NVIDIA, NVRTC user guide; Frigo & Johnson, The design and implementation of FFTW3, 2005",
    .backend = target_backend,
    .tunables = tunables,
    // A mirrored pair is rounded once before it is multiplied; a row that is a multiple of another meets its weights
    // within 2^-22 of the largest, four units.
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.width * p.filter.height + 6); },
    .refuses = why_not,
    .plans = make_plan,
    .costs = model,
    .explains = explain,
    .open_library = jit::open_library,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::specialised
