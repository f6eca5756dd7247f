// The convolutional layer: its bank, its shape, every weight of it, and how its feature maps are seen.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "app/state/network_settings.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/menus/command_menus.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/network_bar.h"
#include "app/ui/weights/bank_grid.h"
#include "app/ui/weights/weight_grid.h"

namespace convoscope::ui {
namespace {

void whole_slider(const char* id, int& value, const Range& range) {
  slider(id, &value, static_cast<int>(range.low), static_cast<int>(range.high), "%d");
}

std::string bank_name(const LayerSettings& layer) {
  if (const BankKind* const kind = shown_kind(layer)) return std::string(kind->title);
  if (const NetworkKind* const kind = shown_network(layer)) return std::string(kind->title);
  const std::string& name = layer.weights.name;
  return name.empty() || name == custom_bank ? "Custom" : "Custom · " + name;
}

void draw_banks(Settings& settings) {
  LayerSettings& layer = settings.layer;
  const BankKind* const shown = shown_kind(layer);
  const float width = ImGui::GetContentRegionAvail().x - 2 * (px(25) + px(4));
  if (begin_combo("##bank", bank_name(layer), width, Font::strong)) {
    for (const BankKind& kind : bank_kinds()) {
      if (list_entry(std::string(kind.title), shown == &kind)) choose_bank(layer, kind);
      mark_item("bank/" + std::string(kind.id));
      tooltip(std::string(kind.idea));
    }
    ImGui::Separator();
    draw_network_choices(settings);
    ImGui::EndCombo();
  } else {
    const NetworkKind* const network = shown_network(layer);
    tooltip(shown     ? std::string(shown->idea)
            : network ? std::string(network->idea)
                      : "Its weights were edited or come from a file.");
  }
  ImGui::SameLine(0, px(4));
  if (icon_button("previous-bank", Icon::minus, "Previous bank or network" + keys_of(action::previous_filter), false,
                  25))
    choose_next_bank(settings, -1);
  ImGui::SameLine(0, px(4));
  if (icon_button("next-bank", Icon::plus, "Next bank or network" + keys_of(action::next_filter), false, 25))
    choose_next_bank(settings, 1);
}

// A bank from a file may be beyond the slider's end: it stands there, says what there is, and changes nothing unless it
// is moved away from it.
bool bank_slider(const char* id, const char* name, int& value, int most) {
  int shown = std::min(value, most);
  const std::string format = std::string(name) + " = " + (value > most ? std::to_string(value) : "%d");
  const bool changed = slider(id, &shown, 1, most, format.c_str());
  if (changed) value = shown;
  return changed;
}

template <class Value, std::size_t Count>
void choose(const char* id, Value& value, const std::array<Value, Count>& all, const char* const (&names)[Count]) {
  int chosen = static_cast<int>(std::ranges::find(all, value) - all.begin());
  if (segmented(id, names, &chosen, "")) value = all[static_cast<std::size_t>(chosen)];
}

void draw_types(Settings& settings) {
  LayerSettings& layer = settings.layer;
  row_label("Type",
            "The number type of the input, the weights and the maps. tf32 multiplies the first 11 significant bits of "
            "float32 numbers. Sums are always float32. A strategy that does not take the type says so.");
  choose("layer-type", layer.precision, all_precisions, {"f32", "tf32", "f16"});
  row_label("In this pane",
            "The type for the active pane only, so that strategies with different types can be compared side by side. "
            "Its label names the type where it differs from the layer's.");
  constexpr std::array<std::optional<Precision>, 4> own{std::nullopt, Precision::f32, Precision::tf32, Precision::f16};
  choose("pane-type", settings.active().precision, own, {"As the layer", "f32", "tf32", "f16"});
}

void draw_shape(Settings& settings) {
  LayerSettings& layer = settings.layer;
  int maps = layer.weights.maps, size = layer.weights.width;
  const int step = layer.depthwise ? 3 : 1;
  row_label("Maps", "M: how many filters the bank has, and so how many feature maps come out." +
                        std::string(layer.depthwise ? " They come in threes, one for each colour." : ""));
  if (bank_slider("maps", "M", maps, most_maps / step * step))
    reshape_bank(layer, maps, layer.weights.width, layer.depthwise);
  row_label(
      "Filter",
      "K: each filter has K × K weights for each channel. It is odd in the banks of the catalogue, and any number in "
      "one of your own." +
          keys_of(action::larger_radius));
  if (bank_slider("filter-size", "K", size, largest_bank_filter))
    reshape_bank(layer, layer.weights.maps, size, layer.depthwise);
  if (!layer.depthwise) {
    row_label("Frames", "How many frames the layer sees at once: the last ones, each with weights of its own.");
    int frames = frames_seen(layer.weights);
    const int least = static_cast<int>(layer_frames.low), most = static_cast<int>(layer_frames.high);
    if (slider("layer-frames", &frames, least, most, "%d"))
      reshape_bank(layer, layer.weights.maps, layer.weights.width, false, std::clamp(frames, least, most));
  }
  row_label(
      "Stride",
      "How far the filter moves from one value of a map to the next: a stride of 2 halves the map's width and height.");
  whole_slider("stride", layer.stride, strides);
  row_label("Dilation", "How far apart the inputs of neighbouring weights are.");
  whole_slider("dilation", layer.dilation, dilations);

  draw_types(settings);
  row_label("Layout",
            "What lies next to a value in memory: the next column of its channel (NCHW), or the next channel (NHWC).");
  choose("layer-layout", layer.layout, all_layouts, {"NCHW", "NHWC"});

  toggle("padding", "Padding", &layer.padded,
         layer.weights.width % 2 == 0
             ? "K is even: padding puts " + std::to_string(layer.dilation * (layer.weights.width / 2)) +
                   " zeros before and as many after, so that with a stride of 1 the maps are larger than the picture. "
                   "Without them they are smaller."
             : std::string("Puts zeros around the picture, so that with a stride of 1 the maps are as large as the "
                           "picture. Without them the maps are smaller."));
  beside(toggle_width("Depthwise"));
  bool depthwise = layer.depthwise;
  if (toggle("depthwise", "Depthwise", &depthwise,
             "Each filter sees only one colour, which is a third of the work. The number of maps is then a multiple of "
             "3."))
    set_depthwise(layer, depthwise);
  beside(toggle_width("ReLU"));
  toggle("relu", "ReLU", &layer.weights.relu, "Takes max(0, …) of every value, so that nothing below zero comes out.");
}

// Whose maps are on the wall and whose weights are below.
void draw_seen_layer(LayerSettings& layer) {
  if (layer.further.empty()) return;
  row_label("Layer", "The layer whose maps are shown, and whose weights and biases are edited below.");
  const std::size_t seen = seen_layer(layer), count = layer.further.size() + 1;
  const auto name = [&](std::size_t i) { return "Layer " + std::to_string(i + 1) + " of " + std::to_string(count); };
  if (!begin_combo("##seen-layer", name(seen))) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (list_entry(name(i), i == seen)) layer.seen = static_cast<int>(i);
    mark_item("seen-layer/" + std::to_string(i + 1));
  }
  ImGui::EndCombo();
}

// One of `count`, by its number.
void choose_number(const std::string& id, int& index, int count) {
  const float buttons = 2 * (px(25) + px(4));
  int number = index + 1;
  ImGui::BeginDisabled(count < 2);
  slider(id.c_str(), &number, 1, std::max(count, 2), "%d", 0, ImGui::GetContentRegionAvail().x - buttons);
  ImGui::SameLine(0, px(4));
  if (icon_button(("previous-" + id).c_str(), Icon::minus, "The previous one", false, 25)) --number;
  ImGui::SameLine(0, px(4));
  if (icon_button(("next-" + id).c_str(), Icon::plus, "The next one", false, 25)) ++number;
  ImGui::EndDisabled();
  index = std::clamp(number, 1, count) - 1;
}

void draw_bias(LayerSettings& layer, BankChoice& chosen) {
  const std::vector<float>& biases = seen_bank(layer).biases;
  row_label("Bias", "This is added to every value of a map, before ReLU.");
  const char* const label = "This map alone";
  const float gap = px(8);
  const auto map = static_cast<std::size_t>(chosen.map);
  float bias = map < biases.size() ? biases[map] : 0;
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - toggle_width(label) - gap, px(40)));
  if (drag_number("bank-bias", &bias, 0.005f, -10, 10, "%+.3g") && std::isfinite(bias))
    set_bias(layer, chosen.own_bias ? chosen.map : -1, bias);
  ImGui::SameLine(0, gap);
  toggle("own-bias", label, &chosen.own_bias,
         "On: sets the bias of the chosen map only. Off: sets one bias for all maps.");
}

