// What is heard: through which filter, computed by what, and how that keeps up.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/files/sentence.h"
#include "app/state/sound_kind.h"
#include "app/state/sound_taps.h"
#include "app/ui/actions/sound_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/sound_plots.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/stand_in.h"
#include "kernels/text/error.h"

namespace convoscope::ui {
namespace {

constexpr const char* own_taps_title = "Own taps";

double rate_of(const SoundStats& sound) { return sound.rate > 0 ? sound.rate : usual_signal_rate; }

std::string title_of(const SignalFilterSpec& spec) {
  const SignalFilterKind* const kind = find_signal_filter_kind(spec.kind);
  return kind ? std::string(kind->title) : own_taps_title;
}

void say(const char* id, const std::string& text, ImU32 ink) {
  text_coloured(ink, text);
  mark_item(id);
}

void draw_kind(SignalFilterSpec& spec, double rate) {
  row_label("Kind",
            "What the filter does to sound. Frequencies are kept or taken away by a row of taps: each sample "
            "that is heard is a weighted sum of its neighbours.");
  if (begin_combo("##sound-kind", title_of(spec), 0, Font::strong)) {
    for (const SignalFilterKind& kind : signal_filter_kinds()) {
      const bool chosen = spec.kind == kind.id;
      if (list_entry(std::string(kind.title), chosen) && !chosen) choose_sound_kind(spec, kind);
      mark_item("sound-kind/" + std::string(kind.id));
      tooltip(std::string(kind.idea));
    }
    const bool own = spec.kind == custom_taps;
    if (list_entry(own_taps_title, own) && !own) choose_own_taps(spec, rate);
    mark_item("sound-kind/custom");
    tooltip("Numbers of your own.");
    ImGui::EndCombo();
  } else if (const SignalFilterKind* const kind = find_signal_filter_kind(spec.kind)) {
    tooltip(std::string(kind->idea));
  }
}

void draw_sound_parameter(SignalFilterSpec& spec, std::size_t index, const FilterParameter& parameter) {
  const std::string id = "sound/" + std::string(parameter.id);
  row_label(std::string(parameter.title).c_str(), "Double-click or Ctrl+click to type a number.");
  double& value = spec.values[index];
  if (parameter.unit == "Hz") {
    auto hertz = static_cast<float>(value);
    if (slider(id.c_str(), &hertz, static_cast<float>(parameter.minimum), static_cast<float>(parameter.maximum),
               "%.0f Hz", ImGuiSliderFlags_Logarithmic))
      value = std::round(std::clamp(static_cast<double>(hertz), parameter.minimum, parameter.maximum));
  } else if (parameter.step == 1) {
    int whole = static_cast<int>(value);
    if (slider(id.c_str(), &whole, static_cast<int>(parameter.minimum), static_cast<int>(parameter.maximum),
               "%d samples"))
      value = std::clamp<double>(whole, parameter.minimum, parameter.maximum);
  } else {
    auto number = static_cast<float>(value);
    if (slider(id.c_str(), &number, static_cast<float>(parameter.minimum), static_cast<float>(parameter.maximum),
               "%.2f"))
      value = std::clamp(std::round(static_cast<double>(number) / parameter.step) * parameter.step, parameter.minimum,
                         parameter.maximum);
  }
}

// What is typed and is no filter stays there, with the reason, until it is mended or another filter is chosen.
void draw_own_taps(SignalFilterSpec& spec) {
  SoundTapsField& field = ui_state().sound_taps;
  if (!field.active && field.shown != spec) {
    field.shown = spec;
    const std::string text = spec_text(spec);
    field.text.resize(SoundTapsField::most);
    std::snprintf(field.text.data(), field.text.size(), "%s", text.c_str());
    field.why_not.clear();
  }
  row_label("Taps",
            "An odd number of them, up to 1,025, separated by blanks; Enter applies them. The first one weighs the "
            "earliest sample.");
  const float button = text_button_width("÷ sum"), gap = px(6);
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - button - gap, px(20)));
  text_field("sound-taps", "0.25 0.5 0.25", field.text, "");
  field.active = ImGui::IsItemActive();
  const bool typed_all = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::SameLine(0, gap);
  if (text_button("sound-taps/normalise", "÷ sum",
                  "Divides the taps by the sum of their magnitudes, so that nothing "
                  "becomes too loud")) {
    double sum = 0;
    for (const float tap : spec.taps) sum += std::abs(static_cast<double>(tap));
    if (sum > 0)
      for (float& tap : spec.taps) tap = static_cast<float>(static_cast<double>(tap) / sum);
    field.why_not.clear();
  }
  if (typed_all) {
    field.why_not.clear();
    try {
      const SignalFilterSpec typed = parse_sound_filter(field.text.data());
      if (typed.kind != custom_taps) throw Error("Write numbers here; choose named filters above");
      spec = typed;
    } catch (const Error& error) {
      field.why_not = as_sentence(error.what()) + " The previous taps are still used.";
    }
    field.shown = spec;
  }
  if (!field.why_not.empty()) say("sound-taps/why-not", field.why_not, theme().warning);
}

