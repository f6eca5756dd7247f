// How the pinned pixel was made, in numbers: kernels, blocks and threads, then weights times inputs down to the output.
#include "app/ui/explain/window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/state/workbench.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/explain/parts.h"
#include "app/ui/memory/inspect_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/sheets.h"

namespace convoscope::ui {
namespace {

std::string triple(const std::array<int, 3>& t, bool with_z) {
  return with_minus("(" + std::to_string(t[0]) + ", " + std::to_string(t[1]) +
                    (with_z ? ", " + std::to_string(t[2]) : "") + ")");
}

std::string size_text(int width, int height) { return std::to_string(width) + " × " + std::to_string(height); }

std::string area_text(const PixelArea& a) {
  return with_minus(size_text(a.width, a.height) + " from (" + std::to_string(a.x) + ", " + std::to_string(a.y) + ")");
}

// "4, 5 and 6", "1 to 16": counted from one, as feature maps are.
std::string maps_text(const std::vector<int>& planes, int maps) {
  std::vector<int> numbers;
  for (const int plane : planes) numbers.push_back(plane % maps + 1);
  const bool run = numbers.back() - numbers.front() + 1 == static_cast<int>(numbers.size());
  if (run && numbers.size() > 2) return std::to_string(numbers.front()) + " to " + std::to_string(numbers.back());
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  return text;
}

// Which of the maps, where there are any.
std::string of_maps(const PixelExplanation& explained, const std::vector<int>& planes) {
  if (!explained.wall || planes.empty()) return {};
  return (planes.size() > 1 ? " of maps " : " of map ") + maps_text(planes, explained.problem->layer.maps);
}

std::string block_text(const PixelExplanation& explained, const KernelStep& step) {
  std::array<int, 3> block = step.block;
  if (step.block_per_channel) block[2] += inspect_state().channel;  // of the one whose numbers are shown
  std::string text = triple(block, step.block_per_channel || explained.wall);
  if (step.blocks_along_y > 1) text += " and " + format_count(step.blocks_along_y - 1) + " after it along y";
  const auto [width, height, depth] = step.block_size;
  return text + " of " + size_text(width, height) + (depth > 1 ? " × " + std::to_string(depth) : "") + " threads";
}

// "5 × 5 inputs", "3 × 5 × 5 = 75 inputs".
std::string inputs_text(const PixelExplanation& explained) {
  const Filter& f = explained.problem->filter;
  const std::vector<int> planes = planes_of(explained);
  if (plane_name(explained, planes.front()).empty()) return size_text(f.width, f.height) + " inputs";
  const std::size_t taps = static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
  return std::to_string(planes.size()) + " × " + size_text(f.width, f.height) + " = " +
         format_count(static_cast<std::int64_t>(planes.size() * taps)) + " inputs";
}

long long pixels_of(const std::vector<PixelArea>& areas) {
  long long pixels = 0;
  for (const PixelArea& a : areas) pixels += static_cast<long long>(a.width) * a.height;
  return pixels;
}

std::string areas_text(const std::vector<PixelArea>& areas) {
  if (areas.size() == 1) return area_text(areas[0]);
  return format_count(pixels_of(areas)) + " pixels in " + std::to_string(areas.size()) + " parts";
}

// A block at the edge reaches beyond it, and writes nothing there.
std::string outputs_text(const PixelExplanation& explained, const std::vector<PixelArea>& areas) {
  std::vector<PixelArea> inside;
  for (const PixelArea& a : areas)
    inside.push_back(explained.wall ? clipped(a, explained.wall->map_width, explained.wall->map_height)
                                    : clipped(a, explained.problem->width, explained.problem->height));
  std::erase_if(inside, [](const PixelArea& a) { return a.empty(); });
  if (inside == areas) return areas_text(areas);
  if (areas.size() == 1) return areas_text(inside) + ", of " + size_text(areas[0].width, areas[0].height);
  return format_count(pixels_of(inside)) + " of " + format_count(pixels_of(areas)) + " pixels in " +
         std::to_string(areas.size()) + " parts";
}

long long ghosts(const std::vector<PixelArea>& areas, const Problem& p) {
  long long count = 0;
  for (const PixelArea& a : areas) {
    const PixelArea inside = clipped(a, p.width, p.height);
    count += static_cast<long long>(a.width) * a.height - static_cast<long long>(inside.width) * inside.height;
  }
  return count;
}

std::string border_rule(Border border) {
  switch (border) {
    case Border::zero:
      return "count as 0";
    case Border::replicate:
      return "as the nearest pixel";
    case Border::mirror:
      return "mirrored";
    case Border::wrap:
      return "from the other side";
  }
  return {};
}

// As it is drawn over the picture.
struct LegendMark {
  ImU32 outline = 0, fill = 0;
  float thickness = 2;
};

void legend_row(const LegendMark& mark, const char* label, const std::string& value, const std::string& tip) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = px(10), top = std::round(at.y + (ImGui::GetTextLineHeight() - side) / 2);
  const ImVec2 from{at.x, top}, to{at.x + side, top + side};
  constexpr ImU32 picture = IM_COL32(128, 128, 128, 255);  // neither dark nor bright: an ink looks as it does there
  if (mark.fill) list.AddRectFilled(from, to, picture);
  if (mark.fill) list.AddRectFilled(from, to, mark.fill);
  if (mark.outline) draw_explained_outline(list, from, to, mark.outline, px(mark.thickness));
  mark_area("story-mark/" + std::string(label), from, to);
  value_row(label, value, tip, 0, px(16));
}

void draw_kernel(const PixelExplanation& explained, const KernelStep& step) {
  const Problem& p = *explained.problem;
  const ExplainInks inks = explain_inks();
  // Its only output is the pixel that is explained.
  const bool only_the_pixel = step.thread_outputs.size() == 1 && step.thread_outputs[0].width == 1 &&
                              step.thread_outputs[0].height == 1 && step.thread_planes.size() <= 1;
  const LegendMark threads_outputs = only_the_pixel
                                         ? LegendMark{.outline = pixel_outline, .fill = inks.block, .thickness = 1}
                                         : LegendMark{.fill = with_alpha(inks.block, thread_alpha)};
  const LegendMark read{.outline = inks.halo, .fill = with_alpha(inks.halo, halo_alpha)};
  const bool several_planes = step.thread_planes.size() > 1;
  const std::string what = !step.of_input                     ? " of row sums"
                           : planes_of(explained).size() == 1 ? ""
                           : explained.wall                   ? " of each channel"
                                                              : " of each frame";
  value_row("Kernel", step.kernel);
  value_row("Block", block_text(explained, step), "These are blockIdx and blockDim.");
  const std::string thread = triple(step.thread, false);
  if (several_planes)
    value_row("Thread", thread, "This is threadIdx.");
  else
    legend_row(threads_outputs, "Thread", thread,
               "This is threadIdx. The filled area shows the outputs of this thread.");
  legend_row({.outline = inks.block}, "Block's outputs",
             outputs_text(explained, step.outputs) + of_maps(explained, step.output_planes), "The outline shows them.");
  if (several_planes)
    legend_row(threads_outputs, "Thread's outputs",
               outputs_text(explained, step.thread_outputs) + of_maps(explained, step.thread_planes),
               "The filled area shows them.");
  if (!step.tile.empty())
    legend_row(read, step.tile_in_turns ? "Shared in turns" : "Shared tile", areas_text(step.tile) + what,
               std::string("This is what the block loads into shared memory") +
                   (step.tile_in_turns ? ", some rows at a time: it never holds all of it" : "") +
                   ". The shaded part is the halo, which is needed beyond the outputs.");
  const bool told_in_words = explained.wall && !step.of_input;
  if (!step.direct.empty() && !told_in_words)
    legend_row(read, step.tile.empty() ? "Read directly" : "And directly", areas_text(step.direct) + what,
               "This is what the threads of the block read from global memory, through the caches.");
  const long long outside = ghosts(step.tile.empty() ? step.direct : step.tile, p);
  if (outside > 0 && !told_in_words)
    legend_row({.fill = with_alpha(inks.ghost, ghost_alpha)}, "Ghost cells",
               format_count(outside) + ": " + border_rule(p.border), "These cells lie outside the picture.");
  legend_row({.outline = inks.window}, "Window", inputs_text(explained), "These are the pixels under the filter.");
  text_dim(with_minus(step.words));
}

void draw_how(const PixelExplanation& explained) {
  const auto& steps = explained.explanation.steps;
  const OutputIndex& at = explained.output;
  if (explained.wall) {
    value_row("Output",
              "Y[n, m, y, x] = Y[" + std::to_string(at.sample) + ", " + std::to_string(at.channel) + ", " +
                  std::to_string(at.y) + ", " + std::to_string(at.x) + "]",
              "Sample, map, row and column");
    text_dim("Indices count from 0: m = " + std::to_string(at.channel) + " is map " + std::to_string(at.channel + 1) +
             ".");
  }
  if (steps.size() > 1) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < steps.size(); ++i) names.push_back(std::to_string(i + 1) + "  " + steps[i].kernel);
    std::vector<const char*> labels;
    for (const std::string& name : names) labels.push_back(name.c_str());
    int chosen = static_cast<int>(chosen_step(explained) - steps.data());
    if (segmented("story-step", labels, &chosen, "The kernels, in the order of their launches"))
      inspect_state().step = chosen;
  }
  if (const KernelStep* const step = chosen_step(explained)) draw_kernel(explained, *step);
  if (const std::optional<PixelArea>& strip = explained.explanation.strip)
    legend_row({.outline = explain_inks().block}, "Strip", area_text(*strip),
               "The outline shows what a thread makes in one go.");
  if (!explained.explanation.words.empty()) text_dim(with_minus(explained.explanation.words));
  if (!explained.not_described.empty()) text_dim(explained.not_described);
}

