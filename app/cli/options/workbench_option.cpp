#include "app/cli/options/workbench_option.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "app/cli/options/sound_option.h"
#include "app/cli/options/values.h"
#include "app/files/paths.h"
#include "app/state/network_settings.h"
#include "kernels/text/error.h"
#include "kernels/text/number_grid.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

// By its word, or by the id of its kind, which is not told of.
const Workbench& parse_workbench(const std::string& word) {
  const auto found = std::ranges::find_if(
      workbenches, [&](const Workbench& bench) { return word == bench.id || word == word_of(bench); });
  return found != workbenches.end() ? *found : workbench_of(parse_choice("workbench", word, workbench_words()));
}

std::string as_given(const Texts& texts, const std::string& option) {
  return option + " " + in_quotes(texts.last(option));
}

const Workbench* named_workbench(const Reading& at) {
  const Texts& texts = at.texts;
  const Workbench* named = at.workbench;
  for (const Option& row : workbench_options()) {
    if (!row.of || !texts.has(row.key())) continue;
    const Workbench& bench = *std::ranges::find(workbenches, true, row.of);
    if (named && named != &bench)
      throw Error(as_given(texts, row.key()) + " is for the " + word_of(bench) + " workbench, not for the " +
                  word_of(*named) + " workbench. Leave out what belongs to one of them.");
    named = &bench;
  }
  const auto given = [&](const char* option) { return texts.has(option); };
  if (!named && std::ranges::any_of(std::initializer_list{"--filter", "--border", "--strategy", "--compare"}, given))
    named = &workbenches.front();
  return named;
}

bool names_file(const std::string& text) {
  std::string end = text.substr(text.size() - std::min<std::size_t>(text.size(), 5));
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.find('/') != std::string::npos || end == ".json" || end.ends_with(".npy") || is_network_path(text);
}

// A bank that is typed: of each map a filter for each of three channels, or else of the one there is.
Filter typed_bank(const std::string& text) {
  const NumberGrid grid = parse_number_grid(text, "--bank");
  if (grid.rows != grid.columns)
    throw Error("--bank: a layer's filters are as high as they are wide; these are " + std::to_string(grid.rows) +
                " × " + std::to_string(grid.columns) + ".");
  Filter bank{.name = "typed", .width = grid.columns, .height = grid.rows, .weights = grid.values};
  bank.channels = grid.planes % 3 == 0 ? 3 : 1;
  bank.maps = grid.planes / bank.channels;
  validate_bank(bank);
  return bank;
}

void load_named_bank(const Texts& texts, LayerSettings& layer, std::vector<std::string>& remarks) {
  layer = {};  // whatever was shown last
  const bool named = texts.has("--bank");
  const std::string bank = named ? expand_home(texts.last("--bank")) : layer.bank;
  if (bank.empty()) throw Error("--bank is empty. Give a bank's name or a file; see convoscope list banks.");
  const bool network = find_network_kind(bank);
  if (named && looks_like_numbers(bank)) {
    layer.bank = custom_bank;
    layer.weights = typed_bank(bank);
    layer.depthwise = layer.weights.channels == 1;
    layer.padded = false;  // as the book's
    return;
  }
  if (named && (network || (!find_bank_kind(bank) && names_file(bank)))) {
    if (texts.has("--maps"))
      throw Error(as_given(texts, "--maps") + " does not go with a " + (network ? "network" : "file") + ": " +
                  as_given(texts, "--bank") + " itself says how many maps it has.");
    return network ? load_layer_network(bank, layer) : load_layer_bank(bank, layer, &remarks);
  }
  if (named) parse_choice("bank", bank, bank_words());
  layer.bank = bank;
  layer.weights = catalogue_bank(
      layer, texts.has("--maps") ? parse_whole("--maps", texts.last("--maps"), 1, most_maps) : first_maps);
}

// --bank with its --maps, and --maps alone.
void read_bank(Reading& at) {
  Settings& settings = at.settings();
  if (at.has("--bank") && at.option != "--bank") return;
  load_named_bank(at.texts, settings.layer, at.invocation.remarks);
  settings.wall.frames = makes_a_frame(settings.layer, settings.format);
  if (at.has("--bank") && !looks_like_numbers(at.text()))
    at.names.reads_file_or_folder("--bank", expand_home(at.text()));
}

