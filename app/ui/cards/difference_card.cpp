// The card of View::difference: which panes, how much they differ and where most, and a legend for the colours.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/state/difference.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/cards/compared_names.h"
#include "app/ui/cards/filtering_mark.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/places/zoom.h"

namespace convoscope::ui {
namespace {

constexpr FalseColour grays{{{0, 0, 0}, {0.25f, 0.25f, 0.25f}, {0.5f, 0.5f, 0.5f}, {0.75f, 0.75f, 0.75f}, {1, 1, 1}}};

ImU32 ink(const std::array<float, 3>& c) { return ImGui::ColorConvertFloat4ToU32({c[0], c[1], c[2], 1}); }

// Differences in code values that the ends of the scale stand for; a squared scale has its middle elsewhere.
void draw_legend(const DifferenceSettings& difference, float width) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const FalseColour& stops = difference.false_colour ? false_colours(difference.mode) : grays;
  const float height = px(12), step = width / 4;
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const float x = from.x + step * static_cast<float>(i);
    list.AddRectFilledMultiColor({x, from.y}, {x + step, from.y + height}, ink(stops[k]), ink(stops[k + 1]),
                                 ink(stops[k + 1]), ink(stops[k]));
  }
  list.AddRect(from, {from.x + width, from.y + height}, with_alpha(theme().text, 0.35f));
  const double end = 255 / std::max(difference.gain, 1e-6);
  const bool is_signed = difference.mode == DifferenceMode::signed_values;
  const double middle = is_signed ? 0 : difference.mode == DifferenceMode::squared ? end * std::sqrt(0.5) : end / 2;
  const std::string labels[] = {is_signed ? "−" + format_number(end, 3) : "0", format_number(middle, 3),
                                (is_signed ? "+" : "") + format_number(end, 3)};
  for (int i = 0; i < 3; ++i) {
    const float label_width = text_size(Font::small, labels[i]).x;
    const float x = from.x + (width - label_width) * static_cast<float>(i) / 2;
    draw_text(list, Font::small, {std::round(x), from.y + height + px(3)}, theme().dim, labels[i]);
  }
  ImGui::Dummy({width, height + px(18)});
}

std::string settings_text(const DifferenceSettings& difference) {
  std::string text = std::string(difference_modes[static_cast<int>(difference.mode)]) + "  ·  gain " +
                     format_number(difference.gain, 3) + "×";
  if (difference.threshold > 0) text += "  ·  above " + format_number(difference.threshold, 3);
  return text;
}

std::string unit(const DifferenceStats& stats) {
  return stats.format == PixelFormat::gray32f ? " of white" : " of 255";
}

// Nobody reads an exponent off a card.
std::string amount(double value, int figures, const DifferenceStats& stats) {
  constexpr double least = 0.001;
  return (value > 0 && value < least ? "< " + format_number(least) : format_number(value, figures)) + unit(stats);
}

std::string similarity(const PictureDifference& found) {
  if (!std::isfinite(found.ssim)) return "–";
  const std::string text = format_number(found.ssim, 4);
  return text == "1" && found.different > 0 ? "> 0.9999" : text;
}

std::string decibels(const PictureDifference& found) {
  return std::isinf(found.psnr) ? "∞" : format_number(found.psnr, 4) + " dB";
}

void line(Font face, ImU32 colour, const std::string& text, float width) {
  push_font(face);
  text_clipped(text, width, colour);
  pop_font();
}

void small_lines(const std::string& text) {
  push_font(Font::small);
  text_dim(text);
  pop_font();
}

void draw_names(Font face, const ComparedPanes& compared, const Stats& stats, const Settings& settings, float width) {
  const ComparedNames names = compared_names(face, compared, stats, settings, width);
  line(face, theme().text, names.shown, width);
  if (names.shown == names.whole) return;
  watch_tip(names.shown);
  tooltip(names.whole);
}