// What the pane shows there. `labels`: how wide those above are.
void draw_seen(const PixelExplanation& explained, const Stats& stats, const ExplainedSum& sum, int channel,
               float labels) {
  const auto row = [&](const char* label, const std::string& value) { value_row(label, value, {}, labels); };
  const auto pane = static_cast<std::size_t>(explained.pane);
  const InspectStats& inspect = stats.inspect;
  if (explained.wall) {
    if (pane >= inspect.map_values.size()) return;
    const auto& [place, value] = inspect.map_values[pane];
    if (place.map == explained.output.channel && place.x == explained.output.x && place.y == explained.output.y)
      row("In the map", explained_number(value, 7));
    return;
  }
  if (pane >= inspect.patches.size()) return;
  const PixelValue seen = inspect.patches[pane].at(explained.pixel.x, explained.pixel.y);
  if (seen.channels > 0)
    row("In the pane", explained.problem->format == PixelFormat::rgba8
                           ? std::to_string(static_cast<int>(seen.values[channel]))
                           : explained_number(seen.values[0], 7));
  // A tie between two code values is decided by the last bit of a sum, which depends on its order.
  const double above = sum.value - std::floor(sum.value);
  if (seen.channels == 4 && std::abs(above - 0.5) < 1e-3 && seen.values[channel] != static_cast<float>(sum.stored))
    text_dim("The exact sum lies half-way between " + explained_number(std::floor(sum.value)) + " and " +
             explained_number(std::ceil(sum.value)) +
             ". The strategy adds in float32, where the last bit decides which of the two is nearer: both are right.");
}

