#include "app/cli/options/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/options/values.h"
#include "app/files/picture_limit.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

bool Texts::has(const std::string& name) const {
  if (const auto flag = flags.find(name); flag != flags.end()) return flag->second;
  const auto option = options.find(name);
  return option != options.end() && !option->second.empty();
}

std::vector<std::string> Texts::list(const std::string& name) const {
  std::vector<std::string> all;
  if (has(name))
    for (const std::string& text : options.at(name))
      for (std::string& part : split_list(text, ',')) all.push_back(std::move(part));
  return all;
}

int Reading::whole(int minimum, int maximum) const { return parse_whole(option, text(), minimum, maximum); }
double Reading::real(double minimum, double maximum) const { return parse_real(option, text(), minimum, maximum); }
Size Reading::size(int minimum) const { return parse_size(option, text(), minimum, max_side); }
bool Reading::on() const { return parse_switch(option, text()); }

namespace {

constexpr int most_arguments = 10'000;  // where there may be many

// CLI11 leaves two blank lines between groups; one is enough.
std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return text;
}

std::string too_many(const std::string& argument, const CLI::App& app, const std::vector<std::string>& takes) {
  const std::string begin = in_quotes(argument) + " is one argument too many", command = app.get_name();
  if (command == "convoscope")
    return begin + ": the window opens one INPUT. Drop several files on it, or give the folder that they are in. A " +
           "command (" + joined(command_names()) + ") comes before all else. See --help.";
  std::string taken = takes.empty() ? "options only" : "one " + takes[0];
  if (taken == "one WHAT") taken = "one of " + joined(listing_words());
  if (takes.size() > 1) taken += " and one " + takes[1];
  return begin + ": " + command + " takes " + taken + ". See " + command + " --help.";
}

void add_to(CLI::App& app, const Option& row, Texts& texts) {
  if (row.is_flag()) {
    app.add_flag(row.name, texts.flags[row.key()], row.help)->group(row.group);
    return;
  }
  CLI::Option& option = *app.add_option(row.name, texts.options[row.key()], row.help)->type_name(row.value);
  if (row.is_argument() && !row.required) {
    option.expected(0, row.many ? most_arguments : 1);
    return;
  }
  if (row.many) {
    option.expected(1, most_arguments)->required();
    return;
  }
  option.expected(1)->allow_extra_args(false);  // an INPUT after it must not be taken for a second value
  if (row.is_argument())
    option.required();
  else  // one value each time, however often it is written
    option.group(row.group)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void set_up(CLI::App& app, const Command& command, Texts& texts) {
  app.name(command.name.empty() ? "convoscope" : "convoscope " + command.name);
  app.description(command.description + "\n");
  app.footer("\n" + command.footer);
  app.get_formatter()->column_width(30);
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("REQUIRED", "");  // brackets around the others say it
  app.set_help_flag("-h,--help", "This text");
  for (const Option& row : command.options) add_to(app, row, texts);
}

}  // namespace

Options block(const char* group, Turn turn, Options rows) {
  for (Option& row : rows) {
    row.group = group;
    row.turn = turn;
  }
  return rows;
}

Options block(const char* group, Turn turn, bool Workbench::*of, Options rows) {
  for (Option& row : rows) row.of = of;
  return block(group, turn, std::move(rows));
}

