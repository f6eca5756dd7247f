#pragma once
// What happened, for the panels, --stats and the tests to read. Written by app.cpp only.
#include <cstdint>
#include <string>
#include <vector>

#include "app/settings.h"
#include "kernels/strategy.h"

namespace convoscope {

// Milliseconds of the last frames, newest last, in a ring that never allocates after set_window().
class RollingTimes {
 public:
  RollingTimes() { set_window(240); }
  explicit RollingTimes(int window) { set_window(window); }
  void set_window(int frames);  // keeps what fits
  void clear();
  void add(double milliseconds);
  int count() const { return count_; }
  double last() const;  // all of these: 0 when empty
  double median() const;
  double p95() const;
  double min() const;
  std::vector<float> history() const;  // oldest first
  float at(int i) const;               // i-th oldest

 private:
  std::vector<float> ring_;
  int next_ = 0, count_ = 0;
  mutable std::vector<float> sorted_;  // scratch of the percentiles, kept to avoid allocation
};

struct SourceStats {
  std::string name;           // as the user gave it
  std::string description;    // "H.264 High, 3840×2160, yuv420p, bt709 limited, 59.94 fps"
  std::string decoder;        // "NVDEC", "software, 8 threads", "generated"
  int width = 0, height = 0;  // upright
  double pixel_aspect = 1.0;
  double duration = 0;      // seconds; 0: unknown or live
  double rate = 0;          // frames a second; 0: unknown
  std::int64_t frames = 0;  // 0: unknown
  bool live = false, seekable = false;
  double position = 0;  // of the frame on screen
  std::int64_t frame_number = 0;
  bool ended = false;
  std::string error;  // why it does not play, a plain sentence; empty while it does
  int queue_length = 0, queue_capacity = 0;
};

// Where a frame's time goes. GPU stages from events or timer queries, CPU stages from a steady clock; overlapping.
struct StageTimes {
  RollingTimes decode;   // decoder thread, per frame
  RollingTimes upload;   // software frames to the device
  RollingTimes convert;  // to rgba8 or gray32f
  RollingTimes interop;  // map, copies, unmap (or the host copy)
  RollingTimes draw;     // compositor and panels, GL timer query
  RollingTimes frame;    // from one swap to the next, steady clock
};

struct PaneStats {
  std::string strategy, title;
  std::string filter;  // spec text
  Border border = Border::replicate;
  std::string problem;  // why it does not run; empty when it does
  std::string note;     // Plan::note()
  RollingTimes kernel;  // all kernels of one enqueue
  Cost cost;
  std::vector<KernelInfo> kernels;
};

enum class MessageLevel { information, warning, error };
struct Message {
  MessageLevel level = MessageLevel::information;
  std::string text;
  double seconds = 0;  // when, on the program's clock
};

struct CameraMode {
  std::string format;
  int width = 0, height = 0;
  double rate = 0;
};
struct CameraInfo {
  int number = 0;
  std::string path, name;
  std::vector<CameraMode> modes;
};

struct Stats {
  std::string backend;  // "cuda", "cpu", "emulated"
  Device device;
  std::string backend_notice;  // why not CUDA, when it was not asked for otherwise
  std::string interop_notice;  // why pixels go over the host; empty when interop works or is not needed
  std::string renderer;        // GL_RENDERER
  std::vector<StrategyRow> ladder;
  std::vector<CameraInfo> cameras;
  std::vector<std::string> patterns;  // names for pattern:NAME
  SourceStats source;
  StageTimes stages;
  std::vector<PaneStats> panes;
  std::int64_t frames_shown = 0, frames_dropped = 0;
  bool recording = false;
  std::string recording_path;
  std::int64_t frames_recorded = 0, frames_not_recorded = 0;
  std::vector<Message> messages;  // newest last
  double now = 0;                 // seconds on the program's clock
};

}  // namespace convoscope
