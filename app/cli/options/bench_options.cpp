// The options of bench.
#include <algorithm>
#include <set>

#include "app/cli/options/options.h"
#include "app/cli/options/problem_options.h"
#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int default_frames = 300;
constexpr int most_runs = 10'000;

std::vector<std::string> statistic_words() { return {"median", "mean"}; }

// bench --frame and --file: one strategy and one problem.
void read_one_problem(const Texts& texts, const std::string& flag, Invocation& invocation) {
  for (const char* name : {"--against", "--radius", "--taps", "--kind", "--shape", "--pass", "--type", "--layout",
                           "--over", "--runs", "--statistic"})
    if (texts.has(name))
      throw Error(std::string(name) + " '" + texts.last(name) + "' does not go with " + flag +
                  ", which times one strategy with one --filter.");
  if (texts.has("--sweep")) throw Error("--sweep does not go with " + flag + ", which times one strategy.");
  if (texts.has("--lines"))
    throw Error("--lines does not go with " + flag + ", which writes JSON to the file that --json names.");
  if (texts.has("--live")) throw Error("--live does not go with " + flag + ", which is always live.");
  if (texts.has("--thorough")) throw Error("--thorough does not go with " + flag + ", which times one size.");
  const auto only_one = [&](const char* name, std::size_t count) {
    if (count > 1) throw Error(std::string(name) + ": " + flag + " takes only one, not " + std::to_string(count) + ".");
  };
  only_one("--strategy", invocation.strategies.size());
  only_one("--filter", invocation.filters.size());
  only_one("--border", invocation.borders.size());
  only_one("--format", invocation.formats.size());
  only_one("--size", invocation.sizes.size());

  Settings& settings = invocation.settings;
  settings.vsync = false;
  PaneSettings& pane = settings.active();
  invocation.strategy_given = !invocation.strategies.empty();
  if (invocation.strategy_given) pane.strategy = invocation.strategies[0];
  if (!invocation.filters.empty()) pane.filter = invocation.filters[0];
  if (!invocation.borders.empty()) pane.border = invocation.borders[0];
  if (!invocation.formats.empty()) settings.format = invocation.formats[0];
  pane.tuning = tuning_for(pane.strategy, invocation.tuning);
}

// Drawn as the window would draw it.
void read_frame_bench(const Texts& texts, Invocation& invocation) {
  read_one_problem(texts, "--frame", invocation);
  Settings& settings = invocation.settings;
  if (!invocation.sizes.empty()) {
    check_takes_size(settings.source.input, texts.last("--size"));
    settings.source.width = invocation.window_width = invocation.sizes[0].width;
    settings.source.height = invocation.window_height = invocation.sizes[0].height;
  }
  if (!invocation.frames) invocation.frames = default_frames;
  settings.timing_window = *invocation.frames;
  invocation.offscreen = invocation.read_back = true;
}

void read_file_bench(const Texts& texts, Invocation& invocation) {
  read_one_problem(texts, "--file", invocation);
  if (!texts.has("INPUT")) throw Error("--file needs the INPUT that is filtered: convoscope bench --file clip.mp4.");
  if (texts.has("--size"))
    throw Error("--size '" + texts.last("--size") + "' does not go with --file, which takes it as it is.");
}

// INPUT and --frames say of what --frame or --file is measured.
void check_measures_path(const Reading& at) {
  if (!at.has("--frame") && !at.has("--file"))
    throw Error(at.option + " '" + at.text() +
                "' is for bench --frame and --file. Add one of them, or leave it out to measure strategies alone.");
}

void read_played(Reading& at) {
  check_measures_path(at);
  at.settings().source.input = at.text();
  check_input(at.text());
  at.names.reads(at.text());
}