std::string place_text(const PictureDifference& found) {
  return "(" + std::to_string(found.at.x) + ", " + std::to_string(found.at.y) + ")";
}

void go_there_button(const Stats& stats, Settings& settings) {
  // The place may move between press and release: the name after ### stays.
  const std::string label = "Go to " + place_text(stats.difference.found) + "###largest";
  if (text_button("difference-largest", label.c_str(),
                  "Goes to the largest difference: zooms in there, pins the pixel and shows its values."))
    look_at_pixel(stats.difference.found.at, stats, settings);
}

// Of a layer, what is drawn was compared: there are other numbers than pixels.
std::string pixels_word(const Settings& settings) { return has_bank(settings) ? " drawn pixels" : " pixels"; }

// By each of the two panes; 0: no map is on the wall.
std::int64_t outputs_shown(const Stats& stats, const Settings& settings) {
  const PaneStats* pane = stats_of(stats, settings.group().panes[static_cast<std::size_t>(stats.difference.first)]);
  if (!pane || !pane->wall || pane->wall->frames) return 0;
  const Wall& wall = *pane->wall;
  return std::int64_t{wall.alone < 0 ? wall.maps : 1} * wall.map_width * wall.map_height;
}

std::string what_was_not_compared(const Stats& stats, const Settings& settings) {
  const std::int64_t outputs = outputs_shown(stats, settings);
  return outputs > 0 ? "The " + format_count(outputs) + " outputs were not compared themselves."
                     : "The outputs were not compared themselves.";
}

// Whether what is drawn are colours that stand for outputs, and no pixels of a picture.
bool draws_maps(const Stats& stats, const Settings& settings) {
  if (stats.difference.first < 0) return false;  // nothing has been compared yet
  const PaneStats* pane = stats_of(stats, settings.group().panes[static_cast<std::size_t>(stats.difference.first)]);
  return has_bank(settings) && pane && pane->wall && !pane->wall->frames;
}

// By how much a drawn pixel may differ whose output does by so much, in the picture's unit: outputs have one of their
// own. Empty where it may be anything: a pixel that shows the one of several outputs that is farthest from zero may
// show another one of the other pane.
std::optional<double> drawn_difference(double outputs, const Stats& stats, const Settings& settings) {
  const PaneStats* pane = stats_of(stats, settings.group().panes[static_cast<std::size_t>(stats.difference.first)]);
  if (!pane || !pane->wall) return {};
  const Wall& wall = *pane->wall;
  const bool gray = stats.difference.format == PixelFormat::gray32f;
  const auto in_code = [&](double level) { return gray ? level : std::ceil(255 * std::min(level, 1.0)); };
  if (wall.frames) return in_code(outputs);
  if (wall.cell_width() - wall.gap() < wall.map_width || wall.cell_height() - wall.gap() < wall.map_height) return {};
  const double shown = settings.wall.gain * outputs;
  return in_code(!gray && settings.wall.colours ? std::sqrt(shown) : shown / 2);
}

// Why what is drawn may differ where nothing is wrong; empty: it may not. An end that is known is one that both panes,
// of different types, have been checked for.
std::string rounding_text(const Stats& stats, const Settings& settings) {
  const ComparedPanes compared = compared_panes(settings.difference, static_cast<int>(settings.group().panes.size()));
  const PaneSettings& first = settings.group().panes[static_cast<std::size_t>(compared.first)];
  const PaneSettings& second = settings.group().panes[static_cast<std::size_t>(compared.second)];
  const bool computed = first.strategy != "source" && second.strategy != "source";
  if (!has_bank(settings) || !computed) return {};
  if (precision_of(first, settings.layer) == precision_of(second, settings.layer)) {
    const bool chooses =
        draws_maps(stats, settings) && stats.difference.found.different > 0 && !drawn_difference(0, stats, settings);
    return chooses ? "A pixel shows one of several outputs." : "";
  }
  double most = 0;
  bool known = true;
  for (const PaneSettings* const pane : {&first, &second}) {
    const PaneStats* const measured = stats_of(stats, *pane);
    known = known && measured && measured->type_rounding && measured->check.tolerance > 0;
    if (known) most += *measured->type_rounding + measured->check.tolerance;
  }
  if (!known) return "Outputs of different types round differently.";
  const std::optional<double> drawn = drawn_difference(most, stats, settings);
  return "Outputs may differ by " + format_number(most, 2) + ", their colours by " +
         (drawn ? format_number(*drawn, 2) + unit(stats.difference) : "more") + ".";
}