void draw_curves(const SignalFilterSpec& spec, double rate) {
  const SoundCurves& curves = curves_of(spec, rate);
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(10));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImVec2 from = ImGui::GetCursorScreenPos();
  const float taps_height = px(66), response_height = px(110);
  ImGui::Dummy({width, taps_height});
  mark_item("sound-curve/taps");
  double sum = 0;
  for (const float tap : curves.taps.weights) sum += static_cast<double>(tap);
  tooltip(counted(curves.taps.width, "tap") + ", together " + with_minus(format_number(sum, 4)) +
          ": each output is the sum of " + counted(curves.taps.width, "sample") +
          ", weighted by these: on the left those before it, on the right those after it.");
  draw_taps(list, from, {from.x + width, from.y + taps_height}, curves.taps);
  from = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, response_height});
  mark_item("sound-curve/response");
  tooltip("How loud each tone comes out, in dB: 0 dB is as loud as it was, −20 dB a tenth of its height.");
  const float loudest = *std::ranges::max_element(curves.response);
  const Decibels range{-100, std::max(12.0f, std::ceil((loudest - 1) / 20) * 20 + 4)};
  const PlotArea area = draw_tones(list, from, {from.x + width, from.y + response_height}, range);
  draw_curve(list, area.from, area.to, range, curves.least, false, with_alpha(theme().accent, 0.5f), px(1), 0.1f);
  draw_curve(list, area.from, area.to, range, curves.response, true, theme().accent, std::max(1.5f, px(1.5f)), 0.12f);
}

// The rate is the sound card's, whatever the file has.
void draw_duration(const SignalFilterSpec& spec, double rate) {
  const auto lasting = [&](double samples) { return with_minus(format_number(1e3 * samples / rate, 3)) + " ms."; };
  const int taps = curves_of(spec, rate).taps.width;
  std::string text = counted(taps, "tap") + (taps == 1 ? " lasts " : " last ") + lasting(taps);
  if (const SignalFilterKind* const kind = find_signal_filter_kind(spec.kind))
    for (std::size_t i = 0; i < kind->parameters.size(); ++i)
      if (kind->parameters[i].id == "delay") text = "the delay is " + lasting(spec.values[i]);
  push_font(Font::small);
  text_clipped("At " + format_number(rate / 1000, 3) + " kHz, " + text, ImGui::GetContentRegionAvail().x, theme().dim);
  mark_item("sound-duration");
  pop_font();
}

// Of the ladder as this machine has it. The emulator is too slow for sound.
Backend sound_backend(const Stats& stats) {
  return stats.device.backend == Backend::cuda ? Backend::cuda : Backend::cpu;
}

