#pragma once
// What happened, for the panels, --stats and the tests to read. Written by App and its steps only.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/clip_list.h"
#include "app/state/frames_seen.h"
#include "app/state/message.h"
#include "app/state/rolling_times.h"
#include "app/state/sample_depth.h"
#include "app/state/settings.h"
#include "app/state/sound_stats.h"
#include "app/state/source_kind.h"
#include "kernels/choose/ladder.h"
#include "kernels/contract/strategy.h"
#include "kernels/convert/wall.h"
#include "kernels/measure/device_limits.h"
#include "kernels/measure/doubt.h"

namespace convoscope {

struct SourceStats {
  std::string name;           // as the user gave it
  std::string description;    // "H.264 High, 3840 × 2160, yuv420p, bt709 limited, 59.94 fps"
  std::string decoder;        // "NVDEC", "software, 8 threads", "generated"
  int width = 0, height = 0;  // upright
  double pixel_aspect = 1.0;
  SampleDepth depth;
  double duration = 0;      // seconds; 0: unknown or live
  double rate = 0;          // frames a second; 0: unknown
  std::int64_t frames = 0;  // 0: unknown
  bool live = false, seekable = false;
  bool still = false;                      // one picture, which stays
  bool numbers = false;                    // no colours, but values that are shown as such
  double position = 0;                     // of the frame on screen
  std::optional<double> position_to_come;  // that was asked for and is not on screen yet
  std::int64_t frame_number = 0;
  bool ended = false;
  bool cut_short = false;  // cut off or damaged: not all of its frames can be shown
  ClipNames clips;         // of a folder that holds clips, which are played in its place
  std::string error;       // why it does not play, a plain sentence; empty while it does
  int queue_length = 0, queue_capacity = 0;
};

// Where a frame's time goes. GPU steps from events or timer queries, CPU steps from a steady clock; overlapping.
struct StepTimes {
  RollingTimes decode;     // decoder thread, per frame
  RollingTimes upload;     // software frames to the device
  RollingTimes convert;    // to rgba8 or gray32f
  RollingTimes interop;    // map, copies, unmap (or the host copy)
  RollingTimes draw;       // compositor and panels, GL timer query
  RollingTimes read_back;  // of the drawn picture into host memory, GL timer query; bench --frame only
  RollingTimes frame;      // from one swap to the next, steady clock
  RollingTimes waiting;    // of that: for the display, for the next frame, at rest

  std::array<RollingTimes*, 8> all() {
    return {&decode, &upload, &convert, &interop, &draw, &read_back, &frame, &waiting};
  }
};

// How a pane's output compares with the reference on sampled frames, found in the background.
struct CheckResult {
  enum class State { none, running, right, wrong, impossible } state = State::none;
  double max_error = 0, tolerance = 0;  // code values for rgba8, pixel units for gray32f
  int x = 0, y = 0;                     // where the largest error is
  int channel = 0;                      // of feature maps: which; else a colour, 3: alpha was not carried over
  double expected = 0, actual = 0;      // there
  std::int64_t frame = 0, frames = 0;   // of which frame; how many were checked since the last change
  std::int64_t pixels = 0;              // compared in all of them
  std::string reason;                   // when impossible, in whole sentences
};

struct Interval {
  double low = 0, high = 0;
};

// Against the pane at PaneGroup::baseline_pane.
struct SpeedUp {
  double factor = 1;
  Interval interval;  // 95 %, bootstrap of the medians
  bool seen = false;  // false: the intervals overlap, no difference seen
};

// One of the layers that a pane computes one after the other.
struct LayerStats {
  std::string strategy;  // id of the one that computes it at present
  Problem work;          // without the weights
  bool pool = false;     // its maps are pooled for the next one; that is in its times
  bool seen = false;     // its maps are those on the wall
  RollingTimes times;
};

// "cpu-direct + cpu-gemm ×3", or one of them that all run.
inline std::string strategies_of(const std::vector<LayerStats>& layers) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const LayerStats& layer : layers) {
    const auto known = std::ranges::find(counted, layer.strategy, &std::pair<std::string, std::size_t>::first);
    if (known == counted.end())
      counted.emplace_back(layer.strategy, 1);
    else
      ++known->second;
  }
  if (counted.size() == 1) return counted.front().first;
  std::string text;
  for (const auto& [strategy, count] : counted)
    text += (text.empty() ? "" : " + ") + strategy + (count > 1 ? " ×" + std::to_string(count) : "");
  return text;
}