void draw_weights(const Stats& stats, Settings& settings, Requests& requests) {
  LayerSettings& layer = settings.layer;
  draw_seen_layer(layer);
  const Filter& bank = seen_bank(layer);
  const bool of_picture = seen_layer(layer) == 0;
  BankChoice& chosen = ui_state().bank_choice;
  chosen = bank_choice(bank);
  const int before = chosen.map;
  draw_bank_grid(bank, of_picture, chosen, ImGui::GetContentRegionAvail().x);
  row_label("Map", "The map whose weights are shown below. You can also click one of the small grids, or the map.");
  choose_number("bank-map", chosen.map, bank.maps);
  if (settings.wall.map >= 0 && chosen.map != before) settings.wall.map = chosen.map;
  if (of_picture && layer.stacked == 1 && channels(settings.format) == 1 && bank.channels > frames_seen(bank))
    text_dim("The picture is grey: a map's three channels are added.");
  if (!of_picture) {
    row_label("Sees map", "The map of the previous layer that these weights are for.");
    choose_number("bank-channel", chosen.channel, bank.channels);
  } else if (bank.channels == 3) {
    row_label("Colour");
    constexpr const char* colours[] = {"red", "green", "blue"};
    segmented("colour", colours, &chosen.channel, "The colour that these weights are for");
  } else {
    row_label("Sees");
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(colour_of(bank, chosen.map, chosen.channel).c_str());
  }
  const std::string why = change_weights(settings, [](FilterSpec& plane) {
    draw_weight_grid(plane, ImGui::GetContentRegionAvail().x);
    return std::string();
  });
  if (!why.empty()) ui_state().filter_error = why;
  draw_weights_menu({stats, settings, requests});
  draw_bias(layer, chosen);
}

