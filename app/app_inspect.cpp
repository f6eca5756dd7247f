// Looking closely: checks against the reference, the pixel under the cursor, histogram and vectorscope.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/app.h"
#include "app/inspect/pane_tensors.h"
#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "app/ui/stage/zoom.h"

namespace convoscope {

static_assert(Scopes::chroma_bins == vectorscope_bins);
namespace {

constexpr int most_counted_on_gpu = 4'000'000, most_counted_in_software = 250'000;  // pixels of a histogram

// The pane that shows this point of the framebuffer; −1: none.
int pane_at(const Composition& composition, int count, float x, float y) {
  for (int i = 0; i < count; ++i) {
    const Rectangle seen = visible_rectangle(composition, i, count);
    if (x >= seen.x && x < seen.x + seen.width && y >= seen.y && y < seen.y + seen.height) return i;
  }
  return -1;
}

// A pane that should show the same as this one, to compare with; −1: none.
int twin_of(const Settings& settings, int pane) {
  const auto work = [&](int i) {
    return problem_of(settings.panes[static_cast<std::size_t>(i)], work_of(settings), 1, 1, settings.format);
  };
  const Problem own = work(pane);
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i) {
    if (i == pane || settings.panes[static_cast<std::size_t>(i)].strategy == "source") continue;
    const Problem other = work(i);
    if (other.border == own.border && other.filter == own.filter) return i;
  }
  return -1;
}

constexpr bool is_on(const Wall& wall, const WallPixel& at) { return at.x < wall.width && at.y < wall.height; }

// Where a pane shows that place: of a layer that of its map, which is then shown alone if it has to be.
PixelAddress shown_at(const CheckResult& check, std::optional<Wall> wall, WallSettings& settings) {
  if (!wall) return {check.x, check.y};
  if (wall->frames) {
    wall->frames = settings.frames = false;
    wall->maps = check.channel + 1;
    wall->alone = settings.map = check.channel;
  }
  if ((wall->alone >= 0 && wall->alone != check.channel) ||
      !is_on(*wall, pixel_on_wall(*wall, check.channel, check.x, check.y)))
    wall->alone = settings.map = check.channel;
  const WallPixel at = pixel_on_wall(*wall, check.channel, check.x, check.y);
  return {at.x, at.y};
}

// After "wrong at (x, y)".
std::string which_channel(const CheckResult& check, const PaneStats& pane, PixelFormat format) {
  if (pane.wall) return fmt::format(" of map {}", check.channel + 1);
  constexpr const char* names[] = {"red", "green", "blue", "alpha"};
  return format == PixelFormat::gray32f ? "" : std::string(" in ") + names[std::clamp(check.channel, 0, 3)];
}

}  // namespace

// After present(), so that no copy of this lies between the panes and the screen. Their results of earlier frames come
// in, and this frame's are asked for.
void App::inspect() {
  if (!stage_->has_picture()) {
    stats_.inspect = {};
    return;
  }
  checker_->observe(stage_->panes(), stats_.frames_shown, stats_.now, stats_.panes);
  inspector_->observe(stage_->panes(), settings_, stats_.panes, stats_.inspect);
}

// From the picture that the panes have had, while they rest. What is learnt is the layer's from the next frame on.
void App::learn() {
  Learner::Asked asked = std::exchange(learning_asked_, {});
  asked.rest = sweep_.measuring() || limits_->is_measuring();
  const Learner::Answer answer = learner_->observe(stage_->panes().input(), settings_, asked, stats_.learn);
  if (answer.weights) {
    settings_.layer.weights = *answer.weights;
    settings_.layer.bank = custom_bank;
  }
  if (answer.further) put_layers_behind(settings_.layer, *answer.further, settings_.learn.task == LearnTask::denoise);
  if (answer.stop) settings_.learn.running = false;
}

// Of panes that can be read between two runs alone: cores that have done with one frame may begin the next at once, and
// then be at work whenever a frame of the window comes to inspect().
void App::inspect_at_rest() {
  PaneSet& panes = stage_->panes();
  for (int i = 0; i < panes.size(); ++i)
    if (is_read_at_rest(panes.runner(i)) && can_be_read(panes, panes.runner(i))) {
      inspect();
      inspected_at_rest_ = true;
      return;
    }
}

