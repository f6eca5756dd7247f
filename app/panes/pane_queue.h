#pragma once
// In which order panes take their turns on the cores.
#include <chrono>
#include <vector>

#include "app/panes/pane_executor.h"

namespace convoscope {

// What is not seen may hold up the next frame for so long, once: then it waits for a picture that stays.
inline constexpr std::chrono::milliseconds unseen_pane_patience(30);

class PaneQueue {
 public:
  struct Order {
    std::vector<PaneRunner*> panes;
    std::size_t seen = 0;  // of them, the first ones
    bool all_made = true;  // their pictures are there already
  };

  void add(const PaneTurn&);
  // Slow ones come after the quick ones, and those that are not seen last: by themselves, and only where the frame is
  // unhurried, if they take long. The queue is empty then.
  Order take_order(bool unhurried);

 private:
  Order next_;
  std::vector<PaneRunner*> unseen_, slow_unseen_;
};

}  // namespace convoscope
