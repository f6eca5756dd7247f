#pragma once
// Keeps PaneStats::median_interval and ::speed_up up to date, a little in every frame and never inside what is timed.
#include <vector>

#include "app/measure/bootstrap.h"
#include "app/state/stats.h"

namespace convoscope {

class PaneStatistics {
 public:
  // Once a frame, after the times of the frame were added. Takes well under 0.2 ms; figures are renewed a few times a
  // second. `baseline`: position of the pane that speed-ups are against. What changed under it (a pane's strategy, the
  // order of the panes, cleared times) never gets figures of what was there before.
  void update(std::vector<PaneStats>&, int baseline, double now_seconds);
  void finish(std::vector<PaneStats>&, int baseline);  // the same to the end, at once: for what is left behind

 private:
  struct Subject {
    int id = 0, generation = 0;
    MedianBootstrap bootstrap;
  };

  void begin(const std::vector<PaneStats>&);
  bool is_same(const std::vector<PaneStats>&) const;
  void publish(std::vector<PaneStats>&, int baseline);

  std::vector<Subject> subjects_;
  std::size_t count_ = 0, next_ = 0;  // of the panes of this round; which one is drawn from
  std::vector<double> ratios_;
  double next_round_ = 0;
  bool running_ = false;
};

}  // namespace convoscope