void draw_wall(Settings& settings, const BankChoice& chosen) {
  WallSettings& wall = settings.wall;
  heading("ON THE PICTURE");
  row_label("Show",
            "Shows all maps side by side, or only one. On the picture, double-click a map to see only that one, and "
            "double-click again to see all" +
                keys_of(action::close) +
                ". As a frame, if there is a map for each colour: what goes in, and what comes out of the layers.");
  constexpr const char* choices[] = {"All maps", "One map", "As a frame"};
  const bool can_be_frame = seen_bank(settings.layer).maps == channels(settings.format);
  int shown = wall.frames && can_be_frame ? 2 : wall.map >= 0;
  if (segmented("wall-map", std::span(choices).first(can_be_frame ? 3 : 2), &shown, "")) {
    wall.frames = shown == 2;
    wall.map = shown == 1 ? chosen.map : -1;
  }
  if (shown != 2 && !colour_made(settings, 0).empty())
    text_dim("The maps are red, green and blue. As a frame, they are one picture.");
  row_label("Gain", "The values are multiplied by this before they are shown as colours.");
  const auto low = static_cast<float>(wall_gains.low), high = static_cast<float>(wall_gains.high);
  auto gain = static_cast<float>(wall.gain);
  if (slider("wall-gain", &gain, low, high, "× %.3g", ImGuiSliderFlags_Logarithmic))
    wall.gain = std::clamp<double>(gain, wall_gains.low, wall_gains.high);
  toggle("wall-colours", "Colours", &wall.colours,
         "On: orange above zero and blue below. Off: grey, with zero in the middle.");
}

void draw_layer_files(const Stats& stats, Settings& settings) {
  ImGui::BeginDisabled(!can_undo(settings));
  if (icon_button("undo", Icon::undo, undo_tip(action::undo), false, 26)) give_feedback(undo(settings), stats.now);
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(2));
  ImGui::BeginDisabled(!can_redo(settings));
  if (icon_button("redo", Icon::redo, undo_tip(action::redo), false, 26)) give_feedback(redo(settings), stats.now);
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(8));
  if (text_button("load-bank", "Load …", "Load a bank from a JSON or NumPy file" + keys_of(action::load_filter)))
    open_browser(FileBrowser::Purpose::bank);
  ImGui::SameLine(0, px(8));
  if (text_button("save-bank", "Save …", "Save this bank as a JSON or NumPy file" + keys_of(action::save_filter)))
    open_save_dialog(Saved::bank, stats, settings);
  if (settings.layer.further.empty()) return;
  const char* const save_all = "Save all …";
  beside(text_button_width(save_all));
  if (text_button("save-network", save_all, "Save all layers as a folder of NumPy files"))
    open_save_dialog(Saved::network, stats, settings);
}

void draw_layer_panel(const Stats& stats, Settings& settings, Requests& requests) {
  LayerSettings& layer = settings.layer;
  draw_banks(settings);
  if (!layer.weights.is_bank()) {
    text_dim("There are no weights yet. Choose a bank above.");
    return;
  }
  draw_shape(settings);
  const PaneSettings& pane = settings.active();
  if (const std::string why = why_invalid(pane, stats, settings); !why.empty())
    text_coloured(theme().warning, why);
  else
    text_dim(layer_text(problem_of(pane, stats, settings)));
  draw_network_layers(stats, settings);
  draw_weights(stats, settings, requests);
  draw_layer_files(stats, settings);
  draw_wall(settings, ui_state().bank_choice);
}

constexpr Control layer_controls[] = {
    {"Maps"},
    {"Filter"},
    {"Frames"},
    {"Stride"},
    {"Dilation"},
    {"Type", "precision f32 float32 tf32 f16 half"},
    {"In this pane", "type precision f32 float32 tf32 f16 half"},
    {"Layout"},
    {"Padding"},
    {"Depthwise"},
    {"ReLU"},
    {"Layer"},
    {"Bias"},
    {"This map alone"},
    {"Map"},
    {"Sees map"},
    {"Colour"},
    {"Sees"},
    {"Show"},
    {"Gain"},
    {"Colours"},
    {"Load …"},
    {"Save …"},
    {"Save all …"},
    {"All layers", "work"},
    {"First layer alone"},
};

}  // namespace

extern const Panel layer_panel{
    .id = "layer",
    .title = "Layer",
    .key = key::f(3),
    .keys = "F3",
    .action = "Layer panel",
    .draw = draw_layer_panel,
    .summary = [](const Stats&, const Settings& s) { return work_text(s.active(), s); },
    .applies = has_bank,
    .controls = layer_controls,
};

}  // namespace convoscope::ui
