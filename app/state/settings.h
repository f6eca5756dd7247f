#pragma once
// What the user chose. The command line fills it, the panels change it, App and its steps obey it, session/ keeps it.
// Plain data: no GL, no FFmpeg, no CUDA.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/state/files.h"
#include "app/state/shared_vector.h"
#include "kernels/contract/strategy.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/signal_catalogue.h"
#include "kernels/learn/descent.h"
#include "kernels/learn/network.h"

namespace convoscope {

inline constexpr std::size_t max_panes = 9;

// What a value may be, wherever it is set: command line, settings file, keys, sliders.
struct Range {
  double low = 0, high = 1;
};

enum class View { single, grid, split, difference, blink };
enum class BackendChoice { automatic, cuda, cpu, emulated };
inline constexpr std::array backend_names{"auto", "cuda", "cpu", "emulated"};  // wherever one is said or typed

// The card over a pane, as the user left it.
enum class CardShape { line, open, hidden };
inline constexpr const char* card_shapes[] = {"line", "open", "hidden"};     // as a session has them
inline constexpr const char* card_shape_names[] = {"short", "full", "off"};  // as people read them: of a label
struct CardSettings {
  CardShape shape = CardShape::line;
  double x = 0, y = 0;  // 0…1 of the room that the pane leaves beside it: top left first
  bool operator==(const CardSettings&) const = default;
};

// One strategy at work on the current frame.
inline constexpr Range frames_around{0, 15};
struct PaneSettings {
  std::string strategy = "auto";  // an id of the ladder, or "source" for the unfiltered picture
  Tuning tuning;
  FilterSpec filter;
  Border border = Border::replicate;
  int frames = 1;      // of a volume: so many before and after the one that is filtered, weighted alike
  bool linked = true;  // follows the filter and border of the other linked panes
  int id = 0;          // names the pane while the program runs, wherever it is moved; 0: app.cpp gives it one
  CardSettings card;
  // Of a network, by layer, what was chosen for it alone; empty, and where there are more layers: `strategy`.
  std::vector<std::string> layers;
  std::optional<Precision> precision;  // of a layer, that this pane computes with; empty: as the layer says
  bool operator==(const PaneSettings&) const = default;
};

// The convolutional layer that all panes of its workbench compute: red, green and blue from 0 to 1 in (of a grey
// picture one channel), a feature map for each filter of the bank out. A bank of more channels sees the last frames.
inline constexpr const char* custom_bank = "custom";  // loaded, or a weight was edited
inline constexpr Range strides{1, 4}, dilations{1, 4};
struct LayerSettings {
  std::string bank = "edges";  // id of a BankKind, or custom_bank
  Filter weights;              // for the three colours of each frame, or for one channel where it is depthwise
  int stride = 1, dilation = 1;
  bool padded = true;      // with zeros, so that the maps of stride 1 are as large as the picture; else none
  bool depthwise = false;  // each map sees one colour: the first third of them red, then green, then blue
  Precision precision = Precision::f32;  // that the panes compute with, but for those that have their own
  Layout layout = Layout::nchw;
  // Layers behind it: of which network they are, a name of the catalogue or a path; empty where they were learnt or
  // edited.
  std::string network;
  SharedVector<NetworkLayer> further;
  bool pooled = false;    // the second one sees the maps of the first pooled
  int seen = -1;          // which layer's maps are shown; −1: the last one's
  bool residual = false;  // the last one's maps are what the picture lacks
  double noise = 0;       // that is added to what goes in: standard deviation, in code values of 255
  int stacked = 1;        // while numbers play: so many planes, one below the other in the picture, are its channels
  bool operator==(const LayerSettings&) const = default;
};

inline constexpr Range layer_frames{1, 16};
inline int frames_seen(const Filter& bank) { return bank.channels < 3 ? 1 : bank.channels / 3; }
// One channel goes over each colour alone; else there are three of each frame.
inline bool is_for_pictures(const Filter& bank) {
  return bank.channels == 1 || (bank.channels % 3 == 0 && frames_seen(bank) <= layer_frames.high);
}

// The bank of the catalogue that a layer names (a custom one: the catalogue's first), as that layer takes it:
// for as many frames.
inline constexpr int first_maps = 16, first_bank_filter = 3;
inline Filter catalogue_bank(const LayerSettings& layer, int maps = first_maps, int size = first_bank_filter) {
  const BankKind* const named = find_bank_kind(layer.bank);
  const Filter bank = (named ? *named : bank_kinds().front()).make(maps, layer.depthwise ? 1 : 3, size);
  return layer.depthwise ? bank : over_frames(bank, frames_seen(layer.weights));
}

// How feature maps are seen: all of them as a wall, or one.
inline constexpr Range wall_gains{1.0 / 64, 64};
struct WallSettings {
  int map = -1;         // that is shown alone; −1: all
  double gain = 1;      // before the colours
  bool colours = true;  // orange above zero, blue below; else grey, zero in the middle
  bool frames = false;  // instead, where there is a map for each colour: what goes in and what comes out, as pictures
  bool operator==(const WallSettings&) const = default;
};

// A layer that learns while the video plays: its weights are changed step by step until its maps are what is wanted.
enum class LearnTask {
  filter,   // what another filter makes of the same colours, each map of its colour
  denoise,  // the clean frame, from the frame with noise added
  pane,     // what a pane of the picture workbench shows of the same frame
};
inline constexpr const char* learn_tasks[] = {"filter", "denoise", "pane"};
inline constexpr const char* descent_methods[] = {"adam", "sgd"};
inline constexpr Range learn_rates{1e-5, 1}, learn_noises{1, 100}, layer_noises{0, 100}, learn_layers{1, most_layers},
    hidden_maps{1, 32};
struct LearnSettings {
  LearnTask task = LearnTask::filter;
  FilterSpec target = parse_filter("sobel-x");
  int pane = 0;        // position of the one that is learnt from, in the picture workbench
  double noise = 20;   // standard deviation, in code values of 255
  double rate = 0.01;  // of the descent
  DescentMethod method = DescentMethod::adam;
  // The layer, with ReLU, then those behind it (LayerSettings::further); the last one finds what is wrong with the
  // frame, or what the filter makes of it.
  int layers = 1;
  int maps = 8;  // of each layer but the last
  bool operator==(const LearnSettings&) const = default;
};

struct PlaybackSettings {
  bool paused = false;
  bool loop = true;
  double speed = 1.0;                    // 0.1…4
  std::optional<double> loop_a, loop_b;  // seconds
  double volume = 1;                     // of what is heard, 0…1
  bool muted = false;
  bool operator==(const PlaybackSettings&) const = default;
};

// What is done to the sound of a file before it is heard.
inline constexpr std::array sound_blocks{64, 128, 256, 512, 1024, 2048, 4096};
struct SoundSettings {
  bool filtered = false;
  SignalFilterSpec filter = parse_signal_filter("low-pass");
  std::string strategy = "auto";  // an id of the signal ladder; auto: of the CPU's the likely fastest
  int block = 1024;               // frames that a strategy is given at a time: one of sound_blocks
  bool scope = false;             // waveform and spectrum over the foot of the stage
  bool compare = false;           // the other strategies are tried on the same blocks, for their times
  bool operator==(const SoundSettings&) const = default;
};

// How the picture lies in its pane: 1 is "fit"; centre in picture coordinates 0…1.
struct ZoomSettings {
  double scale = 1.0;
  double centre_x = 0.5, centre_y = 0.5;
  bool operator==(const ZoomSettings&) const = default;
};

// View::split: parallel lines that part the picture, one fewer than panes.
struct SplitSettings {
  double angle = 0;           // degrees clockwise; 0: vertical lines, panes from left to right
  std::vector<double> lines;  // 0…1 along the lines' normal, ascending; of another count: evenly spaced
  bool operator==(const SplitSettings&) const = default;
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
  bool operator==(const DifferenceSettings&) const = default;
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
  bool uses = false;     // while one is explained, how often each input is used: a heat map over the picture
  bool tiles = false;    // the same: all tiles, with their numbers
  bool listing = false;  // the source of the active pane's strategy
  bool operator==(const InspectSettings&) const = default;
};

enum class RecordingCodec { automatic, h264, hevc, ffv1 };
enum class RecordingContainer { mkv, mp4 };
enum class RecordingQuality { small, good, best };
enum class AnimationFormat { gif, webp };
struct RecordingChoices {
  bool with_panels = true;     // panels, cards and labels too, else the picture alone
  bool render_panels = false;  // the same of a rendering
  bool source_size = false;    // the picture alone at the source's size, else as in the window
  RecordingCodec codec = RecordingCodec::automatic;
  RecordingContainer container = RecordingContainer::mkv;
  RecordingQuality quality = RecordingQuality::good;
  double rate = 0;     // at most so many pictures a second; 0: the source's
  std::string folder;  // of all that is saved without asking for a name; empty: FileAnswers::pictures_in and videos_in
  std::string name = "convoscope-{kind}-{number}";  // of the same; see file_names.h
  bool sound = true;
  bool keep_last_seconds = false;  // small pictures in memory, for Requests::save_animation
  AnimationFormat animation = AnimationFormat::gif;
  bool operator==(const RecordingChoices&) const = default;
};

// Strategies over the numbers of a workbench's problem, measured while the window goes on.
struct SweepChoices {
  std::string along;                               // id of a SweepParameter: the axis; empty: the kind's first
  std::map<std::string, std::vector<int>> values;  // by such ids; none: the usual ones along the axis, else the pane's
  std::vector<std::string> strategies;             // empty: those of the panes
  bool operator==(const SweepChoices&) const = default;
};
struct SweepSettings {
  bool open = false;
  std::map<std::string, SweepChoices> of;  // workbenches, by their ids
  bool hold_view = true;                   // the picture rests while a point is measured
  bool operator==(const SweepSettings&) const = default;
};

struct SourceSettings {
  std::string input = "pattern";          // an INPUT: what one of the sources takes
  int width = 0, height = 0;              // 0: the source's own (pattern: 1280×720)
  double rate = 0;                        // frames a second for pattern, camera, screen; 0: its own
  std::string camera_format;              // "mjpeg", "yuyv422"…; empty: the camera's first
  bool trust_playlists = false;           // a local playlist may name files outside of its folder
  std::int64_t max_pixels = 100'000'000;  // of a picture that a file or an address may have
  bool operator==(const SourceSettings&) const = default;
};

// What each workbench has for itself.
struct PaneGroup {
  std::vector<PaneSettings> panes{1};
  int active_pane = 0;
  int baseline_pane = 0;  // position of the pane that speed-ups are against
  View view = View::single;

