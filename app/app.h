#pragma once
// The program: owns everything, and takes each frame from the source to the screen. run() reads as one line a step.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/capture/capture.h"
#include "app/cli/arguments.h"
#include "app/cli/commands/frame_progress.h"
#include "app/cli/stop_signal.h"
#include "app/ending.h"
#include "app/files/paths.h"
#include "app/gl/window/context.h"
#include "app/inspect/timed_read_back.h"
#include "app/panes/filter_step.h"
#include "app/session/keeper.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/step_clock.h"
#include "app/steps/chosen_device.h"
#include "app/steps/file_desk.h"
#include "app/steps/frame_intake.h"
#include "app/steps/inspect_step.h"
#include "app/steps/learn_step.h"
#include "app/steps/lesson_step.h"
#include "app/steps/measure_step.h"
#include "app/steps/message_poster.h"
#include "app/steps/number_pixels.h"
#include "app/steps/picture_step.h"
#include "app/steps/render_step.h"
#include "app/steps/rest_step.h"
#include "app/steps/session_step.h"
#include "app/steps/sound_step.h"
#include "app/steps/source_step.h"
#include "app/steps/sweep_step.h"
#include "app/ui/parts/marks_file.h"
#include "app/ui/ui.h"
#include "kernels/text/error.h"

namespace convoscope {

class App {
 public:
  // `stop` outlives this and ends run(). `keeper`: keeps what the user sets; null where nothing is to be kept. Throws
  // Error when not even an offscreen context can be made.
  App(const Invocation&, const StopSignal& stop, Keeper* keeper = nullptr);
  ~App();
  // The exit code: 0; 2 when the source could not be shown offscreen, or what was asked for not be written; 3 when the
  // source was cut off, offscreen.
  int run();
  const Stats& stats() const { return stats_; }

 private:
  // The steps of a frame, in order.
  bool finished() const;
  void rest();         // until there is something to draw
  bool answer_user();  // false: the window is gone, and nothing may be drawn into it
  void take_frame();
  bool filter();  // true when a new picture is finished
  void present();
  void inspect();
  void learn();
  void draw();
  void record(bool new_picture);
  void show();
  void measure();
  void tell_progress();
  int end();

  // What the user does.
  void take_input();
  void take_mouse();
  void take_dropped(const std::vector<std::string>& files);
  void catch_up_with_input();
  void obey_requests();
  void obey_for_files(const Requests&);  // what is saved, recorded, rendered
  void follow_workbench();

  // What plays and what computes.
  void open_source(double position = 0, bool same_one = false);  // instead of what plays, at once
  void begin_source(bool same_one = false);
  bool get_frame();  // true when a new one arrived
  bool keeps_frame();
  void start_render(const std::string& path);  // throws Error
  void end_render(const std::string& remark);
  PlaybackSettings playback() const;
  FilterStep::Conditions conditions(double now) const;
  FrameIntake::Way intake_way();
  RenderStep::Way render_way() { return {source_, *filter_, *capture_}; }
  void change_device();
  void watch_device();
  void make_filters();
  void tell_failure(const Error&);
  void tell_place();
  void draw_window();
  void draw_alone();
  void measure_frame();
  bool failed() const { return failed_ || source_.failed(); }
  bool lacks_input() const;  // offscreen: not all that was asked for could be decoded
  Composition composed() const { return compose(settings_, stats_, layout_, *filter_, ui_scale_); }
  std::string whole(const std::string& path) const { return whole_path(path, stats_.files.started_in); }

  const Invocation invocation_;
  const StopSignal& stop_;
  Settings settings_;
  Requests requests_;
  Stats stats_;
  const MessagePoster poster_{stats_.messages};

  SessionStep session_;
  LessonStep lessons_;
  ChosenDevice device_;
  Ending ending_;  // before the context, whose end may have to wait for the display
  std::unique_ptr<Context> context_;
  std::unique_ptr<PictureStep> picture_;
  SourceStep source_{invocation_, poster_};
  FrameIntake intake_;
  NumberPixels number_pixels_;
  SoundStep sound_{poster_};
  RestStep rest_{poster_};
  RenderStep render_;
  std::unique_ptr<FilterStep> filter_;
  MeasureStep measuring_{poster_};
  SweepStep sweep_{poster_};
  InspectStep inspection_;
  LearnStep learning_;
  FileDesk files_;
  std::unique_ptr<TimedReadBack> read_back_;  // null but for bench --frame
  std::unique_ptr<Capture> capture_;

  UiLayout layout_;
  float ui_scale_ = 1;
  double saw_picture_ = 0;   // when the stage was last not empty, or nothing was to be seen
  bool closes_ = false;      // the frame at hand is drawn to be saved alone
  bool says_apart_ = false;  // what only speaks to whoever watches is drawn after the frame has been saved
  bool window_destroyed_ = false;
  bool failed_ = false;  // a picture could not be filtered, and nobody is there to mend it
  MarksFile marks_;
  StepClock step_clock_;
  FrameProgress told_progress_;
};

}  // namespace convoscope
