// How the pinned pixel was made, in numbers: kernels, blocks and threads, then weights times inputs down to the output.
#include "app/ui/windows/story_window.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/ui/keys/keys.h"
#include "app/ui/keys/workbench_actions.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/stage/inspect.h"
#include "app/ui/windows/sheets.h"
#include "app/ui/windows/story_sum.h"

namespace convoscope::ui {
namespace {

constexpr int widest_grid = 7;          // filters up to this are shown cell by cell
constexpr std::size_t most_terms = 12;  // else the largest ones

std::string triple(const std::array<int, 3>& t, bool with_z) {
  return with_minus("(" + std::to_string(t[0]) + ", " + std::to_string(t[1]) +
                    (with_z ? ", " + std::to_string(t[2]) : "") + ")");
}

std::string size_text(int width, int height) { return std::to_string(width) + " × " + std::to_string(height); }

std::string area_text(const PixelArea& a) {
  return with_minus(size_text(a.width, a.height) + " from (" + std::to_string(a.x) + ", " + std::to_string(a.y) + ")");
}

std::string areas_text(const std::vector<PixelArea>& areas) {
  long long pixels = 0;
  for (const PixelArea& a : areas) pixels += static_cast<long long>(a.width) * a.height;
  if (areas.size() == 1) return area_text(areas[0]);
  return format_count(pixels) + " pixels in " + std::to_string(areas.size()) + " parts";
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

void legend_row(ImU32 ink, const char* label, const std::string& value, const std::string& tip) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float middle = at.y + ImGui::GetTextLineHeight() / 2, side = px(9);
  list.AddRectFilled({at.x, middle - side / 2}, {at.x + side, middle + side / 2}, ink, px(2));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(16));
  value_row(label, value, tip);
}

void draw_kernel(const PixelStory& story, const KernelStep& step) {
  const Problem& p = story.problem;
  const StoryInks inks = story_inks();
  const char* const what = step.of_input ? "" : " of row sums";
  value_row("Kernel", step.kernel);
  std::array<int, 3> block = step.block;
  if (step.block_per_channel) block[2] += inspect_state().channel;  // of the one whose numbers are shown
  legend_row(
      inks.block, "Block",
      triple(block, step.block_per_channel) + " of " + size_text(step.block_size[0], step.block_size[1]) + " threads",
      "These are blockIdx and blockDim. The outline shows the outputs of the block.");
  legend_row(with_alpha(inks.block, 0.55f), "Thread", triple(step.thread, false),
             "This is threadIdx. The filled area shows the outputs of this thread.");
  legend_row(inks.block, "Block's outputs", areas_text(step.outputs), "");
  if (!step.tile.empty())
    legend_row(inks.halo, "Shared tile", areas_text(step.tile) + what,
               "This is what the block loads into shared memory. The shaded part is the halo, which is needed beyond "
               "the outputs.");
  if (!step.direct.empty())
    legend_row(inks.halo, step.tile.empty() ? "Read directly" : "And directly", areas_text(step.direct) + what,
               "This is what the threads of the block read from global memory, through the caches.");
  const long long outside = ghosts(step.tile.empty() ? step.direct : step.tile, p);
  if (outside > 0)
    legend_row(inks.ghost, "Ghost cells", format_count(outside) + ": " + border_rule(p.border),
               "These cells lie outside the picture.");
  legend_row(inks.window, "Window", size_text(p.filter.width, p.filter.height) + " inputs",
             "These are the pixels under the filter.");
  text_dim(with_minus(step.words));
}

void draw_how(const PixelStory& story) {
  const auto& steps = story.explanation.steps;
  if (steps.size() > 1) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < steps.size(); ++i) names.push_back(std::to_string(i + 1) + "  " + steps[i].kernel);
    std::vector<const char*> labels;
    for (const std::string& name : names) labels.push_back(name.c_str());
    int chosen = static_cast<int>(chosen_step(story) - steps.data());
    if (segmented("story-step", labels, &chosen, "The kernels, in the order of their launches"))
      inspect_state().step = chosen;
  }
  if (const KernelStep* const step = chosen_step(story)) draw_kernel(story, *step);
  if (!story.explanation.words.empty()) text_dim(with_minus(story.explanation.words));
  if (!story.not_described.empty()) text_dim(story.not_described);
}

std::string number(double value, int figures = 4) { return with_minus(format_number(value, figures)); }

void draw_grid(const std::vector<StoryTerm>& terms, int columns, int rows) {
  const Theme& t = theme();
  const float width = std::min(std::floor(ImGui::GetContentRegionAvail().x / static_cast<float>(columns)), px(64));
  const float height = px(46);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double largest = 1e-30;
  for (const StoryTerm& term : terms) largest = std::max(largest, std::abs(term.product()));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const StoryTerm& term = terms[i];
    const float x = at.x + width * static_cast<float>(i % static_cast<std::size_t>(columns));
    const float y = at.y + height * static_cast<float>(i / static_cast<std::size_t>(columns));
    const ImVec2 from{x + 1, y + 1}, to{x + width - 1, y + height - 1};
    const float strength = static_cast<float>(std::abs(term.product()) / largest);
    list.AddRectFilled(from, to, t.field, px(3));
    list.AddRectFilled(from, to, with_alpha(term.product() < 0 ? t.negative : t.accent, 0.30f * strength), px(3));
    if (term.outside) list.AddRect(from, to, with_alpha(story_inks().ghost, 0.8f), px(3));
    list.PushClipRect(from, to, true);
    const auto centred = [&](Font face, float down, ImU32 ink, const std::string& text) {
      draw_text(list, face, {std::round((from.x + to.x - text_size(face, text).x) / 2), y + px(down)}, ink, text);
    };
    centred(Font::small, 3, t.dim, with_minus(format_weight(term.weight, 4)));
    centred(Font::small, 15, t.dim, "× " + number(term.input));
    centred(Font::body, 27, t.text, number(term.product()));
    list.PopClipRect();
  }
  ImGui::Dummy({width * static_cast<float>(columns), height * static_cast<float>(rows)});
}

