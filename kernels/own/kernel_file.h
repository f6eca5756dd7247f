#pragma once
// A kernel file of the user's: device code, and in CONVOSCOPE_TABLE(…) how it is launched, as text. No compiler is
// needed to read the table, so it is the same for the host's compiler and for NVRTC, which sees no host code.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/contract/kind.h"
#include "kernels/own/expression.h"
#include "kernels/text/error.h"

namespace convoscope::own {

inline constexpr std::size_t most_file_bytes = 1 << 20;

// tunable block_width = 32 of 4, 8, 16, 32, 64 "Threads of a block along x";
struct OwnTunable {
  std::string id, explanation;
  std::vector<int> values;  // ascending
  int initial = 0;
};

// fill weights with filter; — what a __constant__ array holds when a kernel begins, and what an argument of this name
// points to in global memory.
enum class Contents {
  filter,             // row by row; of an edge magnitude the second set follows
  filter_by_columns,  // the same, column by column
  taps,               // of a separable filter: those of the row, then those of the column, for each set
};
struct Filled {
  std::string array;
  Contents with = Contents::filter;
  Place place;
};

// memory sums = Wide<Pixel>[width * height * sets]; — global memory that the launches share. Unwritten at first.
struct OwnMemory {
  std::string name, type;
  Expression count;
  Place place;
};

// launch blur<Pixel, Sums>(in, out, rx, ry, border, epilogue) grid (…) block (…) shared …;
struct Argument {
  enum class Kind { input, output, weights, border, epilogue, memory, number };
  Kind kind = Kind::number;
  std::size_t index = 0;  // of memory: which; of weights: Contents
  Expression number;
};
struct Launch {
  std::string kernel;
  std::vector<std::string> template_words;  // Pixel, Sums, a tunable, or a number
  std::vector<Argument> arguments;
  std::vector<Expression> grid, block;  // one to three
  Expression shared;                    // bytes; empty: none
  Place place;                          // of the kernel's name
};

struct Need {
  Expression condition;  // empty: that the filter is separable
  std::string why;
};

// Immovable, since its expressions are parts of its text.
struct KernelFile {
  std::string path, text;
  const Kind* kind = nullptr;
  std::vector<PixelFormat> formats;
  bool two_sets = false;  // takes edge magnitudes: a launch has Sums among its template arguments
  std::vector<OwnTunable> tunables;
  std::vector<std::pair<std::string, Expression>> lets;
  std::vector<Filled> filled;
  std::vector<OwnMemory> memories;
  std::vector<Launch> launches;
  std::vector<Need> needs;
  Place table;

  KernelFile(std::string path, std::string text);  // throws SourceError
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;

  // What the names of the table stand for; `problem` outlives the result. Throws SourceError when used.
  Names names(const Problem& problem, const Tuning&) const;
  int tuned(std::string_view tunable, const Tuning&) const;

 private:
  using Known = std::map<std::string, long long, std::less<>>;  // names of let that have a value by now
  std::optional<long long> number(std::string_view name, std::size_t lets_before, const Problem&, const Tuning&,
                                  Known&) const;
};

struct UnreadableKernel : Error {
  using Error::Error;
};
// Text of a file; throws UnreadableKernel naming it.
std::string read_kernel_text(const std::string& path);

// What the emulated device cannot run, such as PTX: one for each place, a sentence that names it.
std::vector<SourceError> not_emulated(const KernelFile&);

}  // namespace convoscope::own
