#include "app/cli/options/view_option.h"

#include <algorithm>

#include "app/cli/options/options.h"
#include "app/cli/options/values.h"
#include "app/cli/options/workbench_option.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

struct ViewOption {
  std::string key, value;
  bool has_value = false;
};

ViewOption split_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, "", false};
  return {text.substr(0, equals), text.substr(equals + 1), true};
}

const std::vector<std::string>& keys_of_view(View view) {
  static const std::vector<std::string> keys[] = {
      {"pane"}, {}, {"angle", "at"}, {"panes", "mode", "gain", "threshold", "false-colour"}, {"seconds"}};
  return keys[static_cast<std::size_t>(view)];
}

std::string name_of(View view, const std::string& key) { return "--view " + std::string(to_string(view)) + ":" + key; }

int position(View view, const ViewOption& option, const std::string& text, const Settings& settings) {
  return parse_whole(name_of(view, option.key), text, 1, static_cast<int>(settings.group().panes.size())) - 1;
}

void set_lines(const ViewOption& option, Settings& settings) {
  settings.split.lines.clear();
  for (const std::string& part : split_list(option.value, '+')) {
    const double line = parse_real(name_of(View::split, "at"), part, 0, 1);
    if (!settings.split.lines.empty() && line < settings.split.lines.back())
      throw Error("--view split:at " + in_quotes(option.value) + " is not in ascending order.");
    settings.split.lines.push_back(line);
  }
  const std::size_t wanted = settings.group().panes.size() - 1;
  if (settings.split.lines.size() != wanted)
    throw Error("--view split:at " + in_quotes(option.value) + " has " + std::to_string(settings.split.lines.size()) +
                (settings.split.lines.size() == 1 ? " line" : " lines") + ", but " +
                std::to_string(settings.group().panes.size()) + (wanted == 0 ? " pane has" : " panes have") + " " +
                std::to_string(wanted) + " between them. Part several with +, like at=0.3+0.6.");
}

void set_compared(const ViewOption& option, Settings& settings) {
  const std::vector<std::string> parts = split_list(option.value, '-');
  if (parts.size() != 2)
    throw Error("--view difference:panes takes two panes, like panes=1-2, not " + in_quotes(option.value) + ".");
  settings.difference.first = position(View::difference, option, parts[0], settings);
  settings.difference.second = position(View::difference, option, parts[1], settings);
  if (settings.difference.first == settings.difference.second)
    throw Error("--view difference:panes " + in_quotes(option.value) + " names one pane twice.");
}

void apply(View view, const ViewOption& option, Settings& settings) {
  static const std::vector<std::string> modes(std::begin(difference_modes), std::end(difference_modes));
  const std::string name = name_of(view, option.key);
  const bool is_switch = option.key == "false-colour";
  if (is_switch && option.has_value) throw Error(name + " takes no value.");
  if (!is_switch && (!option.has_value || option.value.empty()))
    throw Error(name + " needs a value, like " + option.key + "=… ; see --help.");
  const auto within = [&](const Range& range) { return parse_real(name, option.value, range.low, range.high); };
  DifferenceSettings& difference = settings.difference;
  if (option.key == "pane") settings.group().active_pane = position(view, option, option.value, settings);
  if (option.key == "angle") settings.split.angle = parse_real(name, option.value, -360, 360);
  if (option.key == "at") set_lines(option, settings);
  if (option.key == "panes") set_compared(option, settings);
  if (option.key == "mode")
    difference.mode = static_cast<DifferenceMode>(
        std::ranges::find(modes, parse_choice("difference mode", option.value, modes)) - modes.begin());
  if (option.key == "gain") difference.gain = within(difference_gains);
  if (option.key == "threshold") difference.threshold = within(difference_thresholds);
  if (is_switch) difference.false_colour = true;
  if (option.key == "seconds") settings.blink_seconds = within(blink_times);
}

}  // namespace

void parse_view_option(const std::string& text, Settings& settings) {
  const std::size_t colon = text.find(':');
  settings.group().view = parse_view(text.substr(0, colon));
  if (colon == std::string::npos) return;
  for (const std::string& part : split_list(text.substr(colon + 1), ',')) {
    const ViewOption option = split_option(part);
    const std::vector<std::string>& keys = keys_of_view(settings.group().view);
    if (keys.empty())
      throw Error("--view " + std::string(to_string(settings.group().view)) + " takes no options, but was given " +
                  in_quotes(part) + ".");
    parse_choice("option of --view " + std::string(to_string(settings.group().view)), option.key, keys);
    apply(settings.group().view, option, settings);
  }
}

std::vector<PaneSettings> parse_compared(const std::string& option, const std::string& text, const PaneSettings& like,
                                         const Kind& kind) {
  // A filter has commas of its own: gaussian:radius=4,sigma=2. A part with an equals sign but no @ belongs to it.
  std::vector<std::string> entries;
  for (const std::string& part : split_list(text, ',')) {
    const bool belongs = part.find('@') == std::string::npos && part.find('=') != std::string::npos;
    if (belongs && !entries.empty() && entries.back().find('@') != std::string::npos)
      entries.back() += "," + part;
    else
      entries.push_back(part);
  }
  if (entries.size() > max_panes)
    throw Error(option + " " + in_quotes(text) + " has " + std::to_string(entries.size()) + " strategies; at most " +
                std::to_string(max_panes) + " fit side by side.");
  std::vector<PaneSettings> panes;
  for (const std::string& entry : entries) {
    const std::size_t at = entry.find('@');
    PaneSettings pane = like;
    pane.id = 0;
    pane.linked = true;
    pane.precision.reset();
    read_pane_strategy(entry.substr(0, at), kind, pane);
    if (at != std::string::npos && workbench_of(kind).has_bank) {
      pane.precision = read_pane_type(option, entry);
    } else if (at != std::string::npos) {
      if (at + 1 == entry.size())
        throw Error(option + ": there is no filter behind the @ of " + in_quotes(entry) +
                    ". Name one, as in source@sobel-magnitude, or leave the @ out.");
      pane.filter = named_filter(entry.substr(at + 1));
      pane.linked = false;
    }
    panes.push_back(pane);
  }
  return panes;
}

}  // namespace convoscope