void draw_sum(const PixelExplanation& explained, const ExplainedSum& sum, const DrawnTerms& terms) {
  const auto row = [&](const char* label, const std::string& value, const std::string& tip = {}) {
    value_row(label, value, tip, terms.labels);
  };
  const char* const before = terms.rounded ? ", added before rounding" : "";
  const char* const exact =
      terms.rounded ? "The products above are rounded to fit. The sum is that of the exact ones." : "";
  const Problem& p = *explained.problem;
  const Filter& f = p.filter;
  if (f.is_magnitude()) {
    row("Both sums", explained_number(sum.sum) + " and " + explained_number(sum.sum_y) + before, exact);
    row("√(x² + y²)", explained_number(sum.magnitude, 6));
  } else {
    row("Sum", explained_number(sum.sum, 6) + before, exact);
  }
  if (f.is_bank()) {
    if (!f.biases.empty())
      row("Map's bias", "+ " + explained_number(sum.scaled - sum.sum) + " = " + explained_number(sum.scaled, 6));
    if (f.relu) row("ReLU", explained_number(sum.value, 6));
    return;
  }
  if (f.gain != 1 || f.bias != 0)
    row("Gain, bias", "× " + explained_number(f.gain) + " + " +
                          explained_number(static_cast<double>(f.bias) * white_level(p.format)) + " = " +
                          explained_number(sum.scaled, 6));
  if (f.absolute) row("Absolute", explained_number(sum.value, 6));
  if (p.format == PixelFormat::rgba8)
    row("Rounded", explained_number(sum.stored) + (sum.value < 0 || sum.value > 255 ? ", held within 0 to 255" : ""),
        "The result is rounded to the nearest code value and then clamped to what a byte holds.");
}

