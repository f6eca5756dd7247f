// The options of the program itself, and which parser a command line is for.
#include "app/cli/arguments.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/cli/command_tables.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/options/options.h"
#include "app/cli/options/output_names.h"
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

const std::vector<std::string> command_names{"list", "verify", "bench", "filter", "doctor", "help"};

// The choices of a recording that is asked for here, not those that were made in the window.
void read_recording(const Texts& texts, Invocation& invocation) {
  RecordingChoices& choices = invocation.settings.recording;
  for (const char* name :
       {"--record-panels", "--record-size", "--record-codec", "--record-quality", "--record-rate", "--record-sound"})
    if (texts.has(name) && !invocation.record)
      throw Error(std::string(name) + " says how to record, but there is no --record FILE.");
  if (!invocation.record) return;
  const RecordingChoices kept = choices;
  choices = {};
  choices.keep_last_seconds = kept.keep_last_seconds;
  choices.folder = kept.folder;
  choices.name = kept.name;
  if (texts.has("--record-size")) {
    const std::vector<std::string> sizes{"window", "source"};
    choices.source_size = parse_choice("size to record", texts.last("--record-size"), sizes) == "source";
    choices.with_panels = false;
  }
  if (texts.has("--record-panels")) {
    choices.with_panels = parse_switch("--record-panels", texts.last("--record-panels"));
    if (choices.with_panels && texts.has("--record-size"))
      throw Error(
          "--record-size '" + texts.last("--record-size") +
          "' is for the picture alone, because the panels are as large as the window. Leave out --record-panels on.");
  }
  if (texts.has("--record-codec")) choices.codec = parse_codec(texts.last("--record-codec"));
  if (texts.has("--record-quality")) choices.quality = parse_quality(texts.last("--record-quality"));
  if (texts.has("--record-rate")) choices.rate = parse_real("--record-rate", texts.last("--record-rate"), 0.1, 1000);
  if (texts.has("--record-sound")) choices.sound = parse_switch("--record-sound", texts.last("--record-sound"));
  const std::string extension = invocation.record->extension().string();
  if (choices.codec == RecordingCodec::ffv1 && extension != ".mkv" && extension != ".MKV")
    throw Error("--record-codec ffv1 needs a file that ends in .mkv, not '" + invocation.record->string() + "'.");
}

// A mistyped command reads as the name of a file.
void check_is_no_command(const std::string& input) {
  std::error_code error;
  if (input.find_first_of("./:") != std::string::npos || std::filesystem::exists(input, error)) return;
  if (names_no_file(input)) return;
  if (std::ranges::find(command_names, input) != std::ranges::end(command_names))
    throw Error("A command comes first, and then its options: convoscope " + input + " …");
  if (const std::string near = nearest_word(input, command_names); !near.empty())
    throw Error("There is no file or command " + in_quotes(input) + ". Did you mean '" + near + "'?");
}

}  // namespace

