// The options of list, verify, bench, filter and doctor.
#include <algorithm>
#include <filesystem>
#include <map>

#include "app/cli/options/options.h"
#include "app/cli/options/output_names.h"
#include "app/cli/options/problem_arguments.h"
#include "app/cli/options/values.h"
#include "app/cli/options/workbench_option.h"
#include "app/files/file_kinds.h"
#include "app/media/sources/source.h"
#include "app/media/write/file_output.h"
#include "app/media/write/picture_file.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

// bench --frame and --file: one strategy and one problem.
void read_one_problem(const Texts& texts, const std::string& flag, Invocation& invocation) {
  for (const char* name :
       {"--against", "--radius", "--taps", "--kind", "--shape", "--pass", "--type", "--layout", "--over"})
    if (texts.has(name))
      throw Error(std::string(name) + " '" + texts.last(name) + "' does not go with " + flag +
                  ", which times one strategy with one --filter.");
  if (texts.flags.at("--sweep")) throw Error("--sweep does not go with " + flag + ", which times one strategy.");
  if (texts.flags.at("--lines"))
    throw Error("--lines does not go with " + flag + ", which writes JSON to the file that --json names.");
  if (texts.flags.at("--live")) throw Error("--live does not go with " + flag + ", which is always live.");
  if (texts.flags.at("--thorough")) throw Error("--thorough does not go with " + flag + ", which times one size.");
  const auto only_one = [&](const char* name, std::size_t count) {
    if (count > 1) throw Error(std::string(name) + ": " + flag + " takes only one, not " + std::to_string(count) + ".");
  };
  only_one("--strategy", invocation.strategies.size());
  only_one("--filter", invocation.filters.size());
  only_one("--border", invocation.borders.size());
  only_one("--format", invocation.formats.size());
  only_one("--size", invocation.sizes.size());

  Settings settings = default_settings();
  settings.backend = invocation.settings.backend;
  settings.device = invocation.settings.device;
  settings.vsync = false;
  PaneSettings& pane = settings.active();
  invocation.strategy_given = !invocation.strategies.empty();
  if (invocation.strategy_given) pane.strategy = invocation.strategies[0];
  if (!invocation.filters.empty()) pane.filter = invocation.filters[0];
  if (!invocation.borders.empty()) pane.border = invocation.borders[0];
  if (!invocation.formats.empty()) settings.format = invocation.formats[0];
  pane.tuning = tuning_for(pane.strategy, invocation.tuning);
  if (texts.has("INPUT")) {
    settings.source.input = texts.last("INPUT");
    check_input(settings.source.input);
  }
  invocation.settings = settings;
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
  invocation.frames = texts.has("--frames") ? parse_whole("--frames", texts.last("--frames"), 10, 10'000) : 300;
  settings.timing_window = *invocation.frames;
  invocation.offscreen = invocation.read_back = true;
}

void read_file_bench(const Texts& texts, Invocation& invocation) {
  read_one_problem(texts, "--file", invocation);
  if (!texts.has("INPUT")) throw Error("--file needs the INPUT that is filtered: convoscope bench --file clip.mp4.");
  for (const char* name : {"--size", "--frames"})
    if (texts.has(name))
      throw Error(std::string(name) + " '" + texts.last(name) + "' does not go with --file, which takes it as it is.");
  invocation.encode = texts.flags.at("--encode");
}

}  // namespace

void describe_list(CLI::App& app, Texts& texts) {
  app.name("convoscope list");
  app.description(
      "Lists what there is: the strategies of the ladder with what theory says about one problem, the filters,\nthe "
      "banks of filters, the workbenches, the devices, the sources and what each source offers, such as\ncameras with "
      "their modes.\n");
  format_app(app);
  app.add_option("WHAT", texts.options["WHAT"], joined(listing_words()))->type_name("")->expected(0, 1);
  flag(app, texts, "--json", "Output", "JSON instead of a table");
  constexpr const char* problem = "The problem that strategies are asked about";
  add_kind(app, texts, problem, "What is filtered (default image):");
  option(app, texts, "--filter", "SPEC", problem, "The filter (default gaussian:radius=2)");
  option(app, texts, "--size", "WxH", problem, "The size (default 1920x1080)");
  option(app, texts, "--format", "NAME", problem, "rgba8 or gray32f");
  option(app, texts, "--border", "NAME", problem, "zero, replicate, mirror or wrap");
  add_shape(app, texts, problem);
  option(app, texts, "--tune", "NAME=NUMBER", problem, "A tunable, like block_width=16; repeatable");
  add_backend(app, texts, "Machine");
  app.footer("\nExample:\n  convoscope list strategies --json --filter gaussian:radius=8 --size 3840x2160");
}

