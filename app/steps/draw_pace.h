#pragma once
// When a window whose pictures come from this machine's cores is drawn anew: at once when there is something new, at
// the display's rate while a person is at it, seldom when nothing happens. Drawing takes the cores' time too: what
// nobody waits for takes a small share of one, however long a drawing takes.
#include <algorithm>
#include <limits>

namespace convoscope {

class DrawPace {
 public:
  struct Needs {
    bool news = false;      // a frame, a filtered picture, an event
    bool moving = false;    // a recording, a view that blinks: at the display's rate
    bool counting = false;  // seconds under way
    bool figures = false;   // of a picture that stays: new times of it
    double changes_at = std::numeric_limits<double>::infinity();  // what is drawn, by itself: a message fades
  };

  void input(double now) {
    awake_until_ = now + awake_after_input;
    drawings_due_ = drawings_after_input;
  }
  void drew(double now) {
    drawn_ = now;
    drawings_due_ = std::max(drawings_due_ - 1, 0);
  }
  // That drawing, of the cores: processor seconds. Something else may have been at work meanwhile, hence the least.
  void took(double seconds) {
    costs_[1] = costs_[0];
    costs_[0] = seconds;
  }
  // Seconds from now until the next drawing; none: at once.
  double pause(double now, const Needs& needs) const {
    const bool soon = needs.news || needs.moving || now < awake_until_ || drawings_due_ > 0;
    const double unwatched = std::min(std::min(costs_[0], costs_[1]) / unwatched_share, longest_of_all);
    const double rest = soon             ? shortest
                        : needs.counting ? while_counting
                                         : std::max(needs.figures ? for_figures : longest, unwatched);
    const double change = std::max(needs.changes_at, drawn_ + shortest);
    return std::max(std::min(drawn_ + rest, change) - now, 0.0);
  }

 private:
  static constexpr double awake_after_input = 0.3;
  // What is under the mouse lights up a drawing later, and what is said of a pixel is fetched by the one before: also
  // where a drawing takes longer than that.
  static constexpr int drawings_after_input = 3;
  static constexpr double shortest = 1 / 61.0, while_counting = 0.1, for_figures = 2, longest = 5;
  static constexpr double unwatched_share = 0.02, longest_of_all = 30;
  double awake_until_ = 0, drawn_ = -longest_of_all;
  double costs_[2] = {0, 0};  // of the last drawings
  int drawings_due_ = 0;
};

// Whether a window whose panes are filtered by a GPU may rest by that pace too. Each of its drawings filters anew, and
// that is how times come together and `auto` tries: so it goes on at the display's rate until nothing has stirred for a
// while. What is filtered after a rest finds the device's clocks low, so that its times do not count at first.
class GpuRest {
 public:
  void stirred(double now) { rests_from_ = now + patience; }  // by an input, a new picture, or what goes forward so
  bool rests(double now) {
    const bool rests = now >= rests_from_;
    if (rests) rested_ = now;
    return rests;
  }
  bool is_warm(double now) const { return now >= rested_ + warming_up; }

 private:
  static constexpr double patience = 5, warming_up = 1;  // seconds
  double rests_from_ = patience, rested_ = -warming_up;
};

}  // namespace convoscope
