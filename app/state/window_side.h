#pragma once
// Which width, and which height, of the window is worth remembering: what the user gave it, not what a small screen or
// an option of the command line forced on it.
#include <optional>

namespace convoscope {

class WindowSide {
 public:
  // `kept`: remembered so far, 0: nothing; `asked`: of the window when it was opened; `room`: the screen's, 0: unknown.
  int to_remember(int kept, int asked, int now, int room) {
    if (!opened_) opened_ = now;
    if (now == *opened_) return kept;  // not touched
    opened_ = 0;
    const int wish = kept > 0 ? kept : asked;
    const bool fills_screen = room > 0 && now * 10 >= room * 9;
    return wish > room && fills_screen ? kept : now;
  }

 private:
  std::optional<int> opened_;
};

}  // namespace convoscope
