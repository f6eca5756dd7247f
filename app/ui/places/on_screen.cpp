#include "app/ui/places/on_screen.h"

#include "app/files/paths.h"
#include "app/state/waveform.h"

namespace convoscope::ui {

Area on_screen(const UiLayout& layout, const Stats& stats, int pane, const PixelArea& area) {
  const auto index = static_cast<std::size_t>(pane);
  if (pane < 0 || index >= layout.pictures.size() || stats.source.width <= 0 || stats.source.height <= 0) return {};
  const UiLayout::Pane& picture = layout.pictures[index];
  const float across = picture.width / static_cast<float>(stats.source.width);
  const float down = picture.height / static_cast<float>(stats.source.height);
  return {picture.x + static_cast<float>(area.x) * across, picture.y + static_cast<float>(area.y) * down,
          static_cast<float>(area.width) * across, static_cast<float>(area.height) * down};
}

std::string pane_title(const Stats& stats, const Settings& settings, int pane) {
  const auto index = static_cast<std::size_t>(pane);
  if (index < settings.group().panes.size()) return settings.group().panes[index].strategy;
  return index == settings.group().panes.size() ? unfiltered_title(stats.source) : std::string();
}

std::string unfiltered_title(const SourceStats& source) {
  const bool drawn_from_sound = source.description.starts_with(waveform_description);
  return (drawn_from_sound ? "Waveform of " + printable(source_name(source.name)) : "Source") + ", unfiltered";
}

}  // namespace convoscope::ui