// "separable → constant" where another one is at work than was chosen. By their ids, as the list has them.
inline std::string strategy_name(const std::string& chosen, const std::string& at_work) {
  return at_work.empty() || at_work == chosen ? chosen : chosen + " → " + at_work;
}

struct PaneStats {
  int id = 0;                  // PaneSettings::id
  std::string strategy;        // id of the one that the user chose
  std::string title;           // of the one that runs, or of one that chooses among the others
  std::string runs;            // id of the one that computes at present; empty: none does
  std::string substitute;      // id of the one that runs while the chosen one cannot; empty: the chosen one runs
  std::string why_substitute;  // "separable cannot run: … . constant runs instead."; empty: the chosen one runs
  // The type in which that one would run in this pane, where only the type keeps it from running.
  std::optional<Precision> takes_type;
  std::string type;    // of its numbers, where that is not the layer's: "tf32"
  std::string filter;  // spec text
  Border border = Border::replicate;
  std::string problem;     // why it does not run; empty when it does
  std::string note;        // Plan::note()
  RollingTimes kernel;     // all kernels of one enqueue
  RollingTimes disturbed;  // of each of these 1 where other programs took most of the processor meanwhile, else 0
  std::optional<Interval> median_interval;  // 95 %, bootstrap; empty with too few times
  std::optional<SpeedUp> speed_up;
  CheckResult check;
  double filtering_seconds = 0;   // how long the next picture has been under way beside the window; 0: none is
  bool stands_in = false;         // the source is shown, for want of a first filtered picture
  std::int64_t frame_number = 0;  // in its source, of the picture that is shown
  // The newest that any pane shows; below 0: older by what cannot be counted, as there was a jump meanwhile: a seek,
  // the next round of a loop, another source.
  std::int64_t frames_behind = 0;
  bool of_source_before = false;  // the picture that is shown
  bool of_filter_before = false;  // the same: the filter has been changed, and its first picture is still to come
  FramesSeen frames;              // that it is made of, where those are several
  double pictures_a_second = 0;   // new ones, filtered and shown; 0: none lately
  // How far an output may be from that of a float32 pane for the type alone; empty: not known.
  std::optional<double> type_rounding;
  Cost cost;
  std::vector<KernelInfo> kernels;
  std::optional<Wall> wall;        // of a pane that shows feature maps
  Problem work;                    // that it computes, without the weights; of several layers that which is seen
  std::vector<LayerStats> layers;  // of a network

  void clear_times() { kernel.clear(), disturbed.clear(); }
  void add_time(double milliseconds, bool is_disturbed) {
    kernel.add(milliseconds);
    disturbed.add(is_disturbed ? 1 : 0);
  }
  Doubt doubt() const {  // whether the median can be believed
    if (disturbed.median() > 0.5) return Doubt::processor;
    const Interval interval = median_interval.value_or(Interval{});
    return doubt_of({kernel.median(), interval.low, interval.high});
  }

  // Of a network those of all layers, as its time is.
  std::string name() const { return strategy_name(strategy, layers.empty() ? runs : strategies_of(layers)); }
  // Beside a time that is compared with other panes' times.
  std::string name_and_type() const { return type.empty() ? name() : name() + ", " + type; }
};

// From NVML, where the driver has it. Sampled about twice a second on a thread of its own.
struct DeviceHealth {
  bool present = false;
  std::string absent_because;  // a plain sentence
  int sm_clock_mhz = 0, memory_clock_mhz = 0, temperature_c = 0;
  double power_w = 0;
  std::string throttling;     // "power cap, thermal"; empty: none
  bool clocks_moved = false;  // by more than 5 % within the statistics' window
};

struct PixelValue {
  int channels = 0;  // 4 for rgba8, 1 for gray32f; 0: not there yet
  float values[4] = {};
};

// Pixels of one picture, row by row, four bytes each as its format has them.
struct PixelPatch {
  PixelArea area;  // within the picture
  PixelFormat format = PixelFormat::rgba8;
  std::vector<std::uint32_t> pixels;
  int plane = 0;                      // of a explained's inputs: which, as KernelStep counts them
  PixelValue at(int x, int y) const;  // without channels where the patch has no pixel
  bool operator==(const PixelPatch&) const = default;
};

