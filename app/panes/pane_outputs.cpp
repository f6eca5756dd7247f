#include "app/panes/pane_outputs.h"

#include <algorithm>

namespace convoscope {

void PaneOutputs::set_input(const DeviceImage& input, const FrameId& frame) {
  input_ = input;
  input_frame_ = frame;
}

void PaneOutputs::refresh() {
  const Image& shape = input_.image();
  before_.swap(pictures_), pictures_.clear();
  for (const IdentifiedPane& each : panes_) {
    const Image& own = each.runner->output();
    const bool fits = own.data && own.width == shape.width && own.height == shape.height && own.format == shape.format;
    pictures_.push_back(fits ? own : shape);
  }
  if (!std::ranges::equal(before_, pictures_, {}, &Image::data, &Image::data)) ++generation_;
}

bool PaneOutputs::show_one_frame(int first, int second) const {
  const void* inputs[2];
  for (int i = 0; const int position : {first, second}) {
    if (static_cast<std::size_t>(position) >= panes_.size() || is_input(position)) return false;
    inputs[i++] = pane_at(panes_, position).input().image().data;
  }
  return inputs[0] && inputs[0] == inputs[1];
}

void PaneOutputs::tell_frames(std::vector<PaneStats>& stats) const {
  const FrameId newest = newest_.value_or(FrameId());
  for (std::size_t i = 0; i < std::min(panes_.size(), stats.size()); ++i) {
    const PaneRunner& pane = *panes_[i].runner;
    // "source" does so before its turn, too.
    const bool is_own = pane.input() && (i >= pictures_.size() || pictures_[i].data != input_.image().data);
    const FrameId frame = is_own ? pane.frame() : input_frame_.value_or(FrameId());
    stats[i].stands_in = is_input(static_cast<int>(i));
    stats[i].frame_number = frame.number;
    stats[i].frames_behind = is_own ? frames_behind(frame, newest) : 0;
    stats[i].of_source_before = frame.source != newest.source;
  }
}

}  // namespace convoscope
