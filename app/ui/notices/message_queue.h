#pragma once
// What is to be said now: of all messages and notices those that are neither too old nor put away, and how much of each
// is still to be seen.
#include <array>
#include <ctime>
#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/memory/past_messages.h"

namespace convoscope::ui {

struct Said {
  MessageLevel level = MessageLevel::information;
  std::string subject, text, key;
  bool notice =
      false;  // of how the program had to start; once put away or told it stays away, until it says something else
  float opacity = 1;
  std::vector<MessageButton> buttons{};
};

void note_past_messages(const Stats&);  // in every frame, whatever is drawn

// The newest first. Ages begin when a text is first seen: note_shown().
std::vector<Said> what_to_say(const Stats&, const Settings&);
void forget_told_filter_error(double now);            // of an edit: once it has been read, or put away
void put_told_notices_away(const Stats&, Settings&);  // those that were there for their time
void note_shown(const Said&, double now);
void rest_messages(const Stats&, const Settings&);  // in a frame whose page covers them: they wait, and grow no older
void show_notices_again(const Stats&, Settings&);   // and the hint of a first start
bool covers_messages();                             // a page or a sheet over the whole window: nothing may lie over it
void put_away(const Said&, Settings&);

}  // namespace convoscope::ui
