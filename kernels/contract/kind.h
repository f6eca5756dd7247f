#pragma once
// A kind of problem: what is convolved with what. It says what its data are, which problems are worth checking and
// measuring, and what the right result is; verify, bench, list and the tests walk kinds and know none by name. A kind
// is one file in kinds/ and one word in the list of kernels/CMakeLists.txt.
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/contract/data/tensor.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

struct Difference {
  double max_error = 0;  // how far an output lies from the reference; for rgba8 the half code value that rounding may
                         // take is subtracted, so a correctly rounded output has error 0 and ties need no allowance
  int x = 0, y = 0, channel = 0;  // where; channel 3 of rgba8: alpha was not carried over (error 255)
  double expected = 0, actual = 0;
};

// A rectangle of one plane (see plane_of) of one of the inputs or outputs.
struct PlaneArea {
  int tensor = 0, plane = 0;
  PixelArea area;
};

// A problem to be checked. An example that was worked out by hand brings its inputs and what must come out.
struct Case {
  Problem problem;
  std::vector<std::vector<float>> inputs;  // each dense; none: random ones
  std::vector<double> outputs;             // NaN where the example does not say
};

// What a sweep is narrowed to; empty: the kind's own.
struct CaseOptions {
  bool small = false;  // a few sizes and filters: for the emulated backend
  std::vector<Filter> filters;
};

// A number of a kind's problems over which strategies are timed: a radius, how many maps, a size.
struct SweepParameter {
  std::string_view id, title;    // "M" in files and on the command line, "maps" for people
  std::string_view unit;         // "pixels"; empty: of words
  std::string_view idea;         // a sentence
  int least, most;               // outside there is no such problem, whatever its other numbers are
  std::span<const int> offered;  // ascending
  std::span<const int> usual;    // some of these, for who does not choose
  int (*value)(const Problem&);
  // Gives the problem that value; one that is stated as a shape loses its weights. Throws Error where it has no such
  // number. Whether there can be such a problem is asked when all have theirs: see contract/sweep.h.
  void (*put)(Problem&, int value);
  std::string (*say)(const Problem&) = nullptr;  // the problem's value for people: "640×360"; null: the number
  std::span<const std::string_view> words = {};  // names of the values 0, 1, …: they lie along no axis
};

struct Kind {
  std::string_view id, title, idea;
  std::span<const PixelFormat> formats;
  std::span<const Border> borders = all_borders;  // what may lie outside
  std::string_view width_name, height_name;       // what Problem::width and height are here, as JSON has them

  std::vector<Shape> (*inputs)(const Problem&);
  std::vector<Shape> (*outputs)(const Problem&);
  // Why a problem is none of this kind, with its numbers; empty when it is one.
  std::string (*invalid)(const Problem&);
  // Whether what comes of such a problem is still worth looking at, as is a picture where some sums overflow.
  bool invalid_can_be_seen = false;
  std::string (*describe)(const Problem&);   // "1920 × 1080 rgba8"
  Filter (*parse)(const std::string& text);  // as the user states it; throws Error naming what is wrong
  bool has_catalogue = false;                // its filters have names and a radius: "gaussian:radius=2"

  // What verify and the tests walk: odd sizes, every border and format, corners of filters, worked examples.
  std::vector<Case> (*cases)(const CaseOptions&);
  // What every value of every tunable is tried with; their borders and formats are set in turn.
  std::vector<Problem> (*tuning_cases)(const CaseOptions&);
  // What bench measures when nobody says what.
  std::vector<Problem> (*benchmarks)();

  // The exact result in double precision: of every output, in the order of its rows, colour channels interleaved.
  std::vector<double> (*reference)(const Problem&, std::span<const Tensor> in);
  Difference (*compare)(const Problem&, const std::vector<double>& expected, std::span<const Tensor> in,
                        const Tensor& out);
  // What a part of an output is made from; where it reaches beyond an input there is what Problem::border says. None:
  // the outputs of this problem (a layer's gradients) are known all together only.
  std::vector<PlaneArea> (*sources)(const Problem&, const PlaneArea& part);
  // The same as reference() of that part alone, bit for bit, from these: each is a plane, of a layer of float32. In the
  // calling thread.
  std::vector<double> (*reference_of_part)(const Problem&, const PlaneArea& part, std::span<const Tensor> sources);

  // Of a kind whose problems have more numbers than a width and a height: what a user states as one text, with random
  // weights, or the given ones where they can be spread over the shape; given none at all, without any, for who asks
  // about the numbers alone. Empty: the first benchmark's shape. Throws Error naming what is wrong.
  Problem (*problem)(const std::string& shape, Pass, const Filter* weights) = nullptr;
  // The same the other way, for tables and JSON; null where problem() is.
  std::string (*shape)(const Problem&) = nullptr;

  // By what its problems can be swept, the likeliest first.
  std::span<const SweepParameter> parameters = {};
};

std::span<const Kind* const> kinds();        // in the order of the book
const Kind* find_kind(std::string_view id);  // null when there is none

}  // namespace convoscope