// How the pinned pixel came about, and the inputs that went into it.
struct PixelExplanation {
  int pane = -1;  // position
  PixelAddress pixel;
  OutputIndex output;        // that the pixel shows
  std::optional<Wall> wall;  // on which it does, of feature maps
  bool sees_maps = false;    // its channels are the maps of the layer before, no colours
  // With all weights of a layer, so that the stories of its pixels share it; never null.
  std::shared_ptr<const Problem> problem = std::make_shared<const Problem>();
  std::string strategy;       // strategy_name(), as on the card of its pane
  std::string not_described;  // why there are no blocks and threads to show; a sentence
  Explanation explanation;
  std::vector<PixelPatch> inputs;  // what of the inputs lies under the filter, the border's stand-ins included
};

// Of the pixel that is looked at; all panes at once.
struct InspectStats {
  std::optional<PixelAddress> under_cursor;
  std::optional<PixelAddress> pixel;  // pinned, else under the cursor
  int pane = -1;                      // position of the picture it is looked at in
  std::vector<PixelValue> values;     // of the pictures: the panes, behind them the source while it is shown alone
  std::vector<PixelPatch> patches;    // the same, with what lies around
  // What the wall shows at that pixel, of each pane; without a map for panes that show none, or beside the maps.
  struct MapValue {
    MapPlace place;
    float value = 0;
  };
  std::vector<MapValue> map_values;
  std::optional<PixelExplanation> explained;
  // Of a source of numbers all values of all panes, by position: a picture's one plane, or a plane for each map.
  std::vector<std::vector<PixelPatch>> cells;
  std::vector<std::uint32_t> histogram[4];  // 256 bins each: R, G, B, luma; empty: none asked for
  std::vector<std::uint32_t> vectorscope;   // vectorscope_bins² counts: Cb along the rows, Cr upwards; or empty
  int histogram_pane = -1;
  bool histogram_of_maps = false;  // of that pane: what is shown are values from −1 to 1, no colours
  int histogram_step = 1;          // every n-th pixel of every n-th row was counted
};
inline constexpr int vectorscope_bins = 128;

// How two pictures differ over red, green and blue, or grey: in code values, for gray32f in units of white.
struct PictureDifference {
  std::int64_t pixels = 0, different = 0;  // how many were compared, and how many are not the same
  double largest = 0;
  PixelAddress at;  // of the largest, its first place
  int channel = 0;
  double mean = 0;  // of the absolute differences
  double psnr = 0;  // dB below white; infinite where nothing differs
  double ssim = 0;  // NaN for pictures of less than 8 × 8
};

// Of the two panes that are compared, some frames old.
struct DifferenceStats {
  int first = -1, second = -1;  // positions; −1: nothing measured
  std::int64_t frame = 0;       // of the source
  PixelFormat format = PixelFormat::rgba8;
  PictureDifference found;
  bool awaited = false;  // the pictures that are shown have no figures yet
  bool shown = true;     // false: there are no two pictures of one frame, so the stage is empty
  int waits_for = -1;    // position of the pane whose picture is the older one, or not filtered yet; −1: none
};

struct SweepRow {
  std::string strategy, filter;  // the filter's kind: "gaussian"
  Problem problem;               // without weights
  double median_ms = 0, p05_ms = 0, p95_ms = 0, copy_ms = 0;
  bool verified = false;
  std::string reason;  // why there is no time
  std::string runs{};  // id of the one that auto chose
  int samples = 0;
  double cpu_ms = 0;  // processor time of a sample over the cores; 0: not computed by the processor, or not known
  Doubt doubt = Doubt::none;
};
struct SweepStats {
  bool running = false;
  const Kind* kind = nullptr;  // of what is measured, or was last
  int done = 0, total = 0;
  std::vector<SweepRow> rows, loaded;  // of this run, and of the saved one laid over it
  std::string device;
  std::string doing;                       // "gaussian:radius=4, rgba8, 1920x1080: measuring"
  bool measuring = false;                  // a point right now, when everything else should be quiet
  bool beside_view = false;                // the live view went on while points were measured
  std::string loaded_from, loaded_device;  // of `loaded`
};