void parse_list(int argc, const char* const* argv, Invocation& invocation) {
  CLI::App app;
  Texts texts;
  describe_list(app, texts);
  if ((invocation.text = collect(app, argc, argv, texts))) return;

  if (!texts.has("WHAT")) throw Error("Say what to list: " + joined(listing_words()) + ".");
  const std::string what = parse_choice("list of", texts.last("WHAT"), listing_words());
  using Listing = Invocation::Listing;
  const std::map<std::string, Listing> listings{{"strategies", Listing::strategies}, {"filters", Listing::filters},
                                                {"banks", Listing::banks},           {"workbenches", Listing::benches},
                                                {"sources", Listing::sources},       {"devices", Listing::devices}};
  const auto known = listings.find(what);
  invocation.listing = known == listings.end() ? Listing::choices : known->second;
  if (known == listings.end()) invocation.listed_source = what.substr(0, what.size() - 1);  // "cameras"
  invocation.json = texts.flags["--json"];
  read_kind(texts, invocation);
  const Kind& kind = only_kind(invocation);
  read_problem(texts, invocation);
  read_backend(texts, invocation);
  if (texts.has("--tune")) invocation.tuning = parse_tuning(texts.options.at("--tune"), strategy_ids(kind), kind);
}

void describe_verify(CLI::App& app, Texts& texts) {
  app.name("convoscope verify");
  app.description(
      "Runs strategies on images, signals, volumes and layers of odd sizes and compares every output with the "
      "reference,\ncomputed in double precision. Ends with 1 if one is outside its tolerance.\n");
  format_app(app);
  constexpr const char* what = "What is checked (default: everything that can run here)";
  add_kind(app, texts, what, "Only these, separated by commas:");
  option(app, texts, "--strategy", "ID", what, "Only this one; repeatable, or separated by commas");
  option(app, texts, "--filter", "SPEC", what, "Only this filter, of images unless --kind says otherwise; repeatable");
  option(app, texts, "--border", "NAME", what, "Only this border; repeatable");
  option(app, texts, "--format", "NAME", what, "Only rgba8 or gray32f");
  add_shape(app, texts, what);
  flag(app, texts, "--small", what, "Fewer filters and sizes");
  add_backend(app, texts, "Machine");
  flag(app, texts, "--json", "Output", "JSON instead of a table");
  flag(app, texts, "--verbose", "Output", "Every row, not only those that failed");
  app.footer(
      "\nExamples:\n  convoscope verify --strategy constant --border mirror\n  convoscope verify --backend emulated "
      "--small --json");
}

void parse_verify(int argc, const char* const* argv, Invocation& invocation) {
  CLI::App app;
  Texts texts;
  describe_verify(app, texts);
  if ((invocation.text = collect(app, argc, argv, texts))) return;

  read_kind(texts, invocation);
  read_problem(texts, invocation);
  if (invocation.kinds.empty()) invocation.kinds.assign(kinds().begin(), kinds().end());
  read_strategies(texts, "--strategy", invocation.kinds, invocation.strategies);
  read_backend(texts, invocation);
  invocation.json = texts.flags["--json"];
  invocation.small = texts.flags["--small"];
  invocation.verbose = texts.flags["--verbose"];
}

