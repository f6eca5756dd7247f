#pragma once
// The program: owns everything, and takes each frame from the source to the screen. run() reads as one line a stage.
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/capture/capture.h"
#include "app/cli/arguments.h"
#include "app/cli/stop_signal.h"
#include "app/draw_pace.h"
#include "app/gl/compositor.h"
#include "app/gl/context.h"
#include "app/gl/gl_timer.h"
#include "app/gl/interop.h"
#include "app/gl/scopes.h"
#include "app/gl/thumbnail_atlas.h"
#include "app/inspect/difference_watch.h"
#include "app/inspect/inspector.h"
#include "app/inspect/pane_check.h"
#include "app/inspect/timed_read_back.h"
#include "app/jobs/disk_reader.h"
#include "app/learn/learner.h"
#include "app/measure/dropped_frames.h"
#include "app/measure/health_monitor.h"
#include "app/measure/limits_finder.h"
#include "app/measure/pane_statistics.h"
#include "app/measure/same_frames.h"
#include "app/measure/sweep.h"
#include "app/media/play/player.h"
#include "app/panes/filter_stage.h"
#include "app/session/keeper.h"
#include "app/session/session_opener.h"
#include "app/stage_clock.h"
#include "app/state/marks_file.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/ui.h"
#include "app/window_side.h"
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
  // The stages of a frame, in order.
  void rest();  // until there is something to draw
  void take_input();
  void catch_up_with_input();
  void obey_requests();
  void obey_bank_files(const Requests&);
  bool take_frame();  // true when a new one arrived
  bool filter();      // true when a new picture is finished
  void present();
  void inspect();
  void inspect_at_rest();
  void learn();
  void draw();
  void record(bool new_picture);
  void measure();
  bool finished() const;
  bool look_for_news();
  bool wants_other_device() const {
    return settings_.backend != backend_at_hand_ || (filters_on_gpu() && settings_.device != device_at_hand_);
  }
  bool filters_on_gpu() const { return stats_.device.backend == Backend::cuda; }
  PlaybackSettings playback() const;
  void tell_place();
  void prepare_textures();
  void make_filters();
  double slow_frame_ms() const;

  Composition compose() const;
  void find_pixel(const Composition&, std::span<const PaneTexture>);
  void count_colours(std::span<const PaneTexture>);
  void show_wrong_pixel(int pane);
  void choose_backend();
  void follow_workbench();
  void change_backend();
  std::unique_ptr<Player> make_player(const SourceSettings&, Retry);  // throws Error
  void open_source();                                                 // instead of what plays, at once
  void await_another_picture();                                       // and other figures
  void open_next(const SourceSettings&);
  std::optional<VideoFrame> frame_of_next(const PlaybackSettings&);  // it plays from then on
  void remember_source();
  void judge_seek();
  void obey_session_requests(Requests&);
  void follow_session();
  void remember_window_size();
  void begin_session(Restored);
  void reset_settings();
  void end_session();
  void name_places();
  void watch_device();
  void obey_sweep_requests(const Requests&);
  void follow_sweep();
  void save_sweep(const std::string& path);
  // While a point of the sweep is measured, unless the user wants the view to go on.
  bool is_view_held() const { return sweep_.measuring() && settings_.sweep.hold_view; }
  void reset_statistics();
  void tell_what_did_not_run();
  std::int64_t dropped_by_source() const;
  double seconds_since_start() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  void message(MessageLevel, const std::string& text, const std::string& subject = {});
  void take_key(const KeyEvent&);
  void take_mouse();
  void leave_results();
  void tell_what_was_not_recorded();
  void save_stats(const std::filesystem::path&);  // throws Error
  void answer_files(FileQuestions&&);
  std::string whole(const std::string& path) const;  // from the root on
  void leave_without_display();
  void leave_without_window();
  void end_threads();
  void leave(const std::function<void()>& one);
  void start_render(const std::string& path);  // throws Error
  void go_on_with_render(bool new_frame);
  void end_render(const std::string& remark);

  const Invocation invocation_;
  const StopSignal& stop_;
  Keeper* const keeper_;
  Settings settings_;
  Requests requests_;
  Stats stats_;

  std::unique_ptr<Compute> compute_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Interop> interop_;
  std::unique_ptr<Compositor> compositor_;
  std::unique_ptr<GlTimer> draw_timer_;
  std::unique_ptr<Player> player_;
  std::atomic<bool> progress_ = false;  // of the stage, said by its thread
  std::unique_ptr<FilterStage> stage_;
  std::optional<VideoFrame> frame_at_hand_;  // for take_frame()
  bool answers_are_awaited_ = false;         // from the disk
  bool frame_is_awaited_ = false;            // the next one, by the user: of another source or place
  int presented_ = -1;                       // PaneSet::generation() in the textures
  DrawPace pace_;
  SourceSettings playing_;      // of player_
  bool source_plays_ = false;   // its first frame has come
  std::optional<double> seek_;  // of the command line, seconds; until the source's length is known

  // The source that was asked for beside the one that plays.
  struct NextSource {
    std::unique_ptr<Player> player;  // null: none
    SourceSettings source;
    double since = 0;
    bool told = false;  // that it takes its time
  };
  NextSource next_;
  std::optional<SourceSettings> refused_;  // the last one that failed beside the one that plays
  PaneStatistics pane_statistics_;
  DroppedFrames dropped_;
  std::vector<Image> shown_;  // the panes' outputs, as interop takes them
  std::unique_ptr<HealthMonitor> health_;
  std::unique_ptr<LimitsFinder> limits_;
  Sweep sweep_;
  std::unique_ptr<PaneChecker> checker_;
  std::unique_ptr<Inspector> inspector_;
  std::unique_ptr<Learner> learner_;
  Learner::Asked learning_asked_;   // since learn() was called last
  std::unique_ptr<Scopes> scopes_;  // made when first asked for
  DifferenceWatch difference_;
  Composition composition_;  // of the frame on screen

  std::unique_ptr<DiskReader> disk_;            // once the window has asked
  std::unique_ptr<ThumbnailAtlas> thumbnails_;  // while a list shows some

  std::unique_ptr<TimedReadBack> read_back_;  // null but for bench --frame
  std::unique_ptr<Capture> capture_;
  bool record_from_first_frame_ = invocation_.record.has_value();
  SessionOpener opener_;
  bool source_restored_ = false;
  std::int64_t restored_at_ = 0;
  WindowSide window_width_, window_height_;
  std::pair<int, int> seen_size_;

  // The source played once more for a file, and where to return to after it.
  struct Rendering {
    PlaybackSettings playback;  // the user's stay as they are
    std::optional<double> end;  // seconds
    double position = 0;
  };
  std::optional<Rendering> rendering_;

  BackendChoice backend_at_hand_ = BackendChoice::automatic;
  int device_at_hand_ = 0;  // number of the GPU
  UiLayout layout_;
  bool inspected_at_rest_ = false;  // in this frame
  MarksFile marks_;
  StageClock stage_clock_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  SameFrames same_frames_;
  double last_swap_ = 0;
  double waited_ms_ = 0;  // since then
  float ui_scale_ = 1;
  int timing_window_ = 0;
  bool not_written_ = false;  // something that the command line asked for
  bool window_destroyed_ = false;
  bool failed_ = false;  // the source never showed a frame and nobody is there to mend it
};

}  // namespace convoscope