void read_last(Reading& at) {
  LayerSettings& layer = at.settings().layer;
  const int frames = at.whole(static_cast<int>(layer_frames.low), static_cast<int>(layer_frames.high));
  if (!find_bank_kind(layer.bank) || layer.depthwise || !layer.further.empty())
    throw Error(
        as_given(at.texts, "--last") +
        " is for a bank of the catalogue that sees all colours: any other bank says itself what it sees. Name one "
        "with --bank, or leave the option out.");
  const Filter before = std::exchange(layer.weights, {});
  layer.weights = over_frames(catalogue_bank(layer, before.maps, before.width), frames);
  layer.weights.relu = before.relu;
  layer.weights.biases = before.biases;
}

void read_type(Reading& at) {
  at.settings().layer.precision = parse_named("type", at.text(), all_precisions);
  for (PaneSettings& pane : at.settings().group().panes) pane.precision.reset();  // whatever was shown last
}

void read_reach(Reading& at) {
  const int frames = at.whole(static_cast<int>(frames_around.low), static_cast<int>(frames_around.high));
  for (PaneSettings& pane : at.settings().group().panes) pane.frames = frames;
}

std::string whole_number(double value) { return std::to_string(static_cast<int>(value)); }

// A strategy of the kind, or "source". Says so where it is one of another workbench.
std::string parse_pane_strategy(const std::string& id, const Kind& kind) {
  const auto known_to = [&](const Kind& one) {
    std::vector<std::string> known = strategy_ids(one);
    known.emplace_back("source");
    return known;
  };
  const std::vector<std::string> known = known_to(kind);
  if (std::ranges::find(known, id) != known.end()) return id;
  std::string others;
  for (const Workbench& bench : workbenches)
    if (const std::vector<std::string> there = known_to(*bench.kind); std::ranges::find(there, id) != there.end())
      others += (others.empty() ? "--workbench " : " or --workbench ") + word_of(bench);
  if (!others.empty())
    throw Error("The " + word_of(workbench_of(kind)) + " workbench has no strategy " + in_quotes(id) +
                ", but another one has. Add " + others + ", or see convoscope list strategies.");
  return parse_choice("strategy", id, known);
}

}  // namespace

