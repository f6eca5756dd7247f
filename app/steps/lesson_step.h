#pragma once
// The sheet of lessons: reads them, has their numbers worked out and answers checked, shows their sessions and keeps
// progress. Work is done by a process of its own, as a sweep is: what is measured or emulated takes seconds, shares
// constant memory with the view, and a pack may be damaged.
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/jobs/own_process.h"
#include "app/lessons/progress.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/message_poster.h"
#include "app/steps/session_step.h"
#include "app/ui/memory/lesson_card.h"

namespace convoscope {

class LessonStep {
 public:
  // Both outlive this. A lesson that the command line names is opened.
  LessonStep(const Invocation&, const MessagePoster&);

  // Once a frame, on the window's thread: obeys the wishes of lesson_card() and fills it. A number: another session is
  // shown, and its source is to be opened at that second.
  std::optional<double> follow(SessionStep&, Settings&, const Stats&);

 private:
  enum class Asked { nothing, list, step, verdict };

  void obey(const Settings&);
  std::optional<double> show_session(SessionStep&, Settings&, const Stats&);
  void ask(Asked, std::vector<std::string> arguments, const Settings&);
  void ask_for_step(int step, bool quick, const Settings&);
  void ask_for_verdict(int question, const Settings&);
  void take(const OwnProcess::Result&);
  void leave_step();
  void keep();
  std::string progress_name() const;

  const MessagePoster& poster_;
  const std::string pack_;
  OwnProcess process_;
  Asked asked_ = Asked::nothing;
  int asked_number_ = 0;   // of the step or the question
  bool measures_ = false;  // the step that is asked for
  lessons::LessonProgress progress_;
  std::optional<Settings> own_state_;  // what was shown before the lesson's first session
  double own_position_ = 0;
};

}  // namespace convoscope