void describe_window(CLI::App& app, Texts& texts) {
  app.name("convoscope");
  app.description(
      "An oscilloscope for convolution kernels: filters live video with a strategy of your choice and\n"
      "shows what each kernel costs.\n");
  format_app(app);
  app.add_option("INPUT", texts.options["INPUT"],
                 in_lines("What to play: " + input_forms(known_sources()) + " (default: " + SourceSettings().input +
                              "); see convoscope list sources",
                          help_columns))
      ->type_name("")
      ->expected(0, 1);

  add_workbench(app, texts, "Workbench");

  constexpr const char* picture = "Picture";
  option(app, texts, "--filter", "SPEC", picture,
         "A name with parameters (gaussian:radius=8,sigma=3), a matrix\n(\"0 -1 0; -1 5 -1; 0 -1 0\") or a JSON file");
  option(app, texts, "--border", "NAME", picture, "What lies outside the picture: zero, replicate, mirror or wrap");
  option(app, texts, "--strategy", "ID", picture,
         "How to compute it (default: auto, the fastest);\nsee convoscope list strategies. ID+ID+... for a "
         "network:\none for each layer, the first also for those that are left");
  option(
      app, texts, "--compare", "ID,ID,...", picture,
      "Several strategies side by side on the same frame; the id\n'source' is the unfiltered picture; ID@FILTER has a "
      "filter of its own,\nand of a layer ID@TYPE a type of its own");
  option(app, texts, "--tune", "NAME=NUMBER", picture, "A tunable of the strategy, like block_width=16; repeatable");
  option(app, texts, "--view", "NAME", picture, "single, grid, split, difference or blink; with options, see below");
  option(app, texts, "--format", "NAME", picture, "Format of the pixels: rgba8 or gray32f");

  add_sound(app, texts, "Sound");

  constexpr const char* source = "Source";
  option(app, texts, "--size", "WxH", source,
         "Size of the pattern, camera or screen picture; other sources\nhave a size of their own");
  option(app, texts, "--rate", "FPS", source, "Frames a second of the pattern, camera or screen");
  option(app, texts, "--camera-format", "NAME", source,
         "A format of the camera, such as mjpeg; see convoscope list cameras");
  option(app, texts, "--seek", "TIME", source,
         "Where to start: seconds or [hours:]minutes:seconds, below 60\nbehind a colon");
  option(app, texts, "--speed", "FACTOR", source, "How fast it plays: 0.1 to 4 (default 1)");
  add_safety(app, texts, source);

  constexpr const char* machine = "Machine";
  add_backend(app, texts, machine);
  flag(app, texts, "--no-vsync", machine, "Draw as fast as the machine can");

  constexpr const char* window = "Window";
  option(app, texts, "--window", "WxH", window, "Size of the window, or of the offscreen picture");
  flag(app, texts, "--no-panels", window, "Show the pictures with their cards, and nothing beside them");
  option(app, texts, "--theme", "NAME", window, "dark or light");
  flag(app, texts, "--projector", window, "Large text and thick lines, for the back of a room");
  option(app, texts, "--show", "NAME", window, "What is open at first: help or palette (of commands)");
  flag(app, texts, "--offscreen", window,
       "Draw the very same picture without a display; every frame of the\nINPUT once, with the program's own settings "
       "instead of yours");
  flag(app, texts, "--realtime", window, "Offscreen, but paced by the clock like a window");
  option(app, texts, "--frames", "N", window, "End after N frames");

  constexpr const char* session = "Session";
  option(app, texts, "--session", "FILE", session,
         "Begin with the session in a saved file, a screenshot or a\nrecording, and not where the last run ended");
  flag(app, texts, "--reset", session, "Begin with the defaults; what was kept before is set aside");

  constexpr const char* output = "Output";
  option(app, texts, "--record", "FILE", output, "Record what is shown as .mp4 or .mkv");
  option(app, texts, "--record-panels", "on|off", output, "Panels and labels too (default), or the picture alone");
  option(app, texts, "--record-size", "NAME", output, "Size of the picture alone: window (default) or source");
  option(app, texts, "--record-codec", "NAME", output,
         "auto (default), h264, hevc or ffv1 (without loss, .mkv);\nNVENC where the GPU has it");
  option(app, texts, "--record-quality", "NAME", output, "small, good (default) or best: size against detail");
  option(app, texts, "--record-rate", "FPS", output, "The most pictures a second (default: as the source)");
  option(app, texts, "--record-sound", "on|off", output, "Copy the sound of a file (default: on)");
  option(app, texts, "--screenshot", "FILE", output, "Save the last picture as .png");
  option(app, texts, "--stats", "FILE", output, "Save timings and counters as .json; - writes them to standard output");
  flag(app, texts, "--verbose", output, "Say more on stderr");
  app.add_flag("-V,--version", texts.flags["--version"], "Print the version and end")->group(output);

  app.footer("\n" + std::string(view_option_help) + R"(
Subcommands (each has its own --help; a file of such a name is opened as ./list):
  list                        What there is: strategies, filters, banks, workbenches, sources,
                              cameras …, devices
  verify                      Check every strategy against the reference
  bench                       Measure strategies against a copy and against each other
  filter INPUT OUTPUT         Filter a whole file into another, sound and times kept
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

Exit codes: 0 done, 1 a check failed, 2 bad arguments, input or output, 3 done in part (the input was cut off or is
damaged, its pictures change their size, or who read the video or the statistics on standard output stopped reading),
128 + n ended properly by signal n: 130 by Ctrl+C. Where who reads any other text stops reading (| head), SIGPIPE ends
the program, as is usual: 141 in a shell. Once the N frames of --frames were shown, the code is 0, also where the
input is damaged or was played more than once.)");
}