void draw_rounding(const Stats& stats, const Settings& settings, float width) {
  const std::string text = rounding_text(stats, settings);
  if (text.empty()) return;
  line(Font::small, theme().dim, text, width);
  tooltip(
      "The panes round differently, or in another order, so small differences between their outputs are not errors. "
      "The figures describe the colours that show the outputs, not the outputs themselves. Near zero a colour changes "
      "much where an output changes little, and the gain enlarges that. Where a map is shown smaller than it is, a "
      "pixel shows the output farthest from zero. Of two with opposite signs, rounding decides which. Each pane "
      "is checked within the tolerance of its own type.");
}

struct Figure {
  const char* name;
  std::string value, tip;
};

// `maps`: of colours that stand for outputs.
std::array<Figure, 4> figures_of(const DifferenceStats& difference, bool maps) {
  const PictureDifference& found = difference.found;
  const bool gray = difference.format == PixelFormat::gray32f;
  const std::string scale = std::string(gray ? "in units of white (1.0)" : "in code values from 0 to 255") +
                            (maps ? ", of the colours that show the outputs" : "");
  return {{{maps ? "largest, drawn" : "largest", amount(found.largest, 4, difference),
            "The largest difference in any channel of any pixel, " + scale + "."},
           {maps ? "mean, drawn" : "mean", amount(found.mean, 4, difference),
            "The mean of the absolute differences over all pixels and channels, " + scale + "."},
           {"PSNR", decibels(found),
            std::string("Peak signal-to-noise ratio: how small the mean squared difference is, measured against white "
                        "(") +
                (gray ? "1.0" : "255") + "). Above 40 dB the eye hardly sees a difference."},
           {"SSIM", similarity(found),
            "Structural similarity (Wang et al., 2004), averaged over the channels and over windows of 8 × 8 pixels in "
            "steps of 4. A value of 1 means the same structure."}}};
}

constexpr float figure_gap = 8;

void draw_figure(const Figure& figure, float width) {
  ImGui::BeginGroup();
  line(Font::small, theme().dim, figure.name, width);
  line(Font::strong, theme().text, figure.value, width - px(figure_gap));
  ImGui::EndGroup();
  tooltip(figure.tip);
}

std::string pixels_text(const DifferenceStats& difference, const Settings& settings) {
  const PictureDifference& found = difference.found;
  const std::string frame = "frame " + format_count(difference.frame + 1);  // people count from 1
  if (found.different == 0)
    return "All " + format_count(found.pixels) + pixels_word(settings) + " are the same, " + frame + ".";
  return format_count(found.different) + " of " + format_count(found.pixels) + pixels_word(settings) + " differ, " +
         frame;
}

void draw_figures(const Stats& stats, Settings& settings, float width) {
  const DifferenceStats& difference = stats.difference;
  if (difference.found.different == 0) {
    line(Font::strong, theme().good, identical_text(stats, settings), width);
    line(Font::small, theme().dim, pixels_text(difference, settings), width);
    if (has_bank(settings)) line(Font::small, theme().dim, what_was_not_compared(stats, settings), width);
    return;
  }
  const float start = ImGui::GetCursorPosX(), half = std::floor(width / 2);
  const std::array<Figure, 4> figures = figures_of(difference, draws_maps(stats, settings));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (i % 2 == 1) ImGui::SameLine(start + half);
    draw_figure(figures[i], half);
  }
  line(Font::small, theme().dim, pixels_text(difference, settings), width);
  draw_rounding(stats, settings, width);
  go_there_button(stats, settings);
}

