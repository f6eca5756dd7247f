#pragma once
// The program: owns everything, and takes each frame from the source to the screen. run() reads as one line a step.
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/capture/capture.h"
#include "app/cli/arguments.h"
#include "app/cli/commands/frame_progress.h"
#include "app/cli/stop_signal.h"
#include "app/draw_pace.h"
#include "app/exit_deadline.h"
#include "app/files/paths.h"
#include "app/gl/compositor/compositor.h"
#include "app/gl/gl_timer.h"
#include "app/gl/interop/interop.h"
#include "app/gl/window/context.h"
#include "app/inspect/shown_difference.h"
#include "app/inspect/timed_read_back.h"
#include "app/panes/centring.h"
#include "app/panes/filter_step.h"
#include "app/session/keeper.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/step_clock.h"
#include "app/steps/file_desk.h"
#include "app/steps/inspect_step.h"
#include "app/steps/learn_step.h"
#include "app/steps/measure_step.h"
#include "app/steps/message_poster.h"
#include "app/steps/session_step.h"
#include "app/steps/sound_step.h"
#include "app/steps/source_step.h"
#include "app/steps/sweep_step.h"
#include "app/ui/parts/marks_file.h"
#include "app/ui/ui.h"
#include "kernels/compute/compute.h"

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
  void rest();  // until there is something to draw
  bool gpu_rests(double now);
  void take_input();
  void catch_up_with_input();
  void obey_requests();
  bool take_frame();  // true when a new one arrived
  SourceStep::Taken take_of_source();
  std::optional<VideoFrame> centred(std::optional<VideoFrame>);
  bool lead_in(std::int64_t number);
  bool keeps_frame();
  bool filter();  // true when a new picture is finished
  void present();
  void draw();
  void record(bool new_picture);
  void measure();
  bool finished() const;
  bool failed() const { return failed_ || source_.failed(); }
  bool look_for_news();
  void filter_again();
  FilterStep::Conditions conditions(double now) const;
  bool wants_other_device() const {
    return settings_.backend != backend_at_hand_ || (filters_on_gpu() && settings_.device != device_at_hand_);
  }
  bool filters_on_gpu() const { return stats_.device.backend == Backend::cuda; }
  PlaybackSettings playback() const;
  // Nobody listens to what is rendered, or filtered offscreen: its sound is copied.
  bool is_heard() const { return !context_->offscreen() && !rendering_ && source_.plays(); }
  void tell_place();
  void prepare_textures();
  void take_textures_ahead();
  void make_filters();
  // Longer than a frame of the source is to be seen, with some allowance for the display's own pace.
  double slow_frame_ms() const { return 1.3e3 / (stats_.source.rate > 0 ? stats_.source.rate : 30.0); }
  void tell_progress();

  Composition compose() const;
  void choose_backend();
  void follow_workbench();
  void change_backend();
  void open_source(double position = 0);  // instead of what plays, at once
  void begin_source();
  void watch_device();
  void tell_what_did_not_run();
  void take_key(const KeyEvent&);
  void take_mouse();
  void take_dropped(const std::vector<std::string>& files);
  void leave_results();
  void tell_what_was_not_recorded();
  void save_stats(const std::filesystem::path&);  // throws Error
  void save_screenshot(const std::string& path);  // the same
  std::string whole(const std::string& path) const { return whole_path(path, stats_.files.started_in); }
  int leave_without_display();
  void finish(const std::function<void()>&);
  void leave_without_window();
  void end_threads();
  void leave(const std::function<void()>& one);
  void start_render(const std::string& path, bool with_panels);  // throws Error
  void go_on_with_render(bool new_frame);
  void end_render(const std::string& remark);

  static constexpr int default_offscreen_frames = 150;  // of a source that never ends

  const Invocation invocation_;
  const StopSignal& stop_;
  Settings settings_;
  Requests requests_;
  Stats stats_;
  const MessagePoster poster_{stats_.messages};
  SessionStep session_;

  std::unique_ptr<Compute> compute_;
  std::optional<ExitDeadline> patience_;  // with a display that the context's end may wait for
  std::unique_ptr<Context> context_;
  std::unique_ptr<Interop> interop_;
  std::unique_ptr<Compositor> compositor_;
  std::unique_ptr<GlTimer> draw_timer_;
  SourceStep source_{invocation_, poster_};
  SoundStep sound_{poster_};
  std::atomic<bool> filtered_ = false, progress_ = false;  // of filtering and of learning, said by their threads
  std::unique_ptr<FilterStep> filter_;
  int presented_ = -1;  // PaneSet::generation() in the textures
  ShownDifference shown_difference_;
  double saw_picture_ = 0;  // when the stage was last not empty, or nothing was to be seen
  DrawPace pace_;
  GpuRest gpu_rest_;
  bool says_apart_ = false;   // what only speaks to whoever watches is drawn after the frame has been saved
  bool closes_ = false;       // the frame at hand is drawn to be saved alone
  bool holds_still_ = false;  // the GPU rests: nothing is filtered again for this frame
  double spent_ = 0;          // processor seconds, before the frame at hand
  double stirred_at_ = 0;     // when a frame came, or a person did something
  std::vector<Image> shown_;  // the panes' outputs, as interop takes them
  MeasureStep measuring_{poster_};
  SweepStep sweep_{poster_};
  InspectStep inspection_;
  LearnStep learning_;
  Composition composition_;  // of the frame on screen

  FileDesk files_;
  std::unique_ptr<TimedReadBack> read_back_;  // null but for bench --frame
  std::unique_ptr<Capture> capture_;
  bool record_from_first_frame_ = invocation_.record.has_value();

  // The source played once more for a file, and where to return to after it.
  struct Rendering {
    PlaybackSettings playback;        // the user's stay as they are
    std::optional<double> from, end;  // seconds
    double position = 0;
  };
  std::optional<Rendering> rendering_;
  Centring centring_;  // where every frame of the source is taken

  BackendChoice backend_at_hand_ = BackendChoice::automatic;
  int device_at_hand_ = 0;  // number of the GPU
  UiLayout layout_;
  MarksFile marks_;
  StepClock step_clock_;
  float ui_scale_ = 1;
  FrameProgress told_progress_;
  bool not_written_ = false;  // something that the command line asked for
  bool window_destroyed_ = false;
  bool failed_ = false;  // a picture could not be filtered, and nobody is there to mend it
};

}  // namespace convoscope
