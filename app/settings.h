#pragma once
// What the user chose. The command line fills it, the panels change it, app.cpp obeys it, settings_file keeps it.
// Plain data: no GL, no FFmpeg, no CUDA.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/filter_catalogue.h"
#include "kernels/strategy.h"

namespace convoscope {

enum class View { single, grid, split, difference, blink };
enum class BackendChoice { automatic, cuda, cpu, emulated };

// One strategy at work on the current frame.
struct PaneSettings {
  std::string strategy = "constant";  // an id of the ladder, or "source" for the unfiltered picture
  Tuning tuning;
  FilterSpec filter;
  Border border = Border::replicate;
};

struct PlaybackSettings {
  bool paused = false;
  bool loop = true;
  double speed = 1.0;                    // 0.1…4
  std::optional<double> loop_a, loop_b;  // seconds
};

// How the picture lies in its pane: 1 is "fit"; centre in picture coordinates 0…1.
struct ZoomSettings {
  double scale = 1.0;
  double centre_x = 0.5, centre_y = 0.5;
};

struct SourceSettings {
  std::string input = "pattern";  // path, URL, camera[:N], screen, pattern[:NAME]
  int width = 0, height = 0;      // 0: the source's own (pattern: 1280×720)
  double rate = 0;                // frames a second for pattern, camera, screen; 0: its own
  std::string camera_format;      // "mjpeg", "yuyv422"…; empty: the camera's first
};

struct Settings {
  SourceSettings source;
  PlaybackSettings playback;
  PixelFormat format = PixelFormat::rgba8;
  std::vector<PaneSettings> panes{1};
  int active_pane = 0;
  View view = View::single;
  ZoomSettings zoom;

  BackendChoice backend = BackendChoice::automatic;
  int device = 0;
  bool vsync = true;
  bool fullscreen = false;
  int window_width = 0, window_height = 0;  // of the window when it was last closed; 0: never opened

  bool show_panels = true;
  bool show_overlay = true;
  bool show_help = false;
  bool light_theme = false;
  unsigned open_sections = 0b01110;  // of the side panel, bit by bit: source, filter, strategy, timing, view
  float ui_scale = 0;                // 0: from the monitor
  int timing_window = 240;           // frames that statistics look back
  std::vector<std::string> recent;

  PaneSettings& active() { return panes[static_cast<std::size_t>(active_pane)]; }
  const PaneSettings& active() const { return panes[static_cast<std::size_t>(active_pane)]; }
};

// What the user asked to happen once. Filled by keys and panels during a frame, emptied by app.cpp after acting.
struct Requests {
  std::optional<std::string> open;  // an INPUT
  std::optional<double> seek_seconds;
  std::optional<std::int64_t> seek_frame;
  int step = 0;  // frames forward (+) or back (−); pauses
  bool screenshot = false;
  bool toggle_recording = false;
  bool reset_statistics = false;
  bool retry_source = false;
  bool refresh_cameras = false;                         // look again which cameras are plugged in
  std::optional<std::string> load_filter, save_filter;  // JSON paths
  bool quit = false;
};

}  // namespace convoscope
