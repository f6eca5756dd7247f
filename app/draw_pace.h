#pragma once
// When a window whose pictures come from this machine's cores is drawn anew: at once when there is something new, at
// the display's rate while a person is at it, seldom when nothing happens. Drawing takes the cores' time too.
#include <algorithm>

namespace convoscope {

class DrawPace {
 public:
  struct Needs {
    bool news = false;      // a frame, a filtered picture, an event
    bool moving = false;    // a recording, a view that blinks: at the display's rate
    bool counting = false;  // seconds under way, messages that fade
  };

  void input(double now) {
    awake_until_ = now + awake_after_input;
    drawings_due_ = drawings_after_input;
  }
  void drew(double now) {
    drawn_ = now;
    drawings_due_ = std::max(drawings_due_ - 1, 0);
  }
  // Seconds from now until the next drawing; none: at once.
  double pause(double now, const Needs& needs) const {
    const bool soon = needs.news || needs.moving || now < awake_until_ || drawings_due_ > 0;
    return std::max(drawn_ + (soon ? shortest : needs.counting ? while_counting : longest) - now, 0.0);
  }

 private:
  static constexpr double awake_after_input = 0.3;
  // What is under the mouse lights up a drawing later, and what is said of a pixel is fetched by the one before: also
  // where a drawing takes longer than that.
  static constexpr int drawings_after_input = 3;
  static constexpr double shortest = 1 / 61.0, while_counting = 0.1, longest = 5;
  double awake_until_ = 0, drawn_ = -longest;
  int drawings_due_ = 0;
};

}  // namespace convoscope