  PaneSettings& active() { return panes[static_cast<std::size_t>(active_pane)]; }
  const PaneSettings& active() const { return panes[static_cast<std::size_t>(active_pane)]; }
  bool operator==(const PaneGroup&) const = default;
};

struct Settings {
  std::string workbench = "image";  // id of a Workbench (workbench.h): what the panes are about
  std::map<std::string, PaneGroup> groups{{workbench, {}}};  // of each that has been shown, by its id
  LayerSettings layer;
  WallSettings wall;
  LearnSettings learn;
  SourceSettings source;
  PlaybackSettings playback;
  SoundSettings sound;
  PixelFormat format = PixelFormat::rgba8;
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
  bool projector = false;  // text and weights readable from the back of a room
  bool light_theme = false;
  std::set<std::string> open_panels{"filter", "layer", "strategy", "timing"};  // by Panel::id
  float ui_scale = 0;                                                          // 0: from the monitor
  int timing_window = 240;                                                     // frames that statistics look back
  std::vector<std::string> recent;
  std::string browser_folder;       // from which the file browser opened something last; empty: none yet
  bool show_hint = false;           // the keys that a first start names
  std::set<std::string> dismissed;  // texts of notices that were put away or told, and stay away at the next start

  // Of the workbench that is shown.
  PaneGroup& group() { return groups[workbench]; }
  const PaneGroup& group() const { return groups.at(workbench); }
  PaneSettings& active() { return group().active(); }
  const PaneSettings& active() const { return group().active(); }
  bool operator==(const Settings&) const = default;
};

// One pane, a gaussian, and a layer to switch to; what a first start looks like.
inline Settings default_settings() {
  Settings settings;
  settings.layer.weights = catalogue_bank(settings.layer);
  settings.group().panes[0].filter = parse_filter("gaussian");
  return settings;
}

// What the user asked to happen once. Filled by keys and panels during a frame, emptied by App, whose steps act.
struct Requests {
  std::optional<std::string> open;      // an INPUT
  std::optional<std::string> drop;      // a file: the session in it, else it is opened
  std::vector<std::string> open_clips;  // one after another
  std::optional<std::size_t> clip;      // of Stats::clips
  int step_clip = 0;                    // to the next of these (1) or the one before (-1)
  std::optional<double> seek_seconds;
  std::optional<std::int64_t> seek_frame;
  int step = 0;  // frames forward (+) or back (−); pauses
  bool screenshot = false;
  std::optional<std::string> save_screenshot;  // under this name
  std::optional<std::string> save_session;     // all that the user set, under this name
  bool toggle_recording = false;
  bool copy_picture = false;          // to the clipboard
  bool save_animation = false;        // the last seconds as GIF or WebP
  std::optional<std::string> render;  // the view, offline, into this file
  bool cancel_render = false;
  bool reset_statistics = false;
  bool measure_limits = false;  // of the device, once more
  bool start_sweep = false, cancel_sweep = false;
  std::optional<std::string> save_sweep, load_sweep;  // .csv, .json, .png; .json
  std::optional<int> show_wrong_pixel;                // of the pane at this position: goes there
  bool retry_source = false;
  std::optional<std::int64_t> allow_pixels;             // from now on, of a picture: SourceSettings::max_pixels
  bool retry_sound = false;                             // looks for the sound card again, and says why there is none
  bool refresh_sources = false;                         // look again what the sources offer: which cameras are there
  std::optional<std::string> load_filter, save_filter;  // JSON paths
  bool reset_learning = false;                          // small random weights, and no history
  bool check_gradients = false;                         // against finite differences, once
  std::optional<std::string> load_bank, save_bank;      // JSON or NumPy's .npy
  std::optional<std::string> save_network;              // all layers, into this folder
  std::optional<std::string> load_session;              // also a screenshot or recording that holds one
  std::optional<std::string> show_in_folder;            // a file: in the desktop's own program for folders
  bool reset_settings = false;                          // all of them to the defaults; a backup is kept
  FileQuestions files;                                  // of this frame
  bool quit = false;
};

}  // namespace convoscope