void read_frames(Reading& at) {
  check_measures_path(at);
  if (at.has("--file")) throw Error("--frames '" + at.text() + "' does not go with --file, which takes it as it is.");
  at.invocation.frames = at.whole(10, 10'000);
}

void read_file_wanted(Reading& at) {
  if (at.has("--frame")) throw Error("--frame and --file exclude each other: name one of them.");
  at.invocation.file = true;
}

void read_encode(Reading& at) {
  if (!at.has("--file")) throw Error("--encode is for bench --file.");
  at.invocation.encode = true;
}

void read_bench_sizes(Reading& at) {
  if (only_kind(at.invocation).width_name == "samples")
    throw Error("--size '" + at.text() + "' is for images and volumes. Give --samples instead.");
  read_sizes(at);
}

void read_rows_file(Reading& at) {
  at.invocation.json_file = at.text();
  check_output(at.option, at.text(), {});
  for (const std::string& spec : at.texts.options.at("--filter")) at.names.reads_file("--filter", spec);
  at.names.writes(at.option, at.text());
}

// What libraries do, of any kind. The emulated lists have every row, also where there is no nvcc.
std::vector<std::string> peer_words() {
  std::set<std::string> words;
  for (const Kind* kind : kinds())
    for (const Strategy* strategy : strategies(Backend::emulated, *kind))
      if (strategy->peer) words.emplace(strategy->id);
  return {words.begin(), words.end()};
}

Options measured_options() {
  constexpr const char* what = "What is measured";
  return joined_blocks(
      {kind_options(what, "What is filtered (default image):"),
       block(
           what, Turn::usual,
           {{"--strategy", "ID", "Only this one; repeatable, or separated by commas", read_strategies, strategy_words},
            {"--against", "ID,ID,...", "Peers to run as well and to compare with: cudnn,npp,cv-cuda", read_against,
             peer_words},
            {"--filter", "SPEC",
             "The filter; repeatable. Without it gaussian (separable) and\ndisk (not separable) of each radius",
             read_filters, filter_words},
            {"--radius", "N,N,...", "Radii (default 1,2,4,8,16)", read_radii},
            {"--taps", "N,N,...", "Random filters of one row, instead of --filter", read_taps},
            {"--samples", "N", "Samples of a signal (default 2880000, a minute at 48 kHz)", read_samples},
            {"--size", "WxH,...",
             "Sizes (default 1920x1080,3840x2160); with --frame that of the\npattern, camera or screen picture",
             read_bench_sizes},
            {"--format", "NAME,...", "rgba8, gray32f (default both)", read_formats, format_words},
            {"--border", "NAME", "zero, replicate, mirror or wrap (default replicate)", read_borders, border_words}}),
       shape_options(what), over_options(what),
       block(
           what, Turn::usual,
           {{"--tune", "NAME=NUMBER", "A tunable, like block_width=16; repeatable", read_tuning},
            {"--sweep", "", "Every tuning of every strategy, not only the initial one", sets(&Invocation::sweep)},
            {"--runs", "N", "How often each is measured (default 25 on a GPU, 7 on the CPU)",
             [](Reading& at) { at.invocation.runs = at.whole(1, most_runs); }},
            {"--statistic", "NAME", "median, with the interval that it lies in (default), or mean",
             [](Reading& at) {
               at.invocation.mean = parse_choice("statistic", at.text(), statistic_words()) == "mean";
             },
             statistic_words},
            {"--live", "", "Single launches on one pair of buffers, as the window measures, to\ncompare with its times",
             sets(&Invocation::live)},
            {"--thorough", "",
             "Also 8192x8192, where --size does not say otherwise. On a GPU also\n"
             "the floor: a kernel that only reads and writes each byte once, and\n"
             "how much of its time does not grow with the picture",
             sets(&Invocation::thorough)}})});
}

Options path_options() {
  constexpr const char* frame = "The whole path of a frame, offscreen, instead of strategies alone";
  constexpr const char* file = "A whole file, as `filter` takes it, instead of strategies alone";
  return joined_blocks(
      {block(frame, Turn::usual,
             {{"--frame", "", "Time it step by step: decode, upload, convert, strategy, interop,\ndraw, read-back",
               sets(&Invocation::frame)}}),
       block("Options", Turn::late,
             {{"INPUT", "", "With --frame: what is played (default: pattern); with\n--file: what is filtered",
               read_played}}),
       block(frame, Turn::late, {{"--frames", "N", "How many frames (default 300)", read_frames}}),
       block(file, Turn::usual,
             {{"--file", "",
               "Time it step by step: decode, up, convert, filter, convert back,\ndown, write; on the CPU and on the "
               "GPU",
               read_file_wanted},
              {"--encode", "", "Into .mp4 as well, not only into y4m that nobody reads", read_encode}})});
}

}  // namespace

Command bench_command() {
  return {
      "bench",
      "Measures strategies next to a plain copy of the same frame, over buffers rotated past the L2 cache, and checks\n"
      "every one against the reference first: only right results are reported.",
      "Examples:\n  convoscope bench --radius 1,2,4 --size 3840x2160 --format rgba8 --against cudnn,npp --json "
      "bench.json\n  convoscope bench --kind layer --shape 1,3,1080,1920,16,3 --pass forward --over M=4,16,64\n"
      "  convoscope bench --frame clip.mp4 --strategy auto --filter gaussian:radius=4\n"
      "  convoscope bench --file clip.mp4 --filter gaussian:radius=4",
      joined_blocks(
          {measured_options(), path_options(), backend_options("Machine", false),
           block("Output", Turn::output,
                 {{"--json", "FILE", "Where the rows go; without it only the table is printed", read_rows_file}}),
           block("Output", Turn::usual,
                 {{"--lines", "", "Each row as one line of JSON, the device in it, instead of tables",
                   sets(&Invocation::lines)}})})};
}

void parse_bench(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = bench_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (texts.has("--frame") || texts.has("--file")) invocation.settings = default_settings();
  Reading at{texts, invocation};
  read_turn(command.options, Turn::first, at);
  check_problem(texts, only_kind(invocation));
  read_turn(command.options, Turn::usual, at);
  if (invocation.settings.backend == BackendChoice::emulated)
    throw Error("--backend 'emulated' is never timed: its times say nothing about a GPU. Use cuda or cpu.");
  read_turn(command.options, Turn::late, at);
  read_turn(command.options, Turn::output, at);
  at.names.check();
  if (invocation.file) return read_file_bench(texts, invocation);
  if (invocation.frame) return read_frame_bench(texts, invocation);
}

}  // namespace convoscope
