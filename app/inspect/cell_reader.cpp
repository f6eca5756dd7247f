#include "app/inspect/cell_reader.h"

#include <utility>

#include "app/inspect/pane_tensors.h"

namespace convoscope {
namespace {

constexpr std::size_t bytes_of_all = max_panes * most_cells * sizeof(float);

bool has_maps(const PaneRunner& runner) {
  return runner.view() && runner.strategy() && runner.problem().filter.is_bank();
}

// The planes that a pane's values are in; none where there are too many, or where they are being made anew.
std::vector<std::pair<Image, PatchDownload::Memory>> value_planes(PaneSet& panes, int pane) {
  const PaneRunner& runner = panes.runner(pane);
  std::vector<std::pair<Image, PatchDownload::Memory>> planes;
  if (!has_maps(runner)) {
    const Image& picture = panes.outputs()[static_cast<std::size_t>(pane)];
    planes.emplace_back(picture, PatchDownload::Memory::device);
  } else if (can_be_read(panes, runner)) {
    const auto [maps, memory] = output_of(runner);
    for (int map = 0; map < maps.shape.planes(); ++map) planes.emplace_back(plane_of(maps, map), memory);
  }
  std::size_t values = 0;
  for (const auto& [image, memory] : planes)
    values += static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  return values > most_cells ? decltype(planes)() : planes;
}

}  // namespace

void CellReader::observe(PaneSet& panes, bool wanted, InspectStats& stats) {
  if (asked_ && download_->arrived()) take(stats);
  if (!wanted) stats.cells.clear();
  if (!wanted || asked_ || panes.outputs().empty()) return;
  if (!download_) download_.emplace(compute_, bytes_of_all);
  ask(panes);
  if (download_->arrived()) take(stats);  // on the CPU it is there at once
}

void CellReader::ask(PaneSet& panes) {
  download_->begin();
  planes_.clear();
  const int count = std::min(panes.size(), static_cast<int>(panes.outputs().size()));
  for (int pane = 0; pane < count; ++pane) {
    int added = 0;
    for (const auto& [image, memory] : value_planes(panes, pane))
      added += download_->add(image, {0, 0, image.width, image.height}, memory);
    planes_.push_back(added);
  }
  download_->end();
  asked_ = true;
}

void CellReader::take(InspectStats& stats) {
  stats.cells.resize(planes_.size());
  auto patch = download_->patches().begin();
  for (std::size_t pane = 0; pane < planes_.size(); ++pane) {
    std::vector<PixelPatch>& cells = stats.cells[pane];
    cells.resize(static_cast<std::size_t>(planes_[pane]));
    for (std::size_t i = 0; i < cells.size(); ++i, ++patch) {
      cells[i].area = patch->area;
      cells[i].format = patch->format;
      cells[i].plane = static_cast<int>(i);
      cells[i].pixels.assign(patch->pixels, patch->pixels + static_cast<std::size_t>(patch->area.width) *
                                                                static_cast<std::size_t>(patch->area.height));
    }
  }
  asked_ = false;
}

}  // namespace convoscope