void describe_bench(CLI::App& app, Texts& texts) {
  app.name("convoscope bench");
  app.description(
      "Measures strategies next to a plain copy of the same frame, over buffers rotated past the L2 cache, and checks\n"
      "every one against the reference first: only right results are reported.\n");
  format_app(app);
  constexpr const char* what = "What is measured";
  add_kind(app, texts, what, "What is filtered (default image):");
  option(app, texts, "--strategy", "ID", what, "Only this one; repeatable, or separated by commas");
  option(app, texts, "--against", "ID,ID,...", what, "Peers to run as well and to compare with: cudnn,npp,cv-cuda");
  option(app, texts, "--filter", "SPEC", what,
         "The filter; repeatable. Without it gaussian (separable) and\ndisk (not separable) of each radius");
  option(app, texts, "--radius", "N,N,...", what, "Radii (default 1,2,4,8,16)");
  option(app, texts, "--taps", "N,N,...", what, "Random filters of one row, instead of --filter");
  option(app, texts, "--samples", "N", what, "Samples of a signal (default 2880000, a minute at 48 kHz)");
  option(app, texts, "--size", "WxH,...", what,
         "Sizes (default 1920x1080,3840x2160); with --frame that of the\npattern, camera or screen picture");
  option(app, texts, "--format", "NAME,...", what, "rgba8, gray32f (default both)");
  option(app, texts, "--border", "NAME", what, "zero, replicate, mirror or wrap (default replicate)");
  add_shape(app, texts, what);
  add_over(app, texts, what);
  option(app, texts, "--tune", "NAME=NUMBER", what, "A tunable, like block_width=16; repeatable");
  flag(app, texts, "--sweep", what, "Every tuning of every strategy, not only the initial one");
  flag(app, texts, "--live", what,
       "Single launches on one pair of buffers, as the window measures, to\ncompare with its times");
  flag(app, texts, "--thorough", what,
       "Also 8192x8192, where --size does not say otherwise, and on a GPU\n"
       "the floor: a kernel that only reads and writes each byte once, and\n"
       "how much of its time does not grow with the picture");
  constexpr const char* frame = "The whole path of a frame, offscreen, instead of strategies alone";
  flag(app, texts, "--frame", frame,
       "Time it step by step: decode, upload, convert, strategy, interop,\ndraw, read-back");
  app.add_option("INPUT", texts.options["INPUT"],
                 "With --frame: what is played (default: pattern); with\n--file: what is filtered")
      ->type_name("")
      ->expected(0, 1);
  option(app, texts, "--frames", "N", frame, "How many frames (default 300)");
  constexpr const char* file = "A whole file, as `filter` takes it, instead of strategies alone";
  flag(app, texts, "--file", file,
       "Time it step by step: decode, up, convert, filter, convert back,\ndown, write; on the CPU and on the GPU");
  flag(app, texts, "--encode", file, "Into .mp4 as well, not only into y4m that nobody reads");
  add_backend(app, texts, "Machine", false);
  option(app, texts, "--json", "FILE", "Output", "Where the rows go; without it only the table is printed");
  flag(app, texts, "--lines", "Output", "Each row as one line of JSON, the device in it, instead of tables");
  app.footer(
      "\nExamples:\n  convoscope bench --radius 1,2,4 --size 3840x2160 --format rgba8 --against cudnn,npp --json "
      "bench.json\n  convoscope bench --kind layer --shape 1,3,1080,1920,16,3 --pass forward --over M=4,16,64\n"
      "  convoscope bench --frame clip.mp4 --strategy auto --filter gaussian:radius=4\n"
      "  convoscope bench --file clip.mp4 --filter gaussian:radius=4");
}

