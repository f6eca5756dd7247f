#pragma once
// The program: owns everything, and takes each frame from the source to the screen. run() reads as one line a stage.
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/capture.h"
#include "app/cli/arguments.h"
#include "app/gl/compositor.h"
#include "app/gl/context.h"
#include "app/gl/gl_timer.h"
#include "app/gl/interop.h"
#include "app/gl/scopes.h"
#include "app/inspector.h"
#include "app/measure/health_monitor.h"
#include "app/measure/limits_finder.h"
#include "app/measure/pane_statistics.h"
#include "app/measure/sweep.h"
#include "app/media/player.h"
#include "app/pane_check.h"
#include "app/pane_set.h"
#include "app/settings.h"
#include "app/stage_clock.h"
#include "app/stats.h"
#include "app/timed_read_back.h"
#include "app/ui/ui.h"
#include "kernels/compute.h"
#include "kernels/video_frame.h"

namespace convoscope {

class App {
 public:
  explicit App(const Invocation&);  // throws Error when not even an offscreen context can be made
  ~App();
  int run();  // the exit code: 0, or 2 when the source could not be shown offscreen
  const Stats& stats() const { return stats_; }

 private:
  // The stages of a frame, in order.
  void take_input();
  void obey_requests();
  bool take_frame();  // true when a new one arrived
  void prepare_panes();
  void filter(bool new_frame);
  void present();
  void inspect();
  void draw();
  void record(bool new_frame);
  void measure();
  bool finished() const;
  double slow_frame_ms() const;

  Composition compose() const;
  int source_position() const;
  void find_pixel(const Composition&, std::span<const PaneTexture>);
  void count_colours(std::span<const PaneTexture>);
  void show_wrong_pixel(int pane);
  void choose_backend();
  void change_backend();
  void open_source();
  void watch_device();
  void obey_sweep_requests(const Requests&);
  void follow_sweep();
  void save_sweep(const std::string& path);
  // While a point of the sweep is measured, unless the user wants the view to go on.
  bool is_view_held() const { return sweep_.measuring() && settings_.sweep.hold_view; }
  void reset_statistics();
  double seconds_since_start() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  void message(MessageLevel, const std::string&);
  void take_key(const KeyEvent&);
  void take_mouse();
  void leave_results();
  void start_render(const std::string& path);  // throws Error
  void go_on_with_render(bool new_frame);
  void end_render(const std::string& remark);

  const Invocation invocation_;
  Settings settings_;
  Requests requests_;
  Stats stats_;

  std::unique_ptr<Compute> compute_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Interop> interop_;
  std::unique_ptr<Compositor> compositor_;
  std::unique_ptr<GlTimer> draw_timer_;
  std::unique_ptr<FrameConverter> converter_;
  std::unique_ptr<Player> player_;
  std::unique_ptr<PaneSet> panes_;
  PaneStatistics pane_statistics_;
  std::vector<Image> shown_;  // the panes' outputs, as interop takes them
  std::unique_ptr<HealthMonitor> health_;
  std::unique_ptr<LimitsFinder> limits_;
  Sweep sweep_;
  std::unique_ptr<PaneChecker> checker_;
  std::unique_ptr<Inspector> inspector_;
  std::unique_ptr<Scopes> scopes_;  // made when first asked for
  DeviceImage input_;               // the frame on screen, converted, before filtering
  Composition composition_;         // of the frame on screen

  std::unique_ptr<TimedReadBack> read_back_;  // null but for bench --frame
  std::unique_ptr<Capture> capture_;
  bool record_from_first_frame_ = false;
  double position_ = 0;  // of the frame on screen, in the source

  // The source played once more for a file, and where to return to after it.
  struct Rendering {
    PlaybackSettings playback;  // the user's stay as they are
    std::optional<double> end;  // seconds
    double position = 0;
  };
  std::optional<Rendering> rendering_;

  BackendChoice backend_at_hand_ = BackendChoice::automatic;
  UiLayout layout_;
  StageClock stage_clock_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double last_swap_ = 0;
  float ui_scale_ = 1;
  int timing_window_ = 0;
  bool failed_ = false;  // the source never showed a frame and nobody is there to mend it
};

}  // namespace convoscope