// All of it in columns beside each other, for the bar that a picture leaves above itself.
constexpr float flat_height = 66, flat_names = 208, flat_figure = 94, flat_button = 136, least_flat_legend = 110;
constexpr float least_flat_width = flat_names + 4 * flat_figure + flat_button + least_flat_legend;
constexpr float column_gap = 10;

// Each figure is whole: what it takes more than usual, the names have less.
float flat_width_of(const Figure& figure) {
  return std::max(px(flat_figure), text_size(Font::strong, figure.value).x + px(column_gap + figure_gap) + 1);
}

void draw_flat(const ComparedPanes& compared, const Stats& stats, Settings& settings, float width) {
  const DifferenceStats& difference = stats.difference;
  const float start = ImGui::GetCursorPosX();
  float x = start;
  const auto column = [&](float wide, const auto& draw) {
    if (x > start) ImGui::SameLine(x);
    ImGui::BeginGroup();
    draw(wide - px(column_gap));
    ImGui::EndGroup();
    x += wide;
  };
  const std::array<Figure, 4> figures = figures_of(difference, draws_maps(stats, settings));
  float all = 0;
  for (const Figure& figure : figures) all += flat_width_of(figure);
  const float spare = width - px(least_flat_width), wider = all - 4 * px(flat_figure);
  // The third line has room below the figures, too, which have two. Without figures the names have their room.
  const float beside = difference.found.different > 0 ? all : 0;
  float middle = all + px(flat_button);
  const bool no_middle = difference.first < 0 || (difference.found.different == 0 && !has_bank(settings));
  float names = px(flat_names) + spare * 0.6f - wider + (no_middle ? middle : 0);
  // The legend's line is whole where the names leave it as much.
  const std::string how = settings_text(settings.difference);
  const float lacks = text_size(Font::small, how).x + px(column_gap) + 1 - (px(least_flat_legend) + spare * 0.4f);
  names -= std::clamp(lacks, 0.0f, std::max(names - px(flat_names), 0.0f));
  if (!no_middle && difference.found.different == 0) {  // of the middle what only their last line needs
    const auto needs = [](const std::string& text) { return text_size(Font::small, text).x + px(column_gap) + 1; };
    const float spared = std::max(middle - needs(what_was_not_compared(stats, settings)), 0.0f);
    const float given = std::clamp(needs(pixels_text(difference, settings)) - names, 0.0f, spared);
    names += given, middle -= given;
  }
  column(names, [&](float room) {
    draw_names(Font::strong, compared, stats, settings, room);
    if (difference.first < 0) return line(Font::small, theme().dim, what_difference_awaits(stats, settings), room);
    if (difference.found.different == 0) line(Font::strong, theme().good, identical_text(stats, settings), room);
    line(Font::small, theme().dim, pixels_text(difference, settings), room);
    draw_rounding(stats, settings, room + beside);
  });
  if (difference.first >= 0 && difference.found.different > 0) {
    for (const Figure& figure : figures) column(flat_width_of(figure), [&](float room) { draw_figure(figure, room); });
    column(px(flat_button), [&](float) {
      ImGui::Dummy({0, px(2)});
      go_there_button(stats, settings);
    });
  } else if (!no_middle) {
    column(middle, [&](float room) { line(Font::small, theme().dim, what_was_not_compared(stats, settings), room); });
  }
  column(start + width - x, [&](float room) {
    line(Font::small, theme().dim, how, room);
    draw_legend(settings.difference, room);
  });
}