// Of the layer that learns, since it began or was reset.
struct LearnStats {
  std::int64_t steps = 0;
  std::vector<float> loss;  // mean of the squared differences, of up to some hundred evenly spread steps, oldest first
  double now = 0;           // smoothed
  std::vector<std::size_t> marks;  // places in `loss` from which on another method is followed
  std::string anew;                // what was changed, so that the count began anew: "the filter"; empty: nothing
  bool others_shown = false;       // the layer has other weights than those that were learnt: an edit, an undo
  bool other_goal = false;         // the steps were made for another task, filter, pane, noise or number of layers
  bool reset = false;              // the weights are random ones, or were learnt from those in this session
  // Against the true weights, where the task is a filter: of the largest of them, and of the direction.
  std::optional<double> largest_difference, cosine;
  std::optional<double> decibels;  // where the task is noise: by how much there is less of it than was added, smoothed
  double milliseconds = 0;         // of a step: the median of the last ones
  std::string problem;             // why nothing is learnt; a sentence
  // Of several layers the one, counted from 1, of whose maps ReLU leaves least above 0, as a share of their values.
  struct CutOff {
    int layer = 0;
    double left = 1;
    int steps = 0;  // in a row, for which it has been hardly any
  };
  CutOff cut_off;
  bool learnt_all = false;  // it stopped, since the loss is as small as rounding lets it be
  // Of the last check of the gradients; empty: none was made.
  struct GradientCheck {
    double error = 0, tolerance = 0;  // the largest difference from the finite ones
    int weights = 0;                  // that were looked at
    std::string why_none;             // where no weight was: "the picture is black"
    std::int64_t step = 0;            // after which it was made
  };
  std::optional<GradientCheck> gradients;
  bool checking = false;         // the gradients, or is going to
  bool under_way = false;        // steps whose weights the layer will have, also where it has just been stopped
  std::string check_dropped_by;  // what was changed while they were checked: "the filter"
};

struct RenderStats {
  bool running = false;
  std::string path;
  std::int64_t done = 0, total = 0;  // frames; total 0: unknown
  double since = 0;                  // on the program's clock
};

// Where the program keeps something, for the page of settings.
struct Place {
  std::string what, path, tip;
};

struct Stats {
  std::string backend;  // "cuda", "cpu", "emulated"
  Device device;
  std::vector<Device> gpus;    // that CUDA strategies could run on; not asked for offscreen
  std::string why_no_gpu;      // a sentence; empty when there are some
  std::string backend_notice;  // why not CUDA, when it was not asked for otherwise
  std::string interop_notice;  // why pixels go over the host; empty when interop works or is not needed
  std::string renderer;        // GL_RENDERER
  std::vector<StrategyRow> ladder;
  std::string ladder_is_of;            // Settings::workbench
  std::vector<OfferedSource> sources;  // all that there are, with what each offers
  std::vector<Place> places;
  FileAnswers files;
  SourceStats source;
  ClipList clips;  // that the source is one of
  SoundStats sound;
  StepTimes steps;
  std::vector<PaneStats> panes;
  bool frame_awaited = false;          // one that was asked for, or has come, is not to be seen yet
  double seconds_without_picture = 0;  // that the stage has been empty while a source is played
  DeviceLimits limits;                 // measured once, in the background; kept in the cache folder
  bool measuring_limits = false;
  DeviceHealth health;
  InspectStats inspect;
  DifferenceStats difference;
  SweepStats sweep;
  RenderStats render;
  LearnStats learn;
  std::int64_t frames_shown = 0, frames_dropped = 0;  // since the start
  // Of these, before the user began the statistics anew.
  std::int64_t frames_shown_before = 0, frames_dropped_before = 0;
  bool recording = false;
  std::string recording_path;
  std::int64_t frames_recorded = 0, frames_not_recorded = 0;
  std::int64_t frames_dropped_recording = 0;  // never shown, and so not in the recording
  bool recording_ends = false;                // asked to stop; the encoder still writes what it holds
  std::string recording_encoder;
  int recording_width = 0, recording_height = 0;
  double recording_seconds = 0;  // of the recording's own time
  double animation_seconds = 0;  // that are kept for a GIF or WebP
  std::int64_t animation_bytes = 0;
  std::vector<Message> messages;  // newest last
  double now = 0;                 // seconds on the program's clock
};

}  // namespace convoscope