void draw_sound_strategy(const Stats& stats, SoundSettings& sound) {
  row_label("Strategy", "How the sums are computed: a row of the ladder for signals.");
  const SoundFilterStats& filter = stats.sound.filter;
  const bool at_work = sound.filtered && filter.why_not.empty();
  if (!begin_combo("##sound-strategy", strategy_name(sound.strategy, at_work ? filter.strategy : std::string())))
    return;
  const Backend backend = sound_backend(stats);
  const Filter& taps = curves_of(sound.filter, rate_of(stats.sound)).taps;
  Problem problem{.width = sound.block + taps.width - 1, .height = 2, .format = PixelFormat::gray32f};
  problem.border = Border::zero;
  problem.filter = taps;
  problem.kind = &sound_kind;
  const Device& gpu = stats.device;
  for (const StrategyRow& row : ladder_of(backend, sound_kind)) {
    const Strategy& strategy = *row.strategy;
    const Device& device = row.backend == gpu.backend ? gpu : typical_device(row.backend);
    const std::string why = row.available ? why_cannot_run(row, problem, device) : row.reason;
    ImGui::BeginDisabled(!why.empty());
    if (list_entry(std::string(strategy.id) + "  ·  " + std::string(strategy.title), sound.strategy == strategy.id))
      sound.strategy = strategy.id;
    ImGui::EndDisabled();
    mark_item("sound-strategy/" + std::string(strategy.id));
    tooltip(strategy.chooses ? "Takes the CPU strategy that is likely to be the fastest for blocks of this size."
            : why.empty()    ? std::string(strategy.idea)
                             : "Cannot run: " + as_sentence(why));
  }
  ImGui::EndCombo();
}

std::string block_text(int block, double rate) {
  return format_count(block) + " samples, " + format_number(1e3 * block / rate, 3) + " ms";
}

void draw_block(SoundSettings& sound, double rate) {
  row_label("Block",
            "How many samples the strategy is given at a time. Each launch and each copy costs about the same, so "
            "short blocks cost more in all.");
  if (!begin_combo("##sound-block", block_text(sound.block, rate))) return;
  for (const int block : sound_blocks) {
    if (list_entry(block_text(block, rate), block == sound.block)) sound.block = block;
    mark_item("sound-block/" + std::to_string(block));
  }
  ImGui::EndCombo();
}

// What the slowest hundredth of the blocks takes of the time that one lasts.
void draw_deadline(const SoundStats& sound) {
  const SoundFilterStats& filter = sound.filter;
  const Theme& t = theme();
  if (!filter.why_not.empty()) say("sound-strategy/why-not", filter.why_not, t.warning);
  if (filter.strategy.empty() || filter.times.count() == 0) return;
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(10)), height = px(10);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, height});
  mark_item("sound-deadline");
  const double p99 = filter.times.p99(), share = filter.block_ms > 0 ? p99 / filter.block_ms : 0;
  tooltip("Of the last " + format_count(filter.times.count()) + " blocks 99 in 100 were done within " +
          format_milliseconds(p99) + ", copies to the device and back included. A block lasts " +
          format_milliseconds(filter.block_ms) + ": what takes longer comes too late.");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + width, from.y + height}, t.field, px(4));
  const float filled = static_cast<float>(std::clamp(share, 0.0, 1.0)) * width;
  list.AddRectFilled(from, {from.x + std::max(filled, px(2)), from.y + height}, share > 1 ? t.error : t.accent, px(4));
  value_row("Time", format_milliseconds(filter.times.median()) + ", p99 " + format_milliseconds(p99),
            "Of a block: the median and what 99 of 100 stay within, copies included.");
  const std::string late = filter.late == 0 ? "none" : format_count(filter.late) + " of " + format_count(filter.blocks);
  value_row("Late", late,
            "Blocks that took longer to compute than they last, since the strategy was chosen. Its first three, which "
            "load code, do not count.");
  if (filter.clipped > 0)
    say("sound-clipped",
        "Too loud: " + format_count(filter.clipped) + " samples came out beyond full scale and are cut off there.",
        t.warning);
  if (sound.missed_lately >= 0.01)
    say("sound-missed", format_number(sound.missed_lately, 2) + " s were silent a moment ago: samples came too late.",
        t.warning);
}

