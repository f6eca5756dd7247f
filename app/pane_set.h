#pragma once
// The panes at work: a runner and a row of statistics for each, in the order of the settings.
#include <memory>
#include <span>
#include <vector>

#include "app/measure/frame_order.h"
#include "app/pane_runner.h"

namespace convoscope {

class PaneSet {
 public:
  explicit PaneSet(Compute& compute) : compute_(compute) {}

  // Brings runners and `stats` into the order of `panes`, by PaneSettings::id: a pane that moves takes its plan and its
  // times with it, a closed one loses them, a new one starts with none. Panes without an id get one.
  void arrange(std::vector<PaneSettings>& panes, std::vector<PaneStats>& stats, int timing_window);
  // The panes as they were arranged, for pictures of this size. Allocates and makes plans where something changed.
  void configure(const std::vector<PaneSettings>& panes, int width, int height, PixelFormat);
  // Enqueues `in` through all panes, or only through those that changed, in a new random order. Around a change of any
  // pane the times of no pane count, and none while the caller knows the device to be busy otherwise (`quiet` false).
  void filter(const Image& in, bool all, bool quiet = true);
  std::span<const Image> outputs() const { return outputs_; }  // of the last filter()
  void collect(std::vector<PaneStats>&);                       // times of finished frames; never waits

  int size() const { return static_cast<int>(runners_.size()); }
  PaneRunner& runner(int position) { return *runners_[static_cast<std::size_t>(position)].runner; }

 private:
  struct Named {
    int id;
    std::unique_ptr<PaneRunner> runner;
  };
  Compute& compute_;
  std::vector<Named> runners_;
  std::vector<Image> outputs_;  // as interop takes them
  FrameOrder order_;
  std::size_t configured_ = 0;  // panes, the last time
  int uncounted_ = 0;           // frames still to come whose times do not count, in any pane
};

}  // namespace convoscope