void draw_largest(const std::vector<StoryTerm>& terms) {
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(most_terms, terms.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
      [&](std::size_t a, std::size_t b) { return std::abs(terms[a].product()) > std::abs(terms[b].product()); });
  double rest = 0;
  for (std::size_t i = shown; i < order.size(); ++i) rest += terms[order[i]].product();
  heading("THE LARGEST TERMS");
  for (std::size_t i = 0; i < shown; ++i) {
    const StoryTerm& term = terms[order[i]];
    value_row(format_offset(term.dx, term.dy).c_str(), with_minus(format_weight(term.weight, 5)) + " × " +
                                                           number(term.input) + " = " + number(term.product()) +
                                                           (term.outside ? "   ghost cell" : ""));
  }
  if (order.size() > shown)
    value_row("all others", format_count(static_cast<std::int64_t>(order.size() - shown)) + " terms: " + number(rest));
}

void draw_terms(const std::vector<StoryTerm>& terms, const Filter& filter) {
  if (filter.width <= widest_grid && filter.height <= widest_grid)
    draw_grid(terms, filter.width, filter.height);
  else
    draw_largest(terms);
}

void draw_sum(const PixelStory& story, const StorySum& sum, const Stats& stats, int channel) {
  const Problem& p = story.problem;
  const Filter& f = p.filter;
  if (f.is_magnitude()) {
    value_row("Both sums", number(sum.sum) + " and " + number(sum.sum_y));
    value_row("√(x² + y²)", number(sum.magnitude, 6));
  } else {
    value_row("Sum", number(sum.sum, 6));
  }
  if (f.gain != 1 || f.bias != 0)
    value_row("Gain, bias", "× " + number(f.gain) + " + " +
                                number(static_cast<double>(f.bias) * white_level(p.format)) + " = " +
                                number(sum.scaled, 6));
  if (f.absolute) value_row("Absolute", number(sum.value, 6));
  if (p.format == PixelFormat::rgba8)
    value_row("Rounded", number(sum.stored) + (sum.value < 0 || sum.value > 255 ? ", held within 0 to 255" : ""),
              "The result is rounded to the nearest code value and then clamped to what a byte holds.");
  const auto pane = static_cast<std::size_t>(story.pane);
  if (pane < stats.inspect.patches.size()) {
    const PixelValue seen = stats.inspect.patches[pane].at(story.pixel.x, story.pixel.y);
    if (seen.channels > 0)
      value_row("In the pane", p.format == PixelFormat::rgba8 ? std::to_string(static_cast<int>(seen.values[channel]))
                                                              : number(seen.values[0], 7));
  }
}

void draw_numbers(const PixelStory& story, const Stats& stats) {
  int& channel = inspect_state().channel;
  if (story.problem.format == PixelFormat::rgba8) {
    constexpr const char* labels[] = {"red", "green", "blue"};
    segmented("story-channel", labels, &channel, "The channel whose numbers are shown");
  }
  const StorySum sum = add_up(story, channel);
  if (!sum.complete) {
    text_dim("The inputs have not arrived yet.");
    return;
  }
  push_font(Font::small);
  text_coloured(theme().faint, "weight × input = product, for each tap of the filter");
  pop_font();
  draw_terms(sum.terms, story.problem.filter);
  if (!sum.terms_y.empty()) {
    heading("SECOND SET OF WEIGHTS");
    draw_terms(sum.terms_y, story.problem.filter);
  }
  draw_sum(story, sum, stats, channel);
}

}  // namespace

StoryInks story_inks() {
  const Theme& t = theme();
  return {t.accent, t.negative, t.error, IM_COL32(255, 255, 255, 235)};
}

const KernelStep* chosen_step(const PixelStory& story) {
  const auto& steps = story.explanation.steps;
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

void draw_story_window(const Stats& stats, Settings& settings, const Area& sheet) {
  if (!shows_explanation(settings)) return;
  if (!begin_sheet("story", "Explain this pixel", sheet, settings.inspect.explain,
                   "Close" + keys_of("Explain a pixel")))
    return;
  const auto& story = stats.inspect.story;
  if (!story) {
    text_dim("Click a pixel of the picture to see, here and over the picture, how it was made" +
             keys_of("Pin the pixel under the cursor") + ".");
  } else {
    push_font(Font::strong);
    text_coloured(theme().text, (story->strategy.empty() ? std::string("Source") : story->strategy) + "  ·  pixel (" +
                                    std::to_string(story->pixel.x) + ", " + std::to_string(story->pixel.y) + ")");
    pop_font();
    draw_how(*story);
    if (!story->inputs.empty()) {
      ImGui::Dummy({0, px(4)});
      draw_numbers(*story, stats);
    }
  }
  end_sheet();
}

}  // namespace convoscope::ui
