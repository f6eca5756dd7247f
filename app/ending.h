#pragma once
// The end: what the user made is finished, and what was asked for is written, whether or not there is a display that
// answers. On main's thread.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/capture/capture.h"
#include "app/cli/arguments.h"
#include "app/cli/stop_signal.h"
#include "app/exit_deadline.h"
#include "app/panes/filter_step.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/chosen_device.h"
#include "app/steps/file_desk.h"
#include "app/steps/inspect_step.h"
#include "app/steps/learn_step.h"
#include "app/steps/measure_step.h"
#include "app/steps/message_poster.h"
#include "app/steps/render_step.h"
#include "app/steps/session_step.h"
#include "app/steps/sound_step.h"
#include "app/steps/source_step.h"
#include "app/steps/sweep_step.h"

namespace convoscope {

class Ending {
 public:
  // All that has something to finish, to write or to end. They outlive this.
  struct Parts {
    const Invocation& invocation;
    const StopSignal& stop;
    const MessagePoster& poster;
    const Settings& settings;
    Stats& stats;
    const ChosenDevice& device;
    const std::unique_ptr<FilterStep>& filter;  // null where the end comes before it is made; the same
    const std::unique_ptr<Capture>& capture;
    RenderStep& render;
    SourceStep& source;
    SoundStep& sound;
    MeasureStep& measuring;
    SweepStep& sweep;
    InspectStep& inspection;
    LearnStep& learning;
    FileDesk& files;
    SessionStep& session;
  };
  explicit Ending(Parts parts) : parts_(parts) {}

  // From now on the program ends in order when the display goes away, and without it when it does not answer a while
  // after a signal has come.
  void watch_display();
  // A recording was asked for: until it begins, the end says that there is none.
  void await_recording() { awaits_recording_ = true; }
  bool recording_begins() { return std::exchange(awaits_recording_, false); }  // true: it was awaited until now

  // After the last frame. `measure` counts it, `draw` draws it once more without what only speaks to whoever watches.
  struct Last {
    std::function<void()> measure, draw;
    bool is_shown = true;               // what was asked for; else nothing of it is saved
    std::function<bool()> lacks_input;  // not all of it could be decoded; asked after measure(), which may learn of it
  };
  void finish(const Last&);
  void finish_without_window();  // no OpenGL, maybe in the middle of a frame: what the user made, and no more
  bool not_written() const { return not_written_; }  // something that the command line asked for
  // Before the parts go: the device reads nothing of theirs any more, and a display that goes away from then on ends
  // the program and nothing else.
  void close();

 private:
  void take_time_for(const std::function<void()>&);
  void finish_recordings(const Last&);
  std::string why_recording_is_a_part(const Last&) const;
  void write(const std::function<void()>&);
  void save_stats() const;
  void tell_what_was_not_recorded();
  void leave_what_is_not_made();
  int leave_without_display();
  void end_threads();

  const Parts parts_;
  std::optional<ExitDeadline> patience_;  // with a display that the context's end may wait for
  bool awaits_recording_ = false, not_written_ = false;
};

// What ran in place of what was asked for, and what did not run at all; in the window the pane says it. True: some
// pictures were not filtered.
bool tell_what_did_not_run(const Stats&);

}  // namespace convoscope