std::string word_of(const Workbench& bench) {
  std::string word = bench.title;
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

std::vector<std::string> workbench_words() {
  std::vector<std::string> words;
  for (const Workbench& bench : workbenches) words.push_back(word_of(bench));
  return words;
}

std::vector<std::string> bank_words() {
  std::vector<std::string> words;
  for (const BankKind& kind : bank_kinds()) words.emplace_back(kind.id);
  for (const NetworkKind& kind : network_kinds()) words.emplace_back(kind.id);
  return words;
}

Options workbench_options() {
  constexpr const char* group = "Workbench";
  return joined_blocks(
      {block(group, Turn::input,
             {{"--workbench", "NAME",
               "What the panes are about: picture, time (the last frames together)\nor layer (a bank of filters); see "
               "convoscope list workbenches",
               [](Reading& at) { at.workbench = &parse_workbench(at.text()); }, workbench_words}}),
       block(group, Turn::usual, &Workbench::over_frames,
             {{"--reach", "N",
               "Time: how many frames before and after the one that is filtered,\n" + whole_number(frames_around.low) +
                   " to " + whole_number(frames_around.high) + " (default " + whole_number(PaneSettings().frames) + ")",
               read_reach}}),
       block(group, Turn::panes, &Workbench::has_bank,
             {{"--bank", "SPEC",
               "Layer: the name of a bank or of a network of several layers, a\n.json or .npy file, or a network as a "
               ".npz or .safetensors file\nor a folder of .npy files. See convoscope list banks",
               read_bank, bank_words},
              {"--maps", "N",
               "Layer: how many feature maps, 1 to " + whole_number(most_maps) + " (default " +
                   whole_number(first_maps) + ")",
               read_bank},
              {"--last", "N",
               "Layer: how many of the last frames it sees, 1 to " + whole_number(layer_frames.high) + " (default 1)",
               read_last},
              {"--type", "NAME",
               "Layer: what its numbers are, f32, tf32 or f16 (default f32);\nsums are float32 always; --compare "
               "ID@TYPE is for a single pane",
               read_type, precision_words},
              {"--layout", "NAME", "Layer: nchw (planes, the default) or nhwc (channels side by side)",
               [](Reading& at) { at.settings().layer.layout = parse_named("layout", at.text(), all_layouts); },
               layout_words}})});
}

bool names_workbench(const Texts& texts) {
  return std::ranges::any_of(workbench_options(), [&](const Option& row) { return texts.has(row.key()); });
}

bool show_named_workbench(const Reading& at) {
  const Workbench* const named = named_workbench(at);
  if (!named) return false;
  if (named->has_bank) {
    if (at.has("--filter"))
      throw Error(as_given(at.texts, "--filter") +
                  " is not for the layer workbench, whose filters are a bank. Give --bank instead.");
    if (at.has("--border"))
      throw Error(as_given(at.texts, "--border") +
                  " is not for the layer workbench: a layer is padded with zeros. Leave it out.");
  }
  Settings& settings = at.settings();
  show_workbench(settings, named->id);
  if (!settings.layer.weights.is_bank()) settings.layer.weights = catalogue_bank(settings.layer);
  return true;
}

void keep_map_within_bank(Settings& settings) {
  if (settings.wall.map >= seen_bank(settings.layer).maps) settings.wall.map = WallSettings().map;
}

void check_workbench(const Texts& texts, const Settings& settings) {
  const Work work = work_of(settings);
  const Filter& bank = settings.layer.weights;
  const std::size_t layers = settings.layer.further.size() + 1;
  for (const PaneSettings& pane : settings.group().panes)
    if (has_bank(work) && (texts.has("--strategy") || texts.has("--compare")) && pane.layers.size() > layers)
      throw Error("A pane is given strategies for " + std::to_string(pane.layers.size()) + " layers, but the bank " +
                  (layers == 1 ? "is a single layer." : "has " + std::to_string(layers) + ".") +
                  " Name a network with --bank, or fewer strategies.");
  if (has_bank(work) && texts.has("--bank") && settings.layer.depthwise && channels(settings.format) == 3 &&
      bank.maps % 3 != 0) {
    const int fewer = bank.maps - bank.maps % 3;
    throw Error("The bank " + in_quotes(texts.last("--bank")) + " is for a single channel and has " +
                std::to_string(bank.maps) + (bank.maps == 1 ? " map" : " maps") +
                ", which cannot be shared out evenly among red, green and blue. Give it " +
                (fewer > 0 ? std::to_string(fewer) + " or " : std::string()) + std::to_string(fewer + 3) +
                " maps, or add --format gray32f: a grey picture takes any number.");
  }
  if (!over_frames(work)) return;
  for (const PaneSettings& pane : settings.group().panes) {
    const bool given = texts.has("--filter") || (texts.has("--compare") && !pane.linked);
    if (given && pane.strategy != "source" && pane.filter.filter.is_magnitude())
      throw Error("The filter " + in_quotes(spec_text(pane.filter)) +
                  " is an edge magnitude, which is made of two filters and is for single images; the time workbench "
                  "takes one filter. Give another, like sobel-x, or leave out what names that workbench.");
  }
}

void read_pane_strategy(const std::string& text, const Kind& kind, PaneSettings& pane) {
  const std::vector<std::string> ids = split_list(text, '+');
  pane.layers.clear();
  pane.strategy = parse_pane_strategy(ids.empty() ? text : ids.front(), kind);
  if (ids.size() < 2) return;
  if (!workbench_of(kind).has_bank)
    throw Error(in_quotes(text) + " names a strategy for each layer of a network, which the " +
                word_of(workbench_of(kind)) + " workbench has none of. Name one strategy, or a network with --bank.");
  for (std::size_t layer = 0; layer < ids.size(); ++layer) {
    if (parse_pane_strategy(ids[layer], kind) == "source")
      throw Error(in_quotes(text) + " names the source, which is no strategy of a layer. Leave it out.");
    if (layer > 0) choose_for_layer(pane, layer, ids[layer]);
  }
}

Precision read_pane_type(const std::string& option, const std::string& entry) {
  const std::string word = entry.substr(entry.find('@') + 1);
  const auto found = std::ranges::find(all_precisions, word, [](Precision one) { return to_string(one); });
  if (found == all_precisions.end())
    throw Error(option + " " + in_quotes(entry) + " has " + in_quotes(word) +
                " after the @, where a pane of the layer workbench has a type of its own: f32, tf32 or f16. It has no "
                "filter of its own, since all panes share one bank.");
  return *found;
}

void refuse_workbench_options(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = argv[i], name = argument.substr(0, argument.find('='));
    const auto has_name = [&](const Option& row) { return name == row.key(); };
    if (std::ranges::any_of(workbench_options(), has_name))
      throw Error("convoscope filter is for pictures, one frame at a time: " + std::string(name) +
                  " is for the window. Leave out the word filter, or the option.");
    if (std::ranges::any_of(sound_options(), has_name))
      throw Error("convoscope filter copies the sound as it is: " + std::string(name) +
                  " is for the window. Leave out the word filter, or the option.");
  }
}

}  // namespace convoscope
