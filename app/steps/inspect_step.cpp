#include "app/steps/inspect_step.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/inspect/pane_tensors.h"
#include "app/panes/shown_pictures.h"

namespace convoscope {

static_assert(Scopes::chroma_bins == vectorscope_bins);
namespace {

constexpr int most_counted_on_gpu = 4'000'000, most_counted_in_software = 250'000;  // pixels of a histogram

// Where the pictures lie, and which of their pixels is looked at: the pinned one, else the one under the cursor.
void find_pixel(const Composition& composition, std::span<const PaneTexture> textures, Settings& settings,
                InspectStats& inspect, UiLayout& layout) {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale_x = io.DisplayFramebufferScale.x, scale_y = io.DisplayFramebufferScale.y;
  const int count = static_cast<int>(textures.size());
  layout.pictures.clear();
  for (int i = 0; i < count; ++i) {
    const PaneTexture& texture = textures[static_cast<std::size_t>(i)];
    const Rectangle at =
        picture_rectangle(pane_rectangle(composition, i, count), composition, texture.width, texture.height);
    layout.pictures.push_back({at.x / scale_x, at.y / scale_y, at.width / scale_x, at.height / scale_y});
  }
  inspect.under_cursor.reset();
  const float mouse_x = io.MousePos.x, mouse_y = io.MousePos.y;
  inspect.pane = io.WantCaptureMouse ? -1 : pane_at(composition, count, mouse_x * scale_x, mouse_y * scale_y);
  if (inspect.pane >= 0) {
    const UiLayout::Pane& picture = layout.pictures[static_cast<std::size_t>(inspect.pane)];
    const PaneTexture& texture = textures[static_cast<std::size_t>(inspect.pane)];
    const float across = (mouse_x - picture.x) / std::max(picture.width, 1e-3f);
    const float down = (mouse_y - picture.y) / std::max(picture.height, 1e-3f);
    if (across >= 0 && across < 1 && down >= 0 && down < 1)
      inspect.under_cursor = PixelAddress{static_cast<int>(across * static_cast<float>(texture.width)),
                                          static_cast<int>(down * static_cast<float>(texture.height))};
  }
  std::optional<PixelAddress>& pinned = settings.inspect.pinned;
  if (pinned && count > 0 &&
      (pinned->x >= textures[0].width || pinned->y >= textures[0].height || pinned->x < 0 || pinned->y < 0))
    pinned.reset();  // of a larger picture
  inspect.pixel = pinned ? pinned : inspect.under_cursor;
  if (pinned && inspect.pane < 0) inspect.pane = std::min(settings.group().active_pane, count - 1);
}

// Of the pane whose pixel is explained, as the settings ask for it: the picture follows when it is made anew.
std::optional<Wall> wanted_wall(const Settings& settings, const Stats& stats) {
  const int pane = explained_pane(settings);
  if (pane < 0 || pane >= static_cast<int>(stats.panes.size())) return {};
  std::optional<Wall> wall = stats.panes[static_cast<std::size_t>(pane)].wall;
  if (!wall || wall->frames || settings.wall.frames) return {};
  wall->alone = std::clamp(settings.wall.map, -1, wall->maps - 1);
  return wall;
}

}  // namespace

void InspectStep::begin(Compute& compute) {
  checker_ = std::make_unique<PaneChecker>(compute);
  inspector_ = std::make_unique<Inspector>(compute);
  cells_ = std::make_unique<CellReader>(compute);
}

void InspectStep::end() {
  checker_.reset();
  inspector_.reset();
  cells_.reset();
}

void InspectStep::read(FilterStep& filter, const Settings& settings, Stats& stats) {
  if (!filter.has_picture()) {
    stats.inspect = {};
    return;
  }
  checker_->observe(filter.panes(), stats.frames_shown, stats.now, stats.panes);
  inspector_->observe(filter.panes(), settings, stats.panes, stats.inspect);
  cells_->observe(filter.panes(), stats.source.numbers, stats.inspect);
}

void InspectStep::observe(FilterStep& filter, const Settings& settings, Stats& stats) {
  if (!std::exchange(observed_at_rest_, false)) read(filter, settings, stats);
}

// Cores that have done with one frame may begin the next at once, and then be at work whenever a frame of the window
// comes to observe().
void InspectStep::observe_at_rest(FilterStep& filter, const Settings& settings, Stats& stats) {
  PaneSet& panes = filter.panes();
  for (int i = 0; i < panes.size(); ++i)
    if (is_read_at_rest(panes.runner(i)) && can_be_read(panes, panes.runner(i))) {
      read(filter, settings, stats);
      observed_at_rest_ = true;
      return;
    }
}

void InspectStep::look_at_picture(const Composition& composition, std::span<const PaneTexture> textures,
                                  Settings& settings, Stats& stats, UiLayout& layout) {
  pin_.follow(settings.inspect.pinned, wanted_wall(settings, stats));
  find_pixel(composition, textures, settings, stats.inspect, layout);
  count_colours(textures, settings, stats);
}

namespace {

bool shows_maps(const PaneStats& pane) {
  return pane.wall && !pane.wall->frames && !pane.stands_in && pane.strategy != "source";
}

}  // namespace

void InspectStep::count_colours(std::span<const PaneTexture> textures, const Settings& settings, Stats& stats) {
  InspectStats& inspect = stats.inspect;
  const bool wanted = settings.inspect.histogram || settings.inspect.vectorscope;
  if (!wanted || textures.empty()) {
    for (auto& bins : inspect.histogram) bins.clear();
    inspect.vectorscope.clear();
    inspect.histogram_pane = -1;
    return;
  }
  if (!scopes_) scopes_ = Scopes::make();
  if (Scopes::Counts counts; scopes_->take_counts(counts, false)) {
    std::ranges::move(counts.histogram, std::begin(inspect.histogram));
    inspect.vectorscope = std::move(counts.vectorscope);
    inspect.histogram_step = counts.step;
    inspect.histogram_pane = counts.tag;
    const PaneStats* const counted = static_cast<std::size_t>(counts.tag) < stats.panes.size()
                                         ? &stats.panes[static_cast<std::size_t>(counts.tag)]
                                         : nullptr;
    inspect.histogram_of_maps = counted && shows_maps(*counted);
  }
  const bool software = stats.renderer.find("llvmpipe") != std::string::npos;
  const int pane = inspect.pane >= 0 ? inspect.pane : settings.group().active_pane;
  if (pane < static_cast<int>(textures.size()))
    scopes_->request(textures[static_cast<std::size_t>(pane)], pane,
                     software ? most_counted_in_software : most_counted_on_gpu,
                     settings.wall.colours && static_cast<std::size_t>(pane) < stats.panes.size() &&
                         shows_maps(stats.panes[static_cast<std::size_t>(pane)]));
}

}  // namespace convoscope
