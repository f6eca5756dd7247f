// The options of the program itself.
#include <algorithm>
#include <utility>

#include "app/cli/commands/text_table.h"
#include "app/cli/options/lesson_words.h"
#include "app/cli/options/options.h"
#include "app/cli/options/recording_options.h"
#include "app/cli/options/sound_option.h"
#include "app/cli/options/values.h"
#include "app/cli/options/view_option.h"
#include "app/cli/options/workbench_option.h"
#include "app/files/paths.h"
#include "app/media/sources/source.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::size_t help_columns = 66;  // beside the names of the options

const char* const examples = R"(
Subcommands (each has its own --help; a file of such a name is opened as ./list):
  list                        What there is: strategies, filters, banks, workbenches, sources,
                              cameras …, devices
  verify                      Check every strategy against the reference
  compute                     Numbers in, numbers out, by any strategy
  listing STRATEGY            The source of a strategy
  bench                       Measure strategies against a copy and against each other
  experiment [WHAT]           Strategies through several problems, from a file
  report FILE...              One page of what bench and experiment have written
  filter INPUT OUTPUT         Filter a whole file into another, sound and times kept
  lesson WHAT                 Lessons for a class: list, run, check, export, results
  grade KERNEL...             Say whether CUDA kernels of your own are right, and why not
  new-kernel KERNEL           Write one to begin with
  doctor                      What this machine can do, and what would let it do more
  help COMMAND                The options of one of these
  help --man                  All of this as a manual page
  help --completion SHELL     A script that completes it in bash, zsh or fish

Examples:
  convoscope                                          the moving test pattern
  convoscope clip.mp4 --filter gaussian:radius=8      a file, blurred
  convoscope camera --filter sobel-x --border mirror  edges, live
  convoscope clip.mp4 --compare source,constant,separable --view grid
  convoscope clip.mp4 --workbench time --reach 2      each frame with the two before and after it
  convoscope clip.mp4 --sound low-pass:cutoff=800     its sound, as through a wall
  convoscope camera --bank gabor --maps 9             nine feature maps of a convolutional layer
  convoscope clip.mp4 --offscreen --frames 200 --screenshot a.png --stats a.json

Exit codes: 0 done, 1 a check failed, 2 bad arguments, input or output, 3 done in part, 128 + n ended properly by
signal n (130 by Ctrl+C). Done in part means that the input was cut off or is damaged, that its pictures change their
size, or that who read the video or the statistics on standard output stopped reading. Where who reads any other text
stops reading (| head), SIGPIPE ends the program, as is usual: 141 in a shell. Once the N frames of --frames were shown,
the code is 0, also where the input is damaged or was played more than once.)";

// A mistyped command reads as the name of a file.
void check_is_no_command(const std::string& input) {
  std::error_code error;
  if (input.find_first_of("./:") != std::string::npos || std::filesystem::exists(input, error)) return;
  if (names_no_file(input)) return;
  const std::vector<std::string> names = command_names();
  if (std::ranges::find(names, input) != names.end())
    throw Error("A command comes first, and then its options: convoscope " + input + " …");
  if (const std::string near = nearest_word(input, names); !near.empty())
    throw Error("There is no file or command " + in_quotes(input) + ". Did you mean '" + near + "'?");
}

void read_input(Reading& at) {
  Settings& settings = at.settings();
  const std::string before = std::exchange(settings.source.input, expand_home(at.text()));
  if (settings.source.input != before) {  // a place in another picture
    settings.zoom = {};
    settings.inspect.pinned.reset();
  }
  at.invocation.input_given = true;
  check_is_no_command(settings.source.input);
  check_input(settings.source.input);
}

// --strategy and --compare: however often --compare is written.
void read_panes(Reading& at) {
  const bool compares = at.has("--compare");
  if (compares && at.has("--strategy"))
    throw Error("--strategy '" + at.texts.last("--strategy") + "' and --compare '" + at.texts.last("--compare") +
                "' exclude each other. Add the strategy to the list of --compare.");
  Settings& settings = at.settings();
  PaneSettings pane = settings.active();
  pane.tuning.clear();
  std::string ids;
  for (const std::string& part : at.texts.options.at(at.option))
    ids = compares && !ids.empty() ? ids + "," + part : part;
  settings.group().panes = parse_compared(at.option, ids, pane, *work_of(settings).kind);
  settings.group().active_pane = settings.group().baseline_pane =
      0;  // the positions that were kept name panes that are gone
  settings.difference.first = 0;
  settings.difference.second = 1;
  settings.split.lines.clear();
  settings.group().view = settings.group().panes.size() > 1 ? View::grid : View::single;
  at.invocation.strategy_given = true;
  for (const std::string& one : at.texts.list("--compare"))
    if (const std::size_t sign = one.find('@'); sign != std::string::npos)
      at.names.reads_file("--compare", one.substr(sign + 1));
}

// One that --compare gave a filter of its own keeps it.
void read_filter_of_panes(Reading& at) {
  const FilterSpec filter = named_filter(at.text());
  for (PaneSettings& pane : at.settings().group().panes)
    if (pane.linked || !at.has("--compare")) pane.filter = filter;
  for (const std::string& spec : at.texts.options.at("--filter")) at.names.reads_file("--filter", spec);
}

