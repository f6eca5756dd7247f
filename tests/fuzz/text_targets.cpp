// What is typed: filters and command lines.
#include <cmath>
#include <set>

#include "app/cli/arguments.h"
#include "app/session/session_file.h"
#include "app/state/workbench.h"
#include "kernels/contract/data/filter.h"
#include "kernels/contract/strategy.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/text/error.h"
#include "tests/fuzz/target.h"

namespace convoscope::fuzz {
namespace {

void check_filter(const Filter& filter) {
  try {
    validate(filter);
  } catch (const Error& error) {
    throw Failure{std::string("a filter was taken that is none: ") + error.what()};
  }
}

void read_filter(const std::string& input, const Place& place) {
  try {
    const FilterSpec spec = parse_filter(input);
    check_filter(spec.filter);
    if (spec.kind != "custom" && parse_filter(spec_text(spec)) != spec)
      throw Failure{"'" + spec_text(spec) + "' is another filter than the one that it stands for"};
  } catch (const Error&) {
  }
  try {
    Filter filter = parse_matrix(input);
    check_filter(filter);
    if (parse_matrix(matrix_text(filter)).weights != filter.weights)
      throw Failure{"'" + matrix_text(filter) + "' is another matrix than the one that it stands for"};
    normalise(filter), transpose(filter), rotate_clockwise(filter), flip_horizontal(filter);
    resize(filter, 7, 1);
  } catch (const Error&) {
  }
  const Place file = place / "filter.json";
  write_file(file, input);
  try {
    const Filter filter = load_filter(file);
    check_filter(filter);
    save_filter(filter, file);
    if (load_filter(file) != filter) throw Failure{"a saved filter is another one when it is read again"};
  } catch (const Error&) {
  }
}

std::vector<std::string> filters(const Place& place) {
  std::vector<std::string> all = {"0 -1 0; -1 5 -1; 0 -1 0", "1,2,1;2,4,2;1,2,1:gain=0.0625", "1",
                                  "gaussian:radius=8,sigma=3,gain=2,bias=0.5,absolute=1"};
  for (const FilterKind& kind : filter_kinds()) {
    all.push_back(spec_text(parse_filter(std::string(kind.id))));
    const Place file = place / "seed.json";
    save_filter(parse_filter(std::string(kind.id)).filter, file);
    if (const std::string text = read_file(file); text.size() < 3000) all.push_back(text);
  }
  return all;
}

std::vector<std::string> filter_words() {
  std::vector<std::string> words = {"gain", "bias", "absolute", "weights", "weights_y", "width", "height", "name"};
  for (const FilterKind& kind : filter_kinds()) {
    words.emplace_back(kind.id);
    for (const FilterParameter& parameter : kind.parameters) words.emplace_back(parameter.id);
  }
  return words;
}

const char* const commands[] = {"", "list", "verify", "bench", "filter"};

// One argument a line.
void read_arguments(const std::string& input, const Place&) {
  std::vector<std::string> arguments = {"convoscope", ""};
  for (const char c : input) {
    if (c == '\n')
      arguments.emplace_back();
    else if (c != '\0')
      arguments.back() += c;
  }
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  const FirstSettings first = [](const Beginning& beginning) {
    return beginning.session ? open_session(*beginning.session, default_settings()).settings : default_settings();
  };
  try {
    const Invocation all = parse_arguments(static_cast<int>(arguments.size()), argv.data(), first);
    if (all.text || all.command == Invocation::Command::list) return;
    if (all.settings.group().panes.empty() || all.settings.group().panes.size() > max_panes)
      throw Failure{"so many panes"};
    if (all.command == Invocation::Command::window || all.command == Invocation::Command::filter)
      for (const PaneSettings& pane : all.settings.group().panes) check_filter(pane.filter.filter);
    for (const FilterSpec& spec : all.filters) check_filter(spec.filter);
    for (const Size& size : all.sizes)
      if (size.width <= 0 || size.height <= 0) throw Failure{"a size of nothing"};
    if (all.command == Invocation::Command::window && !all.settings.layer.weights.is_bank())
      throw Failure{"a layer without a bank"};
    if (all.window_width <= 0 || all.window_height <= 0) throw Failure{"a window of nothing"};
  } catch (const Error& error) {
    if (std::string(error.what()).empty()) throw Failure{"an error without a word"};
  }
}

std::string help_of(const std::string& command) {
  std::vector<const char*> argv = {"convoscope"};
  if (!command.empty()) argv.push_back(command.c_str());
  argv.push_back("--help");
  return parse_arguments(static_cast<int>(argv.size()), argv.data(), default_settings()).text.value_or("");
}

// The options are those that --help names.
std::vector<std::string> argument_words() {
  std::set<std::string> words = {
      "auto",     "all",        "cpu",    "emulated",      "cuda",           "16x16",
      "pattern",  "strategies", "0.5",    "radius=3",      "sobel-x",        "gaussian:radius=1e9",
      "nowhere/", "camera:1",   "-",      "pattern:zone",  "block_width=16", "1:2:3",
      "out.y4m",  "rgba8",      "mirror", "300x200,16x16", "1,2,3"};
  for (const char* command : commands) {
    words.insert(command);
    const std::string help = help_of(command);
    for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos;) {
      const std::size_t end = std::min(help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at), help.size());
      words.insert(help.substr(at, end - at));
      at = end;
    }
  }
  for (const Strategy* strategy : strategies(Backend::emulated)) words.emplace(strategy->id);
  for (const std::string& word : filter_words()) words.insert(word);
  for (const BankKind& kind : bank_kinds()) words.emplace(kind.id);
  for (const Workbench& bench : workbenches) words.emplace(bench.id);
  return {words.begin(), words.end()};
}

std::vector<std::string> command_lines(const Place& place) {
  write_file(place / "clip.mp4", "not a clip");
  write_file(place / "session.json", "{\"panes\":[{}]}");
  return {"clip.mp4\n--strategy\nconstant\n--filter\ngaussian:radius=4\n--window\n1280x720",
          "pattern\n--compare\nauto,cpu-direct,source\n--offscreen\n--frames\n3\n--stats\nstats.json",
          "pattern\n--bank\ngabor\n--maps\n9\n--strategy\ndirect",
          "pattern\n--workbench\ntime\n--reach\n2\n--filter\nbox:radius=1",
          "--session\nsession.json\n--backend\ncpu",
          "list\nfilters\n--json",
          "verify\n--strategies\nconstant,box\n--filters\nbox:radius=2\n--borders\nwrap\n--small",
          "bench\n--radii\n1,2\n--sizes\n64x64\n--json\nout.json\n--backend\ncpu\n--live",
          "filter\nclip.mp4\nout.mp4\n--filter\n1 2 1; 2 4 2; 1 2 1\n--strategy\ncpu-direct",
          "filter\n-\n-\n--filter\nsobel\n--lossless"};
}

}  // namespace

std::vector<Target> text_targets() {
  return {
      {.name = "filter", .ending = ".txt", .seeds = filters, .run = read_filter, .words = filter_words(), .json = true},
      {.name = "arguments",
       .ending = ".txt",
       .seeds = command_lines,
       .run = read_arguments,
       .words = argument_words()}};
}

}  // namespace convoscope::fuzz
