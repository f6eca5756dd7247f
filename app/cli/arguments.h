#pragma once
// The command line as data. Parsing looks at files and folders, but opens no device, no window and no video.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/computation.h"
#include "app/cli/lesson_wish.h"
#include "app/state/settings.h"

namespace convoscope {

struct Size {
  int width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

struct SweepParameter;

struct Invocation {
  enum class Command {
    window,
    list,
    verify,
    compute,
    bench,
    experiment,
    report,
    filter,
    lesson,
    grade,
    new_kernel,
    doctor,
    listing,
    manual
  };
  enum class Listing { strategies, filters, banks, benches, sources, choices, devices, tiles };

  Command command = Command::window;
  // --help or --version: this is what to print on stdout before leaving with 0; nothing else is to be done then.
  std::optional<std::string> text;
  bool verbose = false;
  std::vector<std::string> remarks;  // what was done to what the options name, sentences: to be said before anything

  // The first settings given to parse_arguments, changed by the options. Every pane has a valid filter.
  Settings settings;

  // window
  std::optional<std::filesystem::path> record, screenshot, stats;  // folders exist and can be written to
  bool offscreen = false;
  bool realtime = false;       // offscreen, but paced by the clock and dropping late frames like a window
  std::optional<int> frames;   // leave after so many frames
  std::optional<double> seek;  // seconds
  std::string seek_text;       // as it was written
  int window_width = 1600, window_height = 900;
  bool strategy_given = false;  // --strategy or --compare: else app may pick one that runs here
  bool input_given = false;
  std::string shown_page;     // --show: "help", "palette" (of commands), which is open at first; empty: neither
  bool view_given = false;    // --strategy, --compare, --filter or --view: what is to be seen
  bool device_given = false;  // --device: it must be there where nobody watches

  LessonWish lesson;  // of the window: the one that it begins with

  // list, verify, bench; backend, device are in settings
  Listing listing = Listing::strategies;
  std::string listed_source;            // Listing::choices: of this one
  bool json = false;                    // list, verify, doctor: JSON on stdout instead of text
  bool small = false;                   // verify: the sizes that fit a test
  std::vector<const Kind*> kinds;       // verify: those that are checked; list and bench: the one that is meant
  std::vector<std::string> strategies;  // empty: all
  std::vector<FilterSpec> filters;      // empty: the command's own choice; likewise below
  std::vector<Border> borders;
  std::vector<PixelFormat> formats;
  std::vector<Size> sizes;
  std::vector<std::string> shapes;  // of a kind whose problems are stated so, as they were given
  std::vector<Pass> passes;
  std::vector<Precision> precisions;
  std::vector<Layout> layouts;
  Tuning tuning;
  std::string listed_part;       // listing: the name of a file that the strategy is made with; empty: its own
  bool numbered = false;         // listing: with line numbers
  ComputationTexts computation;  // compute; strategies, tuning and json as above
  // bench
  std::vector<int> taps;       // random filters of one row
  std::optional<int> samples;  // of a signal
  std::vector<int> radii;
  struct Over {
    const SweepParameter* parameter;  // of the kind
    std::vector<int> values;
  };
  std::vector<Over> over;  // each value of each, whatever else says of them
  struct OverTunable {
    std::string id;  // of a tunable of the strategies, or tile_side
    std::vector<int> values;
  };
  std::vector<OverTunable> over_tunables;  // likewise; of list tiles also its other numbers
  std::optional<int> runs;                 // samples of each strategy; none: what is sensible
  bool mean = false;                       // of them, in place of the median
  std::vector<std::string> against;        // peers that run next to the strategies and are compared with
  bool sweep = false;                      // every tuning of every strategy, not just the initial one
  bool live = false;                       // each launch alone and on warm buffers, as the window measures
  bool thorough = false;                   // a large picture too, and what a copy takes at least
  bool frame = false;                      // the whole way of a frame: settings, frames and offscreen as for a window
  bool file = false;                       // a whole file as `filter` takes it: settings, strategy_given as for that
  bool encode = false;                     // into .mp4 as well
  bool read_back = false;                  // each frame also comes back from the GPU, though nobody wants it
  std::optional<std::filesystem::path> json_file;
  bool lines = false;  // rows as JSON, one a line on stdout as they come, instead of tables
  // filter: the input, the backend, the format and one pane are in settings; strategy_given says whether it was chosen
  std::string output;  // a file, or "-" for standard output; of new-kernel its file
  bool lossless = false;
  // experiment, report; the backend is in settings, json_file as above
  std::string experiment;  // a file, or the name of one that the program has; empty: they are listed
  bool print = false;      // its text alone
  std::optional<std::filesystem::path> html_file, csv_file, resume_file;
  std::vector<std::string> reports;  // files that bench or experiment has written
  // grade and new-kernel; the kind and the format as above
  struct OwnKernels {
    std::vector<std::string> files;
    std::optional<std::filesystem::path> csv_file;
    std::optional<unsigned> seed;
    double deadline = 10;  // seconds
    std::string fork;      // a strategy; empty: a plain kernel
    bool force = false;    // what is there is replaced
    bool table = false;
  };
  OwnKernels own;
};

// The number of --over that is no tunable's own: how many outputs a block makes along each side.
inline constexpr const char* tile_side = "T";

// What a run begins with, before other options: asked for only by the window's command.
struct Beginning {
  bool offscreen = false, reset = false;
  std::optional<std::string> session;  // --session FILE
  std::optional<std::string> input;    // INPUT, which plays in place of the session's
};
using FirstSettings = std::function<Settings(const Beginning&)>;

// argv[1] may name a subcommand; a file of that name is opened as ./list. Throws Error with a plain sentence that names
// the value; the program then leaves with 2.
Invocation parse_arguments(int argc, const char* const* argv, const FirstSettings&);
// With these, unless it is offscreen.
Invocation parse_arguments(int argc, const char* const* argv, const Settings& defaults);

}  // namespace convoscope
