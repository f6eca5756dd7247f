#pragma once
// What the user chose. The command line fills it, the panels change it, app.cpp obeys it, settings_file keeps it.
// Plain data: no GL, no FFmpeg, no CUDA.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/filter_catalogue.h"
#include "kernels/strategy.h"

namespace convoscope {

inline constexpr std::size_t max_panes = 9;

// What a value may be, wherever it is set: command line, settings file, keys, sliders.
struct Range {
  double low = 0, high = 1;
};

enum class View { single, grid, split, difference, blink };
enum class BackendChoice { automatic, cuda, cpu, emulated };

// One strategy at work on the current frame.
struct PaneSettings {
  std::string strategy = "constant";  // an id of the ladder, or "source" for the unfiltered picture
  Tuning tuning;
  FilterSpec filter;
  Border border = Border::replicate;
  bool linked = true;  // follows the filter and border of the other linked panes
  int id = 0;          // names the pane while the program runs, wherever it is moved; 0: app.cpp gives it one
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

// View::split: parallel lines across the area, one fewer than panes.
struct SplitSettings {
  double angle = 0;           // degrees clockwise; 0: vertical lines, panes from left to right
  std::vector<double> lines;  // 0…1 along the lines' normal, ascending; of another count: evenly spaced
};

// View::difference: of the panes at two positions.
enum class DifferenceMode { absolute, signed_values, squared };
inline constexpr const char* difference_modes[] = {"absolute", "signed", "squared"};
inline constexpr Range difference_gains{0.01, 1000}, difference_thresholds{0, 255}, blink_times{0.05, 60};
struct DifferenceSettings {
  DifferenceMode mode = DifferenceMode::absolute;
  int first = 0, second = 1;
  double gain = 4;
  double threshold = 0;  // code values of 255 up to which a difference is shown as none
  bool false_colour = false;
};

// What is looked at closely: the pixel under the cursor, or the one that was pinned by a click.
struct PixelAddress {
  int x = 0, y = 0;
  bool operator==(const PixelAddress&) const = default;
};
struct InspectSettings {
  bool magnifier = false;
  bool values = false;
  bool histogram = false, vectorscope = false;  // of the pane under the cursor
  bool explain = false;                         // how the pinned pixel was computed
  std::optional<PixelAddress> pinned;
};

enum class RecordingCodec { automatic, h264, hevc, ffv1 };
enum class AnimationFormat { gif, webp };
struct RecordingChoices {
  bool with_panels = true;   // panels, cards and labels too, else the picture alone
  bool source_size = false;  // the picture alone at the source's size, else as in the window
  RecordingCodec codec = RecordingCodec::automatic;
  bool sound = true;
  bool keep_last_seconds = false;  // small pictures in memory, for Requests::save_animation
  AnimationFormat animation = AnimationFormat::gif;
};

// A sweep over radius × strategy × size, measured while the window goes on.
struct SweepSettings {
  bool open = false;
  std::vector<int> radii{1, 2, 4, 8, 16};
  std::vector<std::string> strategies;  // empty: those of the panes
  std::vector<PixelAddress> sizes;      // x by y; empty: the source's
  bool hold_view = true;                // the picture rests while a point is measured
  int shown_size = 0;                   // position in the sizes that were measured
};

struct SourceSettings {
  std::string input = "pattern";  // path, URL, camera[:N], screen, pattern[:NAME]
  int width = 0, height = 0;      // 0: the source's own (pattern: 1280×720)
  double rate = 0;                // frames a second for pattern, camera, screen; 0: its own
  std::string camera_format;      // "mjpeg", "yuyv422"…; empty: the camera's first
};

// Settings::flick_pane: nothing held, the unfiltered picture, the difference that View::difference would show.
inline constexpr int flick_none = -1, flick_source = -2, flick_difference = -3;

struct Settings {
  SourceSettings source;
  PlaybackSettings playback;
  PixelFormat format = PixelFormat::rgba8;
  std::vector<PaneSettings> panes{1};
  int active_pane = 0;
  int flick_pane = flick_none;  // position of the pane that is shown alone while its key is held, or one of flick_…
  int baseline_pane = 0;        // position of the pane that speed-ups are against
  View view = View::single;
  double blink_seconds = 0.5;  // of each pane in View::blink
  SplitSettings split;
  DifferenceSettings difference;
  ZoomSettings zoom;
  InspectSettings inspect;
  RecordingChoices recording;
  SweepSettings sweep;

  BackendChoice backend = BackendChoice::automatic;
  int device = 0;
  bool vsync = true;
  bool fullscreen = false;
  int window_width = 0, window_height = 0;  // of the window when it was last closed; 0: never opened

  bool show_panels = true;
  bool panels_left = false;  // the side that they dock to; else right
  bool show_overlay = true;
  bool show_help = false;
  bool show_palette = false;  // of commands
  bool projector = false;     // text and weights readable from the back of a room
  bool light_theme = false;
  unsigned open_sections = 0b01110;  // of the side panel, bit by bit: source, filter, strategy, timing, view, recording, inspect
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
  bool copy_picture = false;          // to the clipboard
  bool save_animation = false;        // the last seconds as GIF or WebP
  std::optional<std::string> render;  // the view, offline, into this file
  bool cancel_render = false;
  bool reset_statistics = false;
  bool start_sweep = false, cancel_sweep = false;
  std::optional<std::string> save_sweep, load_sweep;  // .csv, .json, .png; .json
  std::optional<int> show_wrong_pixel;                // of the pane at this position: goes there
  bool retry_source = false;
  bool refresh_cameras = false;                         // look again which cameras are plugged in
  std::optional<std::string> load_filter, save_filter;  // JSON paths
  bool quit = false;
};

}  // namespace convoscope