void draw_compared(const SoundFilterStats& filter) {
  const Theme& t = theme();
  float widest = 0;
  for (const SoundTrial& trial : filter.trials)
    widest = std::max(widest, text_size(Font::body, trial.strategy).x + px(12));
  for (const SoundTrial& trial : filter.trials) {
    if (!trial.reason.empty()) {
      value_row(trial.strategy.c_str(), "cannot run", trial.reason, widest);
    } else if (trial.times.count() == 0) {
      value_row(trial.strategy.c_str(), "…", "It has not been tried yet.", widest);
    } else {
      const double median = trial.times.median(), share = filter.block_ms > 0 ? median / filter.block_ms : 0;
      value_row(trial.strategy.c_str(),
                format_milliseconds(median) + "  ·  " + format_number(100 * share, 2) + " %  ·  " +
                    (trial.right ? "right" : "wrong"),
                "The median of " + format_count(trial.times.count()) +
                    " blocks, copies included, and its share of the " +
                    "time that a block lasts. The largest difference from sums in double is " +
                    with_power(format_number(trial.error, 2)) + " of full scale.",
                widest);
    }
    mark_area("sound-trial/" + trial.strategy, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }
  if (filter.trials.empty()) {
    push_font(Font::small);
    say("sound-trial/none", "They are tried while filtered sound plays, as far as the running strategy leaves time.",
        t.dim);
    pop_font();
  }
}

void draw_sound_panel(const Stats& stats, Settings& settings, Requests& requests) {
  SoundSettings& sound = settings.sound;
  const double rate = rate_of(stats.sound);
  if (!stats.sound.why_not.empty()) {
    say("sound-unheard", stats.sound.why_not, theme().dim);
    if (text_button("sound-retry", "Search again", "Search for the sound card again" + keys_of(action::sound)))
      requests.retry_sound = true;
  } else if (!stats.sound.has_sound) {
    say("sound-none",
        stats.source.live ? "Live sources are shown without sound. Open a file to hear the filter."
                          : "This source has no sound. Open a file that has some to hear the filter.",
        theme().dim);
  }
  toggle("sound-filtered", "Filter what is heard", &sound.filtered,
         "What is heard goes through a 1-D convolution" + keys_of(action::filter_sound));
  draw_kind(sound.filter, rate);
  if (const SignalFilterKind* const kind = find_signal_filter_kind(sound.filter.kind)) {
    for (std::size_t i = 0; i < kind->parameters.size(); ++i)
      draw_sound_parameter(sound.filter, i, kind->parameters[i]);
  } else {
    draw_own_taps(sound.filter);
  }
  draw_curves(sound.filter, rate);
  draw_duration(sound.filter, rate);
  draw_sound_strategy(stats, sound);
  draw_block(sound, rate);
  if (sound.filtered) draw_deadline(stats.sound);
  toggle("sound-scope", "Scope", &sound.scope,
         "Draws the waveform and the spectrum of what is heard, before and after the filter" +
             keys_of(action::sound_scope));
  beside(toggle_width("Compare"));
  toggle("sound-compare", "Compare", &sound.compare,
         "Runs the other strategies on the same blocks, and compares each with sums in double precision");
  if (sound.compare) draw_compared(stats.sound.filter);
}

constexpr Control sound_controls[] = {
    {"Filter what is heard", "lowpass highpass equaliser audio"},
    {"Kind", "lowpass highpass bandpass echo comb taps"},
    {"Strategy", "sound audio signal 1-D convolution"},
    {"Block", "samples latency"},
    {"Scope", "oscilloscope waveform spectrum"},
    {"Compare", "sound strategies"},
    {"Search again", "sound card", [](const Settings&) { return false; }},
};

}  // namespace

extern const Panel sound_panel{
    .id = "sound",
    .title = "Sound",
    .key = key::f(10),
    .keys = "F10",
    .action = "Sound panel",
    .draw = draw_sound_panel,
    .summary =
        [](const Stats&, const Settings& s) {
          return s.sound.filtered ? sound_filter_name(s.sound.filter) : std::string("as it is");
        },
    .controls = sound_controls,
};

}  // namespace convoscope::ui