// After present(): the textures hold this frame.
void App::count_colours(std::span<const PaneTexture> textures) {
  InspectStats& inspect = stats_.inspect;
  const bool wanted = settings_.inspect.histogram || settings_.inspect.vectorscope;
  if (!wanted || textures.empty()) {
    for (auto& bins : inspect.histogram) bins.clear();
    inspect.vectorscope.clear();
    inspect.histogram_pane = -1;
    return;
  }
  if (!scopes_) scopes_ = Scopes::make();
  if (Scopes::Counts counts; scopes_->take(counts, false)) {
    std::ranges::move(counts.histogram, std::begin(inspect.histogram));
    inspect.vectorscope = std::move(counts.vectorscope);
    inspect.histogram_step = counts.step;
    inspect.histogram_pane = counts.tag;
  }
  const bool software = stats_.renderer.find("llvmpipe") != std::string::npos;
  const int pane = inspect.pane >= 0 ? inspect.pane : settings_.active_pane;
  if (pane < static_cast<int>(textures.size()))
    scopes_->request(textures[static_cast<std::size_t>(pane)], pane,
                     software ? most_counted_in_software : most_counted_on_gpu);
}

// Where the pictures lie, and which of their pixels is looked at: the pinned one, else the one under the cursor.
void App::find_pixel(const Composition& composition, std::span<const PaneTexture> textures) {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale_x = io.DisplayFramebufferScale.x, scale_y = io.DisplayFramebufferScale.y;
  const int count = static_cast<int>(textures.size());
  layout_.pictures.clear();
  for (int i = 0; i < count; ++i) {
    const PaneTexture& texture = textures[static_cast<std::size_t>(i)];
    const Rectangle at =
        picture_rectangle(pane_rectangle(composition, i, count), composition, texture.width, texture.height);
    layout_.pictures.push_back({at.x / scale_x, at.y / scale_y, at.width / scale_x, at.height / scale_y});
  }
  InspectStats& inspect = stats_.inspect;
  inspect.under_cursor.reset();
  const float mouse_x = io.MousePos.x, mouse_y = io.MousePos.y;
  inspect.pane = io.WantCaptureMouse ? -1 : pane_at(composition, count, mouse_x * scale_x, mouse_y * scale_y);
  if (inspect.pane >= 0) {
    const UiLayout::Pane& picture = layout_.pictures[static_cast<std::size_t>(inspect.pane)];
    const PaneTexture& texture = textures[static_cast<std::size_t>(inspect.pane)];
    const float across = (mouse_x - picture.x) / std::max(picture.width, 1e-3f);
    const float down = (mouse_y - picture.y) / std::max(picture.height, 1e-3f);
    if (across >= 0 && across < 1 && down >= 0 && down < 1)
      inspect.under_cursor = PixelAddress{static_cast<int>(across * static_cast<float>(texture.width)),
                                          static_cast<int>(down * static_cast<float>(texture.height))};
  }
  std::optional<PixelAddress>& pinned = settings_.inspect.pinned;
  if (pinned && count > 0 &&
      (pinned->x >= textures[0].width || pinned->y >= textures[0].height || pinned->x < 0 || pinned->y < 0))
    pinned.reset();  // of a larger picture
  inspect.pixel = pinned ? pinned : inspect.under_cursor;
  if (pinned && inspect.pane < 0) inspect.pane = std::min(settings_.active_pane, count - 1);
}

void App::show_wrong_pixel(int pane) {
  if (pane < 0 || pane >= static_cast<int>(stats_.panes.size()) || pane >= static_cast<int>(settings_.panes.size()))
    return;
  const PaneStats& row = stats_.panes[static_cast<std::size_t>(pane)];
  const CheckResult& check = row.check;
  if (check.state != CheckResult::State::wrong) return;
  settings_.active_pane = pane;
  if (const int twin = twin_of(settings_, pane); twin >= 0) {
    settings_.view = View::difference;
    settings_.difference.first = pane;
    settings_.difference.second = twin;
  } else {
    settings_.view = View::single;
  }
  ui::look_at_pixel(shown_at(check, row.wall, settings_.wall), stats_, settings_);
  message(MessageLevel::warning,
          fmt::format("{} is wrong at ({}, {}){}: the reference is {:.6g}, the output {:.6g}, {:.3g} more than the "
                      "rounding that is permitted.",
                      row.title, check.x, check.y, which_channel(check, row, settings_.format), check.expected,
                      check.actual, check.max_error - check.tolerance));
}

}  // namespace convoscope
