#pragma once
// The messages that were shown since the program began.
#include <array>
#include <ctime>
#include <string>
#include <vector>

#include "app/state/stats.h"

namespace convoscope::ui {

// What has been said since the program started, by time of day; the same words said again are counted.
struct PastMessage {
  MessageLevel level = MessageLevel::information;
  std::string text;
  std::vector<MessageButton> buttons{};
  std::time_t at = 0;  // the last time
  int count = 1;
};

struct PastMessages {
  std::vector<PastMessage> all;        // the newest at the back
  double until = -1;                   // on the program's clock: what was said then is among them
  std::array<std::string, 2> notices;  // as they were told: of the backend and of how pictures reach the screen
  std::string filter_error;            // likewise, of the last edit
};

}  // namespace convoscope::ui