void parse_window(int argc, const char* const* argv, const FirstSettings& first, Invocation& invocation) {
  CLI::App app;
  Texts texts;
  describe_window(app, texts);
  if ((invocation.text = collect(app, argc, argv, texts))) return;
  if (texts.flags["--version"]) {
    invocation.text = "convoscope " CONVOSCOPE_VERSION "\n";
    return;
  }
  invocation.verbose = texts.flags["--verbose"];
  invocation.offscreen = texts.flags["--offscreen"];
  invocation.realtime = texts.flags["--realtime"];
  Beginning beginning{invocation.offscreen, texts.flags["--reset"], std::nullopt, std::nullopt};
  if (texts.has("--session")) beginning.session = texts.last("--session");
  if (texts.has("INPUT")) beginning.input = texts.last("INPUT");
  if (beginning.reset && beginning.session)
    throw Error(
        "--reset and --session exclude each other: one begins with the defaults, the other with a saved session.");
  invocation.settings = first(beginning);
  Settings& settings = invocation.settings;
  if (settings.panes.empty()) settings.panes = default_settings().panes;
  for (PaneSettings& pane : settings.panes)
    if (pane.filter.filter.weights.empty()) pane.filter = default_settings().panes[0].filter;
  settings.active_pane = std::clamp(settings.active_pane, 0, static_cast<int>(settings.panes.size()) - 1);

  if (texts.options["INPUT"].size() > 0) {
    const std::string before = std::exchange(settings.source.input, expand_home(texts.last("INPUT")));
    if (settings.source.input != before) {  // a place in another picture
      settings.zoom = {};
      settings.inspect.pinned.reset();
    }
    invocation.input_given = true;
    check_is_no_command(settings.source.input);
    check_input(settings.source.input);
  }
  if (texts.has("--size")) {
    const Size size = parse_size("--size", texts.last("--size"), 1, max_side);
    if (invocation.input_given) check_takes_size(settings.source.input, texts.last("--size"));
    settings.source.width = size.width;
    settings.source.height = size.height;
  }
  if (texts.has("--rate")) settings.source.rate = parse_real("--rate", texts.last("--rate"), 0.1, 1000);
  if (texts.has("--camera-format")) settings.source.camera_format = texts.last("--camera-format");
  if (texts.has("--seek")) {
    invocation.seek_text = texts.last("--seek");
    invocation.seek = parse_seconds("--seek", invocation.seek_text);
  }
  if (texts.has("--speed")) settings.playback.speed = parse_real("--speed", texts.last("--speed"), 0.1, 4);

  if (texts.has("--strategy") && texts.has("--compare"))
    throw Error("--strategy '" + texts.last("--strategy") + "' and --compare '" + texts.last("--compare") +
                "' exclude each other. Add the strategy to the list of --compare.");
  invocation.strategy_given = texts.has("--strategy") || texts.has("--compare");
  invocation.view_given =
      invocation.strategy_given || texts.has("--filter") || texts.has("--view") || names_workbench(texts);
  read_workbench(texts, settings, invocation.remarks);
  const Kind& kind = *work_of(settings).kind;
  if (invocation.strategy_given) {
    PaneSettings pane = settings.active();
    pane.tuning.clear();
    const std::string option = texts.has("--compare") ? "--compare" : "--strategy";
    std::string ids;  // however often --compare is written
    for (const std::string& part : texts.options[option])
      ids = texts.has("--compare") && !ids.empty() ? ids + "," + part : part;
    settings.panes = parse_compared(option, ids, pane, kind);
    settings.active_pane = settings.baseline_pane = 0;  // the positions that were kept name panes that are gone
    settings.difference.first = 0;
    settings.difference.second = 1;
    settings.split.lines.clear();
    settings.view = settings.panes.size() > 1 ? View::grid : View::single;
  }
  if (texts.has("--view")) parse_view_option(texts.last("--view"), settings);
  if (texts.has("--format")) settings.format = parse_format(texts.last("--format"));
  if (texts.has("--filter")) {
    const FilterSpec filter = named_filter(texts.last("--filter"));
    // One that --compare gave a filter of its own keeps it.
    for (PaneSettings& pane : settings.panes)
      if (pane.linked || !texts.has("--compare")) pane.filter = filter;
  }
  read_sound(texts, settings);
  if (texts.has("--border")) {
    const Border border = parse_border(texts.last("--border"));
    for (PaneSettings& pane : settings.panes) pane.border = border;
  }
  read_reach(texts, settings);
  check_workbench(texts, settings);
  if (texts.has("--tune")) {
    std::vector<std::string> ids;
    for (const PaneSettings& pane : settings.panes) ids.push_back(pane.strategy);
    const Tuning tuning = parse_tuning(texts.options.at("--tune"), ids, kind);
    for (PaneSettings& pane : settings.panes)
      for (const auto& [key, value] : tuning_for(pane.strategy, tuning, kind)) pane.tuning[key] = value;
  }

  read_backend(texts, invocation);
  read_safety(texts, settings);
  if (texts.flags["--no-vsync"]) settings.vsync = false;
  if (texts.flags["--no-panels"]) settings.show_panels = false;
  if (texts.has("--theme"))
    settings.light_theme =
        parse_choice("theme", texts.last("--theme"), std::vector<std::string>{"dark", "light"}) == "light";
  if (texts.flags["--projector"]) settings.projector = true;
  if (texts.has("--show")) {
    const std::string what =
        parse_choice("window to --show", texts.last("--show"), std::vector<std::string>{"help", "palette"});
    (what == "help" ? settings.show_help : settings.show_palette) = true;
  }
  if (settings.window_width > 0) invocation.window_width = settings.window_width;
  if (settings.window_height > 0) invocation.window_height = settings.window_height;
  if (texts.has("--window")) {
    const Size size = parse_size("--window", texts.last("--window"), 64, max_side);
    invocation.window_width = size.width;
    invocation.window_height = size.height;
  }
  if (texts.has("--frames")) invocation.frames = parse_whole("--frames", texts.last("--frames"), 1, 1'000'000'000);
  OutputNames names;
  names.reads(settings.source.input);  // also one that a session brings
  for (const std::string& spec : texts.options["--filter"]) names.reads_file("--filter", spec);
  if (texts.has("--bank")) names.reads_file_or_folder("--bank", expand_home(texts.last("--bank")));
  names.reads_file_or_folder("the layer", settings.layer.network);  // that a session brings
  if (texts.has("--session")) names.reads_file("--session", texts.last("--session"));
  for (const std::string& one : texts.list("--compare"))
    if (const std::size_t at = one.find('@'); at != std::string::npos)
      names.reads_file("--compare", one.substr(at + 1));
  const auto output_file = [&](const char* name,
                               std::vector<std::string> extensions) -> std::optional<std::filesystem::path> {
    if (!texts.has(name)) return std::nullopt;
    const std::filesystem::path path = texts.last(name);
    check_output(name, path, extensions);
    names.writes(name, path);
    return path;
  };
  invocation.record = output_file("--record", {".mp4", ".mkv"});
  read_recording(texts, invocation);
  invocation.screenshot = output_file("--screenshot", {".png"});
  invocation.stats = output_file("--stats", {});
  names.check();
}

Invocation parse_arguments(int argc, const char* const* argv, const Settings& defaults) {
  return parse_arguments(
      argc, argv, [&](const Beginning& beginning) { return beginning.offscreen ? default_settings() : defaults; });
}

Invocation parse_arguments(int argc, const char* const* argv, const FirstSettings& first) {
  Invocation invocation;
  const std::string_view command = argc > 1 ? argv[1] : "";
  // Apps of their own instead of CLI11's subcommands, so that options are known exactly where they mean something.
  if (command == "list") {
    invocation.command = Invocation::Command::list;
    parse_list(argc - 1, argv + 1, invocation);
  } else if (command == "doctor") {
    invocation.command = Invocation::Command::doctor;
    parse_doctor(argc - 1, argv + 1, invocation);
  } else if (command == "help" && argc == 3 && argv[2] == std::string_view("--man")) {
    invocation.command = Invocation::Command::manual;
  } else if (command == "help" && argc == 3 && argv[2] == std::string_view("--completion")) {
    throw Error("--completion needs a shell: bash, zsh or fish.");
  } else if (command == "help" && argc == 4 && argv[2] == std::string_view("--completion")) {
    invocation.text = completion_script(argv[3]);
  } else if (command == "help") {
    if (argc > 3) throw Error("help takes only one command. See --help.");
    const std::string about = argc > 2 ? parse_choice("command", argv[2], command_names) : std::string();
    const bool whole = about.empty() || about == "help";
    const char* const words[] = {argv[0], whole ? "--help" : about.c_str(), "--help"};
    return parse_arguments(whole ? 2 : 3, words, first);
  } else if (command == "verify") {
    invocation.command = Invocation::Command::verify;
    parse_verify(argc - 1, argv + 1, invocation);
  } else if (command == "bench") {
    invocation.command = Invocation::Command::bench;
    parse_bench(argc - 1, argv + 1, invocation);
  } else if (command == "filter") {
    invocation.command = Invocation::Command::filter;
    parse_filter_file(argc - 1, argv + 1, invocation);
  } else {
    parse_window(argc, argv, first, invocation);
  }
  return invocation;
}

}  // namespace convoscope
