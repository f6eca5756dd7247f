#pragma once
// The contract between a way to compute the filtered image and everything else: a strategy is one file in strategies/
// or peers/ and one word in the list of kernels/CMakeLists.txt. The window, the command line, the tests and the
// benchmark know strategies only through this header.
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/contract/data/border.h"
#include "kernels/contract/data/filter.h"
#include "kernels/contract/data/image.h"
#include "kernels/contract/data/layer.h"
#include "kernels/contract/data/tensor.h"
#include "kernels/contract/device.h"
#include "kernels/contract/explain.h"

namespace convoscope {

// A cudaStream_t for the CUDA backend, null elsewhere. Not owned.
struct Stream {
  void* handle = nullptr;
};

struct Kind;  // contract/kind.h
extern const Kind image_kind;

// Everything that a plan is made for. Two problems that differ only in weights, gain, bias or absolute, of a bank in
// weights, biases or relu, can share a plan (see Plan::set_filter).
struct Problem {
  int width = 0, height = 0;  // of an image or a frame; a signal's samples and channels; a layer's input
  PixelFormat format = PixelFormat::rgba8;
  Border border = Border::replicate;
  Filter filter;
  const Kind* kind = &image_kind;
  Layer layer = {};  // of a convolutional layer alone
};

// A number the user may choose: tile width, threads, outputs per thread, pipeline depth…
struct Tunable {
  std::string_view id, title, explanation;
  std::span<const int> values;  // the choices, ascending
  int initial;
};

// Chosen values by tunable id; an id that is absent means the tunable's initial value.
using Tuning = std::map<std::string, int, std::less<>>;

struct Strategy;

// Every tunable of a strategy with its value: the one chosen, or the initial one. What a strategy's functions are
// given; the only place where the two are told apart. Does not allocate. Tunables and their ids are those of the
// strategy, which outlives it.
class Tuned {
 public:
  Tuned() = default;  // of a strategy that has none
  Tuned(const Strategy&, const Tuning&);
  int operator[](std::string_view tunable_id) const;  // throws std::logic_error for one that the strategy has not

 private:
  static constexpr std::size_t most_tunables = 8;

  std::string_view strategy_;
  std::span<const Tunable> tunables_;
  std::array<int, most_tunables> values_{};
};

// What the compiler and the device say about one launch of a plan. occupancy: resident over possible warps.
struct KernelInfo {
  std::string name;
  int grid_x = 0, grid_y = 0, grid_z = 1;
  int block_x = 0, block_y = 0, block_z = 1;
  int registers = 0;
  std::size_t static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes = 0, constant_bytes = 0;
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;
  double waves = 0;  // blocks over what the device holds at once; the fraction above a whole number is the tail
};

// What theory says one run costs. All counts are of the whole run unless they say "per output"; an output is one
// element of what the kind says comes out: a pixel, a sample. "op" counts multiplies and adds on the filtered channels
// as floating-point operations.
struct Cost {
  double flop = 0;
  double global_loads_per_output = 0;   // input elements loaded from global memory (or through a texture)
  double weight_loads_per_output = 0;   // weights loaded from global memory; constant memory's broadcasts are none
  double global_stores_per_output = 0;  // elements stored, intermediates included
  double shared_loads_per_output = 0;
  double dram_bytes = 0;       // what DRAM must move when caches are perfect: inputs once, outputs once, intermediates
  double diverging_warps = 0;  // the share of them; see model.h. 0: none, or nobody has counted
  bool on_matrix_units = false;  // the FLOP are those of tensor cores, which the FP32 rate does not bound
  // Input elements that a block holds in shared memory at a time, halo included; 0: it holds none, or sums of them.
  int tile_width = 0, tile_height = 0;
  double intensity() const { return dram_bytes > 0 ? flop / dram_bytes : 0; }  // FLOP per byte that DRAM moves
};

// A strategy made ready for one problem on one device. Used by one thread at a time; so are all plans of a strategy
// whose kernels have constant memory (KernelInfo::constant_bytes), which is one for all of them: prepare() takes it,
// and who comes on another stream waits there for the device.
class Plan {
 public:
  virtual ~Plan() = default;
  // New weights, gain, bias or absolute for the same size (and, for a strategy that needs it, the same rank); of a bank
  // new weights, biases (which may come and go) or relu for the same K and layer. Host work only; the device sees them
  // after the next prepare(). The caller asks unsupported() first.
  virtual void set_filter(const Filter&) = 0;
  // Sends what changed since the last call (cudaMemcpyToSymbolAsync of the weights), and nothing when nothing changed.
  // To be called before every enqueue on the same stream; outside of what is timed. A plan from which another has taken
  // the constant memory meanwhile throws Error at enqueue().
  virtual void prepare(Stream) = 0;
  // Enqueues the work and returns: no allocation, no wait, no host copy. `in` and `out` have the shapes that the
  // problem's kind says (Kind::inputs, Kind::outputs), rows of any pitch, and do not overlap. Every element of `out` is
  // written, padding is not.
  virtual void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) = 0;
  // Each kernel of one enqueue, in order; empty for the CPU.
  virtual std::vector<KernelInfo> kernels() const { return {}; }
  // What this plan decided and a reader would want to know ("rank 3, error 0.2 %"); may be empty.
  virtual std::string note() const { return {}; }