void read_border_of_panes(Reading& at) {
  const Border border = parse_border(at.text());
  for (PaneSettings& pane : at.settings().group().panes) pane.border = border;
}

void read_tuning_of_panes(Reading& at) {
  Settings& settings = at.settings();
  const Kind& kind = *work_of(settings).kind;
  std::vector<std::string> ids;
  for (const PaneSettings& pane : settings.group().panes) ids.push_back(pane.strategy);
  const Tuning tuning = parse_tuning(at.texts.options.at("--tune"), ids, kind);
  for (PaneSettings& pane : settings.group().panes)
    for (const auto& [key, value] : tuning_for(pane.strategy, tuning, kind)) pane.tuning[key] = value;
}

std::vector<std::string> view_words() {
  return words_of({View::single, View::grid, View::split, View::difference, View::blink});
}
std::vector<std::string> theme_words() { return {"dark", "light"}; }
std::vector<std::string> show_words() { return {"help", "palette"}; }

Options picture_options() {
  constexpr const char* group = "Picture";
  return joined_blocks(
      {block(group, Turn::usual,
             {{"--filter", "SPEC",
               "A name with parameters (gaussian:radius=8,sigma=3), a matrix\n(\"0 -1 0; -1 5 -1; 0 -1 0\") or a JSON "
               "file",
               read_filter_of_panes, filter_words},
              {"--border", "NAME", "What lies outside the picture: zero, replicate, mirror or wrap",
               read_border_of_panes, border_words}}),
       block(
           group, Turn::panes,
           {{"--strategy", "ID",
             "How to compute it (default: auto, the fastest);\nsee convoscope list strategies. ID+ID+... for a "
             "network:\none for each layer, the first also for those that are left",
             read_panes, strategy_words},
            {"--compare", "ID,ID,...",
             "Several strategies side by side on the same frame; the id\n'source' is the unfiltered picture; ID@FILTER "
             "has a filter of its own,\nand of a layer ID@TYPE a type of its own",
             read_panes, strategy_words}}),
       block(group, Turn::late,
             {{"--tune", "NAME=NUMBER", "A tunable of the strategy, like block_width=16; repeatable",
               read_tuning_of_panes}}),
       block(group, Turn::usual,
             {{"--view", "NAME", "single, grid, split, difference or blink; with options, see below",
               [](Reading& at) { parse_view_option(at.text(), at.settings()); }, view_words},
              {"--format", "NAME", "Format of the pixels: rgba8 or gray32f",
               [](Reading& at) { at.settings().format = parse_format(at.text()); }, format_words}})});
}

Options source_options() {
  constexpr const char* group = "Source";
  return joined_blocks(
      {block(
           group, Turn::input,
           {{"--size", "WxH", "Size of the pattern, camera or screen picture; other sources\nhave a size of their own",
             [](Reading& at) {
               const Size size = at.size(1);
               SourceSettings& source = at.settings().source;
               if (at.invocation.input_given) check_takes_size(source.input, at.text());
               source.width = size.width;
               source.height = size.height;
             }},
            {"--rate", "FPS", "Frames a second of the pattern, camera or screen",
             [](Reading& at) { at.settings().source.rate = at.real(0.1, 1000); }},
            {"--camera-format", "NAME", "A format of the camera, such as mjpeg; see convoscope list cameras",
             [](Reading& at) { at.settings().source.camera_format = at.text(); }},
            {"--seek", "TIME", "Where to start: seconds or [hours:]minutes:seconds, below 60\nbehind a colon",
             [](Reading& at) {
               at.invocation.seek_text = at.text();
               at.invocation.seek = parse_seconds(at.option, at.text());
             }},
            {"--speed", "FACTOR", "How fast it plays: 0.1 to 4 (default 1)",
             [](Reading& at) { at.settings().playback.speed = at.real(0.1, 4); }}}),
       safety_options(group)});
}

