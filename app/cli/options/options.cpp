#include "app/cli/options/options.h"

#include <algorithm>

#include "app/cli/options/values.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

std::vector<std::string> Texts::list(const std::string& name) const {
  std::vector<std::string> all;
  if (has(name))
    for (const std::string& text : options.at(name))
      for (std::string& part : split_list(text, ',')) all.push_back(std::move(part));
  return all;
}

namespace {

// CLI11 leaves two blank lines between groups; one is enough.
std::string help_text(const CLI::App& app) {
  std::string text = app.help();
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return text;
}

std::string too_many(const std::string& argument, const CLI::App& app, const std::vector<std::string>& takes) {
  const std::string begin = in_quotes(argument) + " is one argument too many", command = app.get_name();
  if (command == "convoscope")
    return begin + ". Only one INPUT is taken, and list, verify, bench, filter and doctor come first. See --help.";
  std::string taken = takes.empty() ? "options only" : "one " + takes[0];
  if (taken == "one WHAT") taken = "one of " + joined(listing_words());
  if (takes.size() > 1) taken += " and one " + takes[1];
  return begin + ": " + command + " takes " + taken + ". See " + command + " --help.";
}

}  // namespace

void option(CLI::App& app, Texts& texts, const std::string& name, const char* type, const char* group,
            const std::string& help) {
  // One value each time, however often it is written: an INPUT after it must not be taken for a second value.
  app.add_option(name, texts.options[name], help)
      ->type_name(type)
      ->group(group)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void flag(CLI::App& app, Texts& texts, const std::string& name, const char* group, const std::string& help) {
  app.add_flag(name, texts.flags[name], help)->group(group);
}

std::optional<std::string> collect(CLI::App& app, int argc, const char* const* argv, Texts& texts) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options())
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);

  int plain = 0;
  std::vector<std::string> takes;  // INPUT, OUTPUT or WHAT
  for (const CLI::Option* known : app.get_options())
    if (known->get_positional()) takes.push_back(known->get_name());
  const int takes_plain = static_cast<int>(takes.size());
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

void format_app(CLI::App& app) {
  app.get_formatter()->column_width(30);
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("REQUIRED", "");  // brackets around the others say it
  app.set_help_flag("-h,--help", "This text");
}

FilterSpec named_filter(const std::string& text) {
  if (text.empty())
    throw Error("--filter is empty. Give a filter's name, a matrix or a JSON file; see convoscope list filters.");
  return parse_filter(text);
}

void add_backend(CLI::App& app, Texts& texts, const char* group, bool takes_emulated) {
  option(app, texts, "--backend", "NAME", group,
         takes_emulated
             ? "auto, cuda, cpu, or emulated: the CUDA kernels run thread\nby thread on the CPU, for small sizes"
             : "auto, cuda or cpu");
  option(app, texts, "--device", "N", group, "Number of the GPU (default 0)");
}

void read_backend(const Texts& texts, Invocation& invocation) {
  Settings& settings = invocation.settings;
  if (texts.has("--backend")) settings.backend = parse_backend(texts.last("--backend"));
  invocation.device_given = texts.has("--device");
  if (invocation.device_given) settings.device = parse_whole("--device", texts.last("--device"), 0, 255);
}

void add_safety(CLI::App& app, Texts& texts, const char* group) {
  option(app, texts, "--max-pixels", "N", group,
         "The largest picture that an INPUT may have, width times height\n(default 100000000)");
  flag(app, texts, "--trust-playlists", group,
       "Let a playlist name files outside its own folder, and an .sdp\nfile addresses");
}

void read_safety(const Texts& texts, Settings& settings) {
  if (texts.has("--max-pixels"))
    settings.source.max_pixels = parse_whole("--max-pixels", texts.last("--max-pixels"), 1, 1'000'000'000);
  settings.source.trust_playlists = texts.flags.at("--trust-playlists");
}

}  // namespace convoscope