void parse_bench(int argc, const char* const* argv, Invocation& invocation) {
  CLI::App app;
  Texts texts;
  describe_bench(app, texts);
  if ((invocation.text = collect(app, argc, argv, texts))) return;

  read_kind(texts, invocation);
  const Kind& kind = only_kind(invocation);
  read_strategies(texts, "--strategy", invocation.kinds, invocation.strategies);
  read_strategies(texts, "--against", invocation.kinds, invocation.against);
  read_problem(texts, invocation);
  read_backend(texts, invocation);
  read_rows(texts, kind, invocation);
  read_over(texts, kind, invocation);
  if (texts.has("--radius") && texts.has("--filter"))
    throw Error("--radius '" + texts.last("--radius") + "' and --filter '" + texts.last("--filter") +
                "' exclude each other. Give the radius with the filter, like gaussian:radius=4.");
  for (const std::string& text : texts.list("--radius"))
    invocation.radii.push_back(parse_whole("--radius", text, 1, max_filter_radius));
  if (invocation.settings.backend == BackendChoice::emulated)
    throw Error("--backend 'emulated' is never timed: its times say nothing about a GPU. Use cuda or cpu.");
  invocation.sweep = texts.flags["--sweep"];
  invocation.live = texts.flags["--live"];
  invocation.thorough = texts.flags["--thorough"];
  invocation.lines = texts.flags["--lines"];
  if (texts.has("--tune")) {
    std::vector<std::string> ids = invocation.strategies.empty() ? strategy_ids(kind) : invocation.strategies;
    ids.insert(ids.end(), invocation.against.begin(), invocation.against.end());
    invocation.tuning = parse_tuning(texts.options.at("--tune"), ids, kind);
  }
  if (texts.has("--json")) {
    invocation.json_file = texts.last("--json");
    check_output("--json", *invocation.json_file, {});
    OutputNames names;
    if (texts.has("INPUT")) names.reads(texts.last("INPUT"));
    for (const std::string& spec : texts.options["--filter"]) names.reads_file("--filter", spec);
    names.writes("--json", *invocation.json_file);
    names.check();
  }
  invocation.frame = texts.flags["--frame"];
  invocation.file = texts.flags["--file"];
  if (invocation.frame && invocation.file) throw Error("--frame and --file exclude each other: name one of them.");
  if (invocation.file) return read_file_bench(texts, invocation);
  if (texts.flags["--encode"]) throw Error("--encode is for bench --file.");
  if (invocation.frame) return read_frame_bench(texts, invocation);
  for (const char* name : {"INPUT", "--frames"})
    if (texts.has(name))
      throw Error(std::string(name) + " '" + texts.last(name) +
                  "' is for bench --frame and --file. Add one of them, or leave it out to measure strategies alone.");
}

void describe_filter_file(CLI::App& app, Texts& texts) {
  app.name("convoscope filter");
  app.description(
      "Filters a whole file: every frame once and by itself, with its time; sound is copied as it is, rotation is\n"
      "applied.\n");
  format_app(app);
  app.add_option("INPUT", texts.options["INPUT"], "A file, or - for y4m on standard input")
      ->type_name("")
      ->required()
      ->expected(1)
      ->allow_extra_args(false);
  app.add_option("OUTPUT", texts.options["OUTPUT"],
                 "A file that ends in .mp4, .mov, .mkv or .y4m; a picture's, in .png,\n.jpg, .webp or .tif "
                 "(frame%04d.png: one for "
                 "each); or - for y4m on\nstandard output. It is overwritten")
      ->type_name("")
      ->required()
      ->expected(1)
      ->allow_extra_args(false);
  constexpr const char* picture = "Picture";
  option(app, texts, "--filter", "SPEC", picture,
         "A name with parameters (gaussian:radius=8,sigma=3), a matrix\n(\"0 -1 0; -1 5 -1; 0 -1 0\") or a JSON file");
  option(app, texts, "--border", "NAME", picture, "What lies outside: zero, replicate (default), mirror or wrap");
  option(app, texts, "--strategy", "ID", picture,
         "How to compute it (default: the one that is likely the fastest);\nsee convoscope list strategies");
  option(app, texts, "--tune", "NAME=NUMBER", picture, "A tunable of the strategy, like block_width=16; repeatable");
  option(app, texts, "--format", "NAME", picture, "Pixels that are filtered: rgba8 (default) or gray32f");
  add_safety(app, texts, "Input");
  add_backend(app, texts, "Machine");
  flag(app, texts, "--lossless", "Output",
       "FFV1 of RGB without transparency, in .mkv; y4m is written as\n4:4:4; .png, .webp and .tif are lossless always");
  flag(app, texts, "--verbose", "Output", "Say more on stderr");
  app.footer(R"(
Times are exact in .mp4 and .mov; .mkv keeps milliseconds, and y4m has no times and no sound. 4:2:0 video needs even
sides: the last column or row of an odd one is repeated (not in .y4m, not with --lossless). Ctrl+C leaves
what is done beside OUTPUT, with .part in its name.

Examples:
  convoscope filter in.mp4 out.mp4 --filter gaussian:radius=8
  ffmpeg -i in.mov -f yuv4mpegpipe - | convoscope filter - - --filter sobel-x | ffmpeg -i - out.webm

Exit codes: 0 done, 2 bad arguments, input or output, 3 done in part (the input was cut off or is damaged, its
pictures change their size, or who read standard output stopped reading), 128 + n ended properly by signal n: 130 by
Ctrl+C.)");
}