void draw_compact(const Stats& stats, Settings& settings, float width) {
  const PictureDifference& found = stats.difference.found;
  if (found.different == 0) {
    line(Font::strong, theme().good, identical_text(stats, settings), width);
    return;
  }
  line(Font::small, theme().text,
       (draws_maps(stats, settings) ? "drawn: max " : "max ") + amount(found.largest, 3, stats.difference) + "  ·  " +
           decibels(found) + "  ·  SSIM " + similarity(found),
       width);
  go_there_button(stats, settings);
}

// A pane that does not run shows the source, which would be compared instead. Empty: both run.
std::string why_nothing_to_compare(const Stats& stats, const Settings& settings, const ComparedPanes& compared) {
  for (const int i : {compared.first, compared.second}) {
    const PaneStats* const pane = stats_of(stats, settings.group().panes[static_cast<std::size_t>(i)]);
    if (pane && !pane->problem.empty()) return "Pane " + std::to_string(i + 1) + " does not run: " + pane->problem;
  }
  return {};
}

// What the picture leaves free of the stage above itself.
float bar_above(const UiLayout& layout, int pane) {
  const auto index = static_cast<std::size_t>(pane);
  return index < layout.pictures.size() ? layout.pictures[index].y - layout.picture_y : 0;
}

}  // namespace

void draw_difference_card(const Stats& stats, Settings& settings, const UiLayout& layout) {
  if (shown_view(settings) != View::difference || settings.group().panes.size() < 2 || !settings.show_overlay) return;
  const Area area = picture_area(layout);
  const bool compact = area.width < px(420) || area.height < px(360);
  const float margin = px(12), padding = px(12);
  const ComparedPanes compared = compared_panes(settings.difference, static_cast<int>(settings.group().panes.size()));
  const std::string why_not = why_nothing_to_compare(stats, settings, compared);
  const float inside = area.width - 2 * margin - 2 * padding, bar = bar_above(layout, compared.first);
  const bool flat = !compact && why_not.empty() && bar >= px(flat_height + 4) && inside >= px(least_flat_width);
  const float width = flat ? std::min(inside, px(1200)) : std::min(px(compact ? 248 : 320) - 2 * padding, inside);
  if (width < px(96) || area.height < px(96)) return;
  const float above = flat ? std::min(margin, std::floor((bar - px(flat_height)) / 2)) : margin;
  const ImVec2 corner{area.x + margin, area.y + above};
  const ImGuiWindow* const before = ImGui::FindWindowByName("##difference");  // it fits its contents
  const Area room{corner.x, corner.y, area.width - 2 * margin, area.height - above};
  const ImVec2 size_before = before && before->WasActive ? before->Size : ImVec2(width + 2 * padding, px(96));
  const std::optional<Area> place = place_near(room, ImMin(size_before, {room.width, room.height}), corner);
  if (!place || (flat && place->y > corner.y)) return;
  ImGui::SetNextWindowPos(place->from());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(9));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(4)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(theme().card | IM_COL32_A_MASK, 0.96f));  // they are glaring
  ImGui::PushStyleColor(ImGuiCol_Border, 0);
  constexpr ImGuiWindowFlags card = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavInputs |
                                    ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("##difference", nullptr, card);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  take_place("difference-card", {at.x, at.y, size.x, size.y});
  if (!flat) ImGui::Dummy({width, 0});
  if (!flat) draw_names(compact ? Font::small : Font::strong, compared, stats, settings, width);
  const bool measured = stats.difference.first >= 0;
  if (!why_not.empty()) {
    line(Font::strong, theme().warning, "Nothing to compare", width);
    small_lines(why_not);
  } else if (flat) {
    draw_flat(compared, stats, settings, width);
  } else if (compact) {
    if (measured)
      draw_compact(stats, settings, width);
    else
      small_lines(what_difference_awaits(stats, settings));
  } else {
    if (measured)
      draw_figures(stats, settings, width);
    else
      line(Font::small, theme().dim, what_difference_awaits(stats, settings), width);
    line(Font::small, theme().dim, settings_text(settings.difference), width);
    draw_legend(settings.difference, width);
  }
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

}  // namespace convoscope::ui
