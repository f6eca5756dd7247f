#pragma once
// What is shown of each pane: its own picture, or the input until it has made one of that size.
#include <optional>
#include <span>
#include <vector>

#include "app/panes/frame_id.h"
#include "app/panes/pane_list.h"
#include "app/state/stats.h"

namespace convoscope {

class PaneOutputs {
 public:
  explicit PaneOutputs(const PaneList& panes) : panes_(panes) {}

  // The input that was filtered last, and stands in where a pane has nothing of its own.
  const DeviceImage& input() const { return input_; }
  std::span<const Image> pictures() const { return pictures_; }  // one of each pane, all of one size
  int generation() const { return generation_; }                 // another one when pictures() may be others
  bool is_input(int position) const {                            // for want of anything better
    const auto i = static_cast<std::size_t>(position);
    return i < pictures_.size() && pictures_[i].data == input_.image().data && panes_[i].runner->strategy();
  }
  bool show_one_frame(int first, int second) const;
  void tell_frames(std::vector<PaneStats>&) const;  // of which each picture is, and how far it is behind

  void set_input(const DeviceImage&, const FrameId&);
  void see_input() { newest_ = std::max(newest_, input_frame_); }
  void see(const FrameId& frame) { newest_ = std::max(newest_, std::optional(frame)); }  // in some pane
  void refresh();                                                                        // from the panes
  void renew() {  // the same, where it is known that some are others
    ++generation_;
    refresh();
  }
  void forget_pictures() {
    input_ = {};
    pictures_.clear();
  }

 private:
  const PaneList& panes_;
  std::vector<Image> pictures_, before_;  // as interop takes them
  DeviceImage input_;
  std::optional<FrameId> input_frame_;  // that input_ is, or was last
  std::optional<FrameId> newest_;       // that is seen
  int generation_ = 0;
};

}  // namespace convoscope