  // Of a plan that chooses among strategies, or whose kernel is still being compiled; the others leave these as they
  // are.
  // The strategy that enqueue() runs at present, with its initial tuning; null: the plan's own.
  virtual const Strategy* runs() const { return nullptr; }
  // False while there are others to try, or code to wait for. explore() then enqueues at most one trial of one of
  // them, on `in` and into memory of its own, and may change runs(). It never waits for the device; trials that it has
  // enqueued are read by a later call. To be called after enqueue, outside of what is timed, with its inputs.
  virtual bool settled() const { return true; }
  virtual void explore(std::span<const Tensor> in, Stream) { static_cast<void>(in); }
};

struct Strategy {
  std::string_view id;       // the file's name
  std::string_view title;    // for the panel
  std::string_view idea;     // two or three sentences a student can read
  std::string_view reading;  // chapter or figure of PMPP, or the paper
  Backend backend;
  std::span<const Tunable> tunables;
  // Largest permitted |output − reference|, in code values for rgba8 beyond rounding (see reference.h), in units of
  // the pixel for gray32f. Derived from the number of terms and Σ|w|; never widened to pass.
  double (*tolerance)(const Problem&);
  // What the functions of the same sense below ask, with every tunable's value.
  std::string (*refuses)(const Problem&, const Device&, const Tuned&);
  std::unique_ptr<Plan> (*plans)(const Problem&, const Device&, const Tuned&);
  Cost (*costs)(const Problem&, const Tuned&);
  Explanation (*explains)(const Problem&, const Device&, const Tuned&,
                          const OutputIndex&) = nullptr;  // null: it cannot
  bool chooses = false;                                   // it has no kernel: its plan runs the fastest of the others
  bool plain = false;  // the definition on one core, there to be read: seconds where the others take milliseconds
  bool peer = false;   // a library does all of it: there to be compared with, and no candidate of one that chooses
  bool calls_library = false;  // a library does all of it or a step
  // Opens the library that may be missing, which can take a second: unsupported() then knows. Any thread. Null: there
  // is none.
  void (*open_library)() = nullptr;
  const Kind* kind = &image_kind;

  // Why this problem or tuning cannot run here, with the numbers; empty when it can, as far as is known: a library is
  // not opened to answer. Cheap enough for every frame.
  std::string unsupported(const Problem&, const Device&, const Tuning&) const;
  // Throws Error when resources run out or its library is missing. Only called when unsupported() is empty.
  std::unique_ptr<Plan> plan(const Problem&, const Device&, const Tuning&) const;
  Cost model(const Problem&, const Tuning&) const;
  // How an output comes about, for a problem that it can run; not to be called where `explains` is null. On the thread
  // that owns the device, of which some ask how many blocks it holds at once; throws Error when the device has failed.
  Explanation explain(const Problem&, const Device&, const Tuning&, const OutputIndex&) const;
};

// Calls one that has to be found and opened first; others are linked in.
inline bool loads_library(const Strategy& strategy) { return strategy.calls_library && strategy.open_library; }

// What many have to say: `refuses` that takes every problem of the kind, and `plans` that needs nothing but the
// problem, and the tuning where there is one.
inline std::string refuses_nothing(const Problem&, const Device&, const Tuned&) { return {}; }
template <class Own>
std::unique_ptr<Plan> plan_of(const Problem& problem, const Device&, const Tuned& tuning) {
  if constexpr (std::is_constructible_v<Own, const Problem&, const Tuned&>)
    return std::make_unique<Own>(problem, tuning);
  else
    return std::make_unique<Own>(problem);
}

// How many libraries have been opened, or looked for in vain. When it changes, unsupported() may answer otherwise.
inline std::atomic<int> libraries_opened = 0;
// unsupported() for those who may wait: its library is opened first, if nothing else speaks against it.
std::string surely_unsupported(const Strategy&, const Problem&, const Device&, const Tuning&);

// Strategies of a kind in the order of its ladder; ids are unique within a kind. cuda and emulated hold the same ids:
// the same files compiled twice. Built without nvcc, the cuda list is empty; `strategies(Backend::emulated)` still has
// the texts of every row.
std::span<const Strategy* const> strategies(Backend, const Kind& = image_kind);
const Strategy* find_strategy(Backend, std::string_view id, const Kind& = image_kind);  // null when there is none
bool built_with_cuda();

}  // namespace convoscope