void parse_filter_file(int argc, const char* const* argv, Invocation& invocation) {
  CLI::App app;
  Texts texts;
  describe_filter_file(app, texts);
  refuse_workbench_options(argc, argv);
  if ((invocation.text = collect(app, argc, argv, texts))) return;
  invocation.verbose = texts.flags["--verbose"];

  if (!texts.has("INPUT") || !texts.has("OUTPUT"))
    throw Error("Name an INPUT and an OUTPUT: convoscope filter in.mp4 out.mp4. See convoscope filter --help.");
  const std::string input = texts.last("INPUT"), output = texts.last("OUTPUT");
  if (input != "-") check_input(input);
  if (output != "-") {
    if (kind_of_file(output) == FileKind::sound)
      throw Error("convoscope filter writes pictures, not sound alone as in '" + output +
                  "'. Filtered sound is in a recording: convoscope INPUT --offscreen --sound low-pass:cutoff=800 "
                  "--record out.mkv; to get it out: ffmpeg -i out.mkv '" +
                  output + "'.");
    const std::vector<std::string> extensions{".mp4", ".mov",  ".mkv",  ".y4m", ".png",
                                              ".jpg", ".jpeg", ".webp", ".tif", ".tiff"};
    check_output("OUTPUT", output, extensions);
  }
  OutputNames names;
  names.reads(input);
  for (const std::string& spec : texts.options["--filter"]) names.reads_file("--filter", spec);
  names.writes("OUTPUT", output);
  if (output != "-" && names_pictures(output))
    for (const std::filesystem::path& there : source_named("sequence").files(output)) names.writes("OUTPUT", there);
  names.check();
  invocation.output = output;
  invocation.lossless = texts.flags["--lossless"];
  if (invocation.lossless && output != "-") {
    const std::vector<std::string> lossless{".mkv", ".y4m", ".png", ".webp", ".tif", ".tiff"};
    check_output("--lossless: OUTPUT", output, lossless);
  }

  Settings& settings = invocation.settings = default_settings();
  settings.source.input = input;
  PaneSettings& pane = settings.active();
  if (texts.has("--filter")) pane.filter = named_filter(texts.last("--filter"));
  if (texts.has("--border")) pane.border = parse_border(texts.last("--border"));
  if (texts.has("--format")) settings.format = parse_format(texts.last("--format"));
  invocation.strategy_given = texts.has("--strategy");
  if (invocation.strategy_given) pane.strategy = parse_choice("strategy", texts.last("--strategy"), strategy_ids());
  if (texts.has("--tune")) {
    if (!invocation.strategy_given)
      throw Error("--tune " + in_quotes(texts.last("--tune")) + " needs the --strategy that it tunes.");
    pane.tuning = parse_tuning(texts.options.at("--tune"), {pane.strategy});
  }
  read_backend(texts, invocation);
  read_safety(texts, settings);
}

void describe_doctor(CLI::App& app, Texts& texts) {
  app.name("convoscope doctor");
  app.description(
      "Tries what this machine can do, and says what each missing thing would bring. It changes nothing.\n");
  format_app(app);
  flag(app, texts, "--json", "Output", "JSON instead of sentences");
  app.footer("\nExample:\n  convoscope doctor --json > this-machine.json");
}

void parse_doctor(int argc, const char* const* argv, Invocation& invocation) {
  CLI::App app;
  Texts texts;
  describe_doctor(app, texts);
  if ((invocation.text = collect(app, argc, argv, texts))) return;
  invocation.json = texts.flags["--json"];
}

}  // namespace convoscope