Options joined_blocks(std::initializer_list<Options> blocks) {
  Options all;
  for (const Options& rows : blocks) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

std::function<void(Reading&)> sets(bool Invocation::*flag) {
  return [flag](Reading& at) { at.invocation.*flag = true; };
}

std::optional<std::string> collect(const Command& command, int argc, const char* const* argv, Texts& texts) {
  CLI::App app;
  set_up(app, command, texts);
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::vector<std::string> names{"--help"}, takes;  // INPUT, OUTPUT or WHAT
  for (const Option& row : command.options) (row.is_argument() ? takes : names).push_back(row.key());

  int plain = 0;
  const bool many = std::ranges::any_of(command.options, &Option::many);
  const int takes_plain = many ? most_arguments : static_cast<int>(takes.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {  // names follow, whatever they begin with
      plain += static_cast<int>(arguments.size() - i) - 1;
      if (plain > takes_plain) throw Error(too_many(arguments.back(), app, takes));
      break;
    }
    if (arguments[i] == "--help" || arguments[i] == "-h") return help_text(app);
    if (arguments[i] == "-V" && texts.flags.contains("--version")) arguments[i] = "--version";
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (texts.options.contains(name) && name.starts_with("--")) {
      if (name == arguments[i] && i + 1 == arguments.size()) throw Error(name + " needs a value. See --help.");
      if (name == arguments[i]) ++i;
    } else if (texts.flags.contains(name)) {
      if (name != arguments[i]) throw Error(name + " takes no value: " + in_quotes(arguments[i]) + ".");
    } else if (name.size() > 1 && name.starts_with("-")) {
      const std::string near = nearest_word(name.starts_with("--") ? name : "-" + name, names);
      const bool is_file = name == arguments[i] && name.find('.') != std::string::npos;
      throw Error("There is no option " + in_quotes(name) + ". " +
                  (is_file        ? "If it is a file, write " + in_quotes("./" + name) + "."
                   : near.empty() ? "See --help for all of them."
                                  : "Did you mean '" + near + "'?"));
    } else if (++plain > takes_plain) {
      throw Error(too_many(arguments[i], app, takes));
    }
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(arguments);
  } catch (const CLI::RequiredError&) {  // whoever reads them says what is missing
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + " See --help.");
  }
  return std::nullopt;
}

void read_turn(const Options& rows, Turn turn, Reading& at) {
  for (const Option& row : rows) {
    if (row.turn != turn || !row.read || !at.has(row.key())) continue;
    at.option = row.key();
    row.read(at);
  }
}

void read_all(const Options& rows, Reading& at) {
  for (const Turn turn : {Turn::first, Turn::input, Turn::panes, Turn::usual, Turn::late, Turn::output})
    read_turn(rows, turn, at);
}

FilterSpec named_filter(const std::string& text) {
  if (text.empty())
    throw Error("--filter is empty. Give a filter's name, a matrix or a JSON file; see convoscope list filters.");
  return parse_filter(text);
}

Options backend_options(const char* group, bool takes_emulated) {
  const auto backends = [] {
    return words_of({BackendChoice::automatic, BackendChoice::cuda, BackendChoice::cpu, BackendChoice::emulated});
  };
  return block(
      group, Turn::usual,
      {{"--backend", "NAME",
        takes_emulated
            ? "auto, cuda, cpu, or emulated: the CUDA kernels run thread\nby thread on the CPU, for small sizes"
            : "auto, cuda or cpu",
        [](Reading& at) { at.settings().backend = parse_backend(at.text()); }, backends},
       {"--device", "N", "Number of the GPU (default 0)", [](Reading& at) {
          at.invocation.device_given = true;
          at.settings().device = at.whole(0, 255);
        }}});
}

Options safety_options(const char* group) {
  return block(
      group, Turn::usual,
      {{"--max-pixels", "N", "The largest picture that an INPUT may have, width times height\n(default 100000000)",
        [](Reading& at) { at.settings().source.max_pixels = at.whole(1, most_pixels_to_allow); }},
       {"--trust-playlists", "", "Let a playlist name files outside its own folder, and an .sdp\nfile addresses",
        [](Reading& at) { at.settings().source.trust_playlists = true; }}});
}

std::vector<std::string> command_names() {
  return {"list",   "verify", "compute", "listing",    "bench",  "experiment", "report",
          "filter", "lesson", "grade",   "new-kernel", "doctor", "help"};
}

std::vector<std::string> filter_words() {
  std::vector<std::string> out;
  for (const FilterKind& kind : filter_kinds()) out.emplace_back(kind.id);
  return out;
}

std::vector<std::string> strategy_words() { return strategy_ids(); }
std::vector<std::string> border_words() { return names_of(all_borders); }
std::vector<std::string> format_words() { return words_of({PixelFormat::rgba8, PixelFormat::gray32f}); }
std::vector<std::string> precision_words() { return names_of(all_precisions); }
std::vector<std::string> layout_words() { return names_of(all_layouts); }

}  // namespace convoscope