Options display_options() {
  constexpr const char* group = "Window";
  return joined_blocks(
      {block(
           group, Turn::usual,
           {{"--window", "WxH", "Size of the window, or of the offscreen picture",
             [](Reading& at) {
               const Size size = at.size(64);
               at.invocation.window_width = size.width;
               at.invocation.window_height = size.height;
             }},
            {"--no-panels", "", "Show the pictures with their cards, and nothing beside them",
             [](Reading& at) { at.settings().show_panels = false; }},
            {"--theme", "NAME", "dark or light",
             [](Reading& at) {
               at.settings().light_theme = parse_choice("theme", at.text(), theme_words()) == "light";
             },
             theme_words},
            {"--projector", "", "Large text and thick lines, for the back of a room",
             [](Reading& at) { at.settings().projector = true; }},
            {"--show", "NAME", "What is open at first: help or palette (of commands)",
             [](Reading& at) { at.invocation.shown_page = parse_choice("window to --show", at.text(), show_words()); },
             show_words},
            {"--lesson", "NAME", "Begin with the card of this lesson; see convoscope lesson list",
             [](Reading& at) { at.invocation.lesson.name = at.text(); }, lesson_words},
            {"--pack", "FOLDER", "Somebody else's lessons in place of the program's own",
             [](Reading& at) { at.invocation.lesson.pack = at.text(); }}}),
       block(group, Turn::first,
             {{"--offscreen", "",
               "Draw the very same picture without a display; every frame of the\nINPUT once, with the program's own "
               "settings instead of yours",
               sets(&Invocation::offscreen)},
              {"--realtime", "", "Offscreen, but paced by the clock like a window", sets(&Invocation::realtime)}}),
       block(group, Turn::usual, {{"--frames", "N", "End after N frames", [](Reading& at) {
                                     at.invocation.frames = at.whole(1, 1'000'000'000);
                                   }}})});
}

Options session_options() {
  return block("Session", Turn::first,
               {{"--session", "FILE",
                 "Begin with the session in a saved file, a screenshot or a\nrecording, and not where the "
                 "last run ended",
                 [](Reading& at) {
                   at.beginning.session = at.text();
                   at.names.reads_file("--session", at.text());
                 }},
                {"--reset", "", "Begin with the defaults; what was kept before is set aside",
                 [](Reading& at) { at.beginning.reset = true; }}});
}

Options output_options() {
  constexpr const char* group = "Output";
  return joined_blocks(
      {recording_options(group),
       block(group, Turn::output,
             {{"--screenshot", "FILE", "Save the last picture as .png",
               [](Reading& at) { at.invocation.screenshot = output_file(at, {".png"}); }},
              {"--stats", "FILE", "Save timings and counters as .json; - writes them to standard output",
               [](Reading& at) { at.invocation.stats = output_file(at, {}); }}}),
       block(group, Turn::first,
             {{"--verbose", "", "Say more on stderr", sets(&Invocation::verbose)},
              {"-V,--version", "", "Print the version and end",
               [](Reading& at) { at.invocation.text = "convoscope " CONVOSCOPE_VERSION "\n"; }}})});
}

// Every pane has a valid filter, whatever a session brought.
void make_valid(Settings& settings) {
  if (settings.group().panes.empty()) settings.group().panes = default_settings().group().panes;
  for (PaneSettings& pane : settings.group().panes)
    if (pane.filter.filter.weights.empty()) pane.filter = default_settings().group().panes[0].filter;
  settings.group().active_pane =
      std::clamp(settings.group().active_pane, 0, static_cast<int>(settings.group().panes.size()) - 1);
}

// --offscreen, --session and the like decide what there is before the other options change it.
void begin_with(const FirstSettings& first, Reading& at) {
  Beginning& beginning = at.beginning;
  Invocation& invocation = at.invocation;
  beginning.offscreen = invocation.offscreen;
  if (at.has("INPUT")) beginning.input = at.texts.last("INPUT");
  if (beginning.reset && beginning.session)
    throw Error(
        "--reset and --session exclude each other: one begins with the defaults, the other with a saved session.");
  Settings& settings = invocation.settings = first(beginning);
  make_valid(settings);
  if (settings.window_width > 0) invocation.window_width = settings.window_width;
  if (settings.window_height > 0) invocation.window_height = settings.window_height;
}

}  // namespace

Command window_command() {
  return {"",
          "An oscilloscope for convolution kernels: filters live video with a strategy of your choice and\n"
          "shows what each kernel costs.",
          view_option_help + std::string(examples),
          joined_blocks({block("Options", Turn::input,
                               {{"INPUT", "",
                                 in_lines("What to play: " + input_forms(known_sources()) +
                                              " (default: " + SourceSettings().input + "); see convoscope list sources",
                                          help_columns),
                                 read_input}}),
                         workbench_options(), picture_options(), sound_options(), source_options(),
                         backend_options("Machine"),
                         block("Machine", Turn::usual,
                               {{"--no-vsync", "", "Draw as fast as the machine can",
                                 [](Reading& at) { at.settings().vsync = false; }}}),
                         display_options(), session_options(), output_options()})};
}

void parse_window(int argc, const char* const* argv, const FirstSettings& first, Invocation& invocation) {
  const Command command = window_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  const Options& rows = command.options;
  Reading at{texts, invocation};
  read_turn(rows, Turn::first, at);
  if (invocation.text) return;
  begin_with(first, at);
  Settings& settings = invocation.settings;
  read_turn(rows, Turn::input, at);
  const bool named = show_named_workbench(at);
  read_turn(rows, Turn::panes, at);
  if (named) keep_map_within_bank(settings);
  invocation.view_given =
      invocation.strategy_given || texts.has("--filter") || texts.has("--view") || names_workbench(texts);
  read_turn(rows, Turn::usual, at);
  check_workbench(texts, settings);
  read_turn(rows, Turn::late, at);
  at.names.reads(settings.source.input);                               // also one that a session brings
  at.names.reads_file_or_folder("the layer", settings.layer.network);  // the same
  read_turn(rows, Turn::output, at);
  at.names.check();
}

}  // namespace convoscope