void draw_numbers(const PixelExplanation& explained, const Stats& stats) {
  int& channel = inspect_state().channel;
  if (explained.problem->format == PixelFormat::rgba8) {
    constexpr const char* labels[] = {"red", "green", "blue"};
    segmented("story-channel", labels, &channel, "The channel whose numbers are shown");
  }
  static KeptExplainedSum kept;  // on the thread that draws
  const ExplainedSum& sum = kept.of(explained, channel);
  const Workbench& bench = workbench_of(*explained.problem->kind);
  if (bench.over_frames || bench.has_bank) draw_explained_planes(explained, sum);
  draw_explained_product(explained, sum);
  draw_unrolled_matrix(explained);
  if (!sum.complete) {
    text_dim("The inputs have not arrived yet.");
    return;
  }
  push_font(Font::small);
  text_coloured(theme().faint, "weight × input = product, for each tap of the filter");
  pop_font();
  DrawnTerms drawn = draw_explained_terms(explained, sum.terms);
  if (!sum.terms_y.empty()) {
    heading("SECOND SET OF WEIGHTS");
    const DrawnTerms second = draw_explained_terms(explained, sum.terms_y);
    drawn = {std::max(drawn.labels, second.labels), drawn.rounded || second.rounded};
  }
  draw_sum(explained, sum, drawn);
  draw_seen(explained, stats, sum, channel, drawn.labels);
}

// As a frame, the layer has none that could be clicked.
bool are_maps_hidden(const Stats& stats, const Settings& settings) {
  return has_bank(settings) &&
         std::ranges::any_of(stats.panes, [](const PaneStats& pane) { return pane.wall && pane.wall->frames; });
}

std::string place_text(const PixelExplanation& explained) {
  const OutputIndex& at = explained.output;
  const std::string x = std::to_string(at.x), y = std::to_string(at.y);
  return explained.wall ? "map " + std::to_string(at.channel + 1) + " at x = " + x + ", y = " + y
                        : "pixel (" + x + ", " + y + ")";
}

}  // namespace

ExplainInks explain_inks() {
  const Theme& t = theme();
  return {t.accent, t.negative, t.error, IM_COL32(255, 255, 255, 235)};
}

const KernelStep* chosen_step(const PixelExplanation& explained) {
  const auto& steps = explained.explanation.steps;
  if (steps.empty()) return nullptr;
  const int chosen = inspect_state().step, last = static_cast<int>(steps.size()) - 1;
  return &steps[static_cast<std::size_t>(chosen < 0 || chosen > last ? last : chosen)];
}

void explain_pixel(const std::optional<PixelAddress>& pixel, Settings& settings) {
  settings.inspect.explain = true;
  if (!pixel) return;
  std::optional<PixelAddress>& pinned = settings.inspect.pinned;
  std::optional<SheetPin>& own = inspect_state().sheet_pin;
  own = SheetPin{pixel, own && own->pixel == pinned ? own->before : pinned};
  pinned = pixel;
}

void follow_explanation(Settings& settings) {
  if (settings.inspect.explain) return;
  const std::optional<SheetPin> own = std::exchange(inspect_state().sheet_pin, std::nullopt);
  if (own && settings.inspect.pinned == own->pixel) settings.inspect.pinned = own->before;
}

void draw_explained_window(const Stats& stats, Settings& settings, const Area& sheet) {
  if (!settings.inspect.explain) return;
  if (!begin_sheet("story", "Explain this pixel", sheet, settings.inspect.explain, "Close" + keys_of(action::explain),
                   settings.workbench))
    return;
  const auto& explained = stats.inspect.explained;
  const bool hidden = are_maps_hidden(stats, settings);
  if (!explained && hidden) {
    text_dim("The maps are hidden, since the layer is shown as a frame. An output is explained in its feature map.");
  } else if (!explained) {
    text_dim((has_bank(settings) ? "Click a place in a feature map" : "Click a pixel of the picture") +
             std::string(" to see, here and over the picture, how it was made") + keys_of(action::pin_pixel) + ".");
  } else {
    push_font(Font::strong);
    text_coloured(theme().text, (explained->strategy.empty() ? std::string("Source") : explained->strategy) +
                                    (hidden ? std::string() : "  ·  " + place_text(*explained)));
    pop_font();
    if (explained->strategy.empty())
      text_dim("Click into a pane that computes, or choose a strategy for this one" + keys_of(action::next_strategy) +
               ".");
    draw_how(*explained);
    draw_explained_counts(*explained, settings.inspect);
    if (!explained->inputs.empty()) {
      ImGui::Dummy({0, px(4)});
      draw_numbers(*explained, stats);
    }
  }
  if (hidden && text_button("story-all-maps", "Show all maps",
                            "Shows the maps side by side in place of the frame, as All maps in the Layer panel does" +
                                keys_of("Layer panel") + ".")) {
    settings.wall.frames = false;
    settings.wall.map = -1;
  }
  end_sheet();
}

}  // namespace convoscope::ui
