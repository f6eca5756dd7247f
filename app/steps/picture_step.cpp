#include "app/steps/picture_step.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/panes/shown_pictures.h"
#include "app/ui/memory/ui_state.h"
#include "kernels/text/error.h"

namespace convoscope {

PictureStep::PictureStep(Compute& compute) : interop_(make_interop(compute)) {}

void PictureStep::go_on_with(Compute& compute) { interop_ = make_interop(compute); }

void PictureStep::begin_panes() {
  presented_ = -1;
  shown_difference_ = {};
}

void PictureStep::prepare(FilterStep& filter, const Settings& settings) {
  if (!filter.has_picture()) return;
  const Image& shape = filter.shape();
  try {
    interop_->resize(filter.panes().size() + shows_source_behind_panes(settings, ui::flick_pane(settings)), shape.width,
                     shape.height, shape.format);
  } catch (const Error&) {  // a picture too large to show
    filter.forget();
    throw;
  }
}

bool PictureStep::takes_textures(FilterStep& filter, const Settings& settings) const {
  return filter.on_gpu() && filter.has_picture() && !ShownDifference::may_stay(filter.panes(), settings);
}

void PictureStep::begin_filtering(FilterStep& filter, const Settings& settings) {
  if (filter.on_gpu()) prepare(filter, settings);
  if (takes_textures(filter, settings)) interop_->begin();
}

void PictureStep::take_ahead(FilterStep& filter, const Settings& settings) {
  if (takes_textures(filter, settings)) interop_->take_ahead();
}

void PictureStep::present(FilterStep& filter, const Settings& settings, Stats& stats) {
  PaneSet& panes = filter.panes();
  panes.collect(stats.panes);  // of what is drawn now: it may be long until the next drawing
  if (!filter.has_picture()) return;
  const int pictures = panes.size() + shows_source_behind_panes(settings, ui::flick_pane(settings));
  const bool takes = shown_difference_.takes(panes, settings, pictures, filter.shape());
  stats.difference.shown = shown_difference_.is_there();
  if (!takes) return;
  const std::size_t before = shown_.size();
  shown_.assign(panes.outputs().begin(), panes.outputs().end());
  if (shows_source_behind_panes(settings, ui::flick_pane(settings))) shown_.push_back(panes.input().image());
  // From the host's memory: only what is not there yet.
  const int presented = std::exchange(presented_, panes.generation());
  if (!filter.on_gpu() && shown_.size() == before && presented == presented_) return;
  interop_->present(shown_);
}

void PictureStep::begin_drawing() {
  interop_->give_back();  // where nothing was presented
  draw_timer_->start();
}

void PictureStep::draw(const Composition& composition, const FilterStep& filter) {
  composition_ = composition;
  compositor_->draw(textures(filter), composition_);
}

std::span<const PaneTexture> PictureStep::textures(const FilterStep& filter) const {
  return filter.has_picture() ? interop_->textures() : std::span<const PaneTexture>{};
}

Composition compose(const Settings& settings, const Stats& stats, const UiLayout& layout, const FilterStep& filter,
                    float scale) {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale_x = io.DisplayFramebufferScale.x, scale_y = io.DisplayFramebufferScale.y;
  Composition composition;
  composition.view = shown_view(settings);
  const int flick = ui::flick_pane(settings);
  composition.active = flick >= 0              ? flick
                       : flick == flick_source ? source_position(settings, flick)
                                               : settings.group().active_pane;
  composition.split = settings.split;
  composition.difference = settings.difference;
  composition.difference_shown = stats.difference.shown;
  composition.blink_seconds = settings.blink_seconds;
  composition.area = {layout.picture_x * scale_x, layout.picture_y * scale_y, layout.picture_width * scale_x,
                      layout.picture_height * scale_y};
  composition.zoom = settings.zoom;
  composition.pixel_aspect = stats.source.pixel_aspect;
  composition.has_alpha = filter.has_alpha();
  if (const auto [width, height] = std::pair(stats.source.width, stats.source.height); width > 0 && height > 0)
    composition.picture_aspect = std::max(stats.source.pixel_aspect, 1e-3) * width / height;
  composition.seconds = stats.now;
  for (std::size_t i = 0; i < std::min(stats.panes.size(), composition.looks.size()); ++i)
    if (const PaneStats& pane = stats.panes[i]; pane.wall && !pane.stands_in && pane.strategy != "source")
      composition.looks[i] = look_of(*pane.wall);
  composition.line_scale = scale * (settings.projector ? 1.5f : 1.0f);
  if (settings.light_theme) std::fill(std::begin(composition.background), std::end(composition.background), 0.86f);
  return composition;
}

}  // namespace convoscope
