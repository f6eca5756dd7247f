#include "tests/ui/sample.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "app/state/workbench.h"
#include "app/ui/panels/panel.h"

namespace convoscope::test {
namespace {

constexpr std::array widths{8, 16, 32, 64};
constexpr std::array heights{4, 8, 16};
constexpr Tunable tunables[] = {{"block_width", "Block width", "Threads of a block along x", widths, 32},
                                {"block_height", "Block height", "Threads of a block along y", heights, 8}};

// One of each kind: chosen from a list, coming and going, opened by a button, and nothing but a text.
constexpr SourceKind source_kinds[] = {
    {.id = "pattern",
     .title = "Pattern",
     .form = "pattern or pattern:NAME",
     .help = "Drawn by the program.",
     .named = [](const std::string& input) { return input.starts_with("pattern"); }},
    {.id = "camera",
     .title = "Camera",
     .form = "camera or camera:N",
     .help = "Cameras that are plugged in.",
     .named = [](const std::string& input) { return input.starts_with("camera:"); },
     .look_again = "Search for cameras again",
     .nothing = "No camera was found."},
    {.id = "screen",
     .title = "Screen",
     .form = "screen",
     .help = "The whole of this screen.",
     .named = [](const std::string& input) { return input == "screen"; },
     .button = "Show the screen"},
    {.id = "address",
     .title = "Address",
     .form = "a URL",
     .help = "From a network.",
     .named = [](const std::string& input) { return input.find("://") != std::string::npos; }},
    {.id = "file", .title = "File", .form = "a file", .help = "From the disk."}};

std::vector<OfferedSource> sources() {
  std::vector<OfferedSource> all;
  for (const SourceKind& kind : source_kinds) all.push_back({&kind, {}});
  all[0].choices = {{.input = "pattern", .title = "all", .place = "Test pattern"}};
  for (const char* const name : {"zone-plate", "siemens-star", "slanted-edges", "gradients", "text", "motion", "noise"})
    all[0].choices.push_back({.input = std::string("pattern:") + name, .title = name});
  all[1].choices = {{.input = "camera:0",
                     .title = "Integrated Camera",
                     .tip = "/dev/video0",
                     .place = "Integrated Camera",
                     .modes = {{"mjpeg", 1280, 720, 30}, {"yuyv422", 640, 480, 30}}}};
  all[2].choices = {{.input = "screen", .title = "The screen :0", .place = "Screen"}};
  return all;
}

std::string any(const Problem&, const Device&, const Tuned&) { return {}; }
std::string only_3x3(const Problem& p, const Device&, const Tuned&) {
  return p.filter.width == 3 && p.filter.height == 3
             ? std::string()
             : "Winograd's tiles are for 3 × 3 filters; this one is " + std::to_string(p.filter.width) + " × " +
                   std::to_string(p.filter.height) + ".";
}

Strategy make(Backend backend, std::string_view id, std::string_view title, std::string_view idea,
              std::string_view reading, std::span<const Tunable> own = {},
              std::string (*refuses)(const Problem&, const Device&, const Tuned&) = any) {
  return {.id = id,
          .title = title,
          .idea = idea,
          .reading = reading,
          .backend = backend,
          .tunables = own,
          .tolerance = nullptr,
          .refuses = refuses,
          .plans = nullptr,
          .costs = nullptr};
}

const std::vector<Strategy>& strategies_for_tests() {
  using enum Backend;
  static const std::vector<Strategy> list{
      make(cpu, "cpu-direct", "Plain loops, one core",
           "Four loops, as the definition says. The yardstick for everything else.", "PMPP 4th ed., ch. 7.1"),
      make(cpu, "cpu-parallel", "All cores, vectorised",
           "Rows are dealt out to the cores, and each core sums several outputs in one register.",
           "PMPP 4th ed., ch. 7.1"),
      make(cpu, "cpu-separable", "Two passes, all cores",
           "A row pass and a column pass do the work of the whole filter, when its rank is 1.",
           "PMPP 4th ed., ch. 7.1"),
      make(cuda, "global", "Global memory",
           "One thread for each output; the filter and the image both come from global memory.",
           "PMPP 4th ed., ch. 7.2", tunables),
      make(cuda, "constant", "Constant memory",
           "The weights sit in constant memory: a warp reads one weight in one broadcast, so only the image is loaded "
           "from global memory, M² times per output.",
           "PMPP 4th ed., ch. 7.3, fig. 7.9", tunables),
      make(cuda, "texture", "Texture unit",
           "The image is read through the texture unit, which does the border in hardware.", "CUDA Programming Guide",
           tunables),
      make(cuda, "tiled-input-block", "Tile, block = input",
           "Every thread loads one input; those of the apron then idle.", "PMPP 4th ed., ch. 7.4", tunables),
      make(cuda, "tiled-halo", "Tile with halo", "The block shares the loading of tile and halo in a loop.",
           "PMPP 4th ed., ch. 7.4", tunables),
      make(cuda, "register-tile", "Register tile",
           "Each thread makes several outputs and keeps a sliding window in registers.", "", tunables),
      make(cuda, "separable", "Row and column pass", "2M loads instead of M².", "CUDA sample convolutionSeparable",
           tunables),
      make(cuda, "winograd", "Winograd F(4×4, 3×3)", "36 multiplies for 144.", "Lavin and Gray, 2016", tunables,
           only_3x3),
      make(cuda, "cudnn", "cuDNN", "What NVIDIA's library does.", "cuDNN documentation"),
      make(cuda, "auto", "Likely the fastest", "Measures the others and runs the winner.", "Whaley et al., 2001"),
  };
  return list;
}

std::vector<StrategyRow> emulated_rows() {
  std::vector<StrategyRow> result;
  for (const Strategy& s : strategies_for_tests())
    result.push_back({&s, s.backend == Backend::cpu ? Backend::cpu : Backend::emulated, true, ""});
  return result;
}

std::vector<StrategyRow> rows(bool cuda) {
  std::vector<StrategyRow> result;
  for (const Strategy& s : strategies_for_tests()) {
    const bool available = s.backend == Backend::cpu || (cuda && s.id != "cudnn");
    result.push_back({&s, s.backend, available,
                      available ? ""
                      : cuda    ? "libcudnn.so.9 was not found. Install cuDNN to compare with it."
                                : "No NVIDIA driver was found on this machine."});
  }
  return result;
}

PaneStats pane_stats(const PaneSettings& pane, double median) {
  PaneStats stats;
  stats.id = pane.id;
  stats.strategy = pane.strategy;
  if (pane.strategy != "source") stats.runs = pane.strategy;
  stats.filter = spec_text(pane.filter);
  stats.kernel = times(median, 0.06);
  stats.cost = {.flop = 1.008e9,
                .global_loads_per_output = 81,
                .global_stores_per_output = 1,
                .shared_loads_per_output = 0,
                .dram_bytes = 16.6e6};
  KernelInfo kernel{.name = "filter_constant<Rgba8, 1>", .grid_x = 60, .grid_y = 135, .block_x = 32, .block_y = 8};
  kernel.registers = 38;
  kernel.blocks_per_multiprocessor = 6;
  kernel.occupancy = 0.75;
  kernel.waves = 10.23;
  stats.kernels = {kernel};
  return stats;
}

}  // namespace

RollingTimes times(double median, double spread, int count) {
  RollingTimes result(240);
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, spread);
  for (int i = 0; i < count; ++i) {
    const double spike = i % 61 == 60 ? 0.5 : 0;
    result.add(median * (1 + std::fabs(noise(random)) + spike));
  }
  return result;
}

Sample empty_sample() { return {}; }

Sample typical_sample() {
  Sample s;
  s.settings.source.input = "/home/user/videos/city-at-night.mp4";
  s.settings.group().panes[0].strategy = "constant";
  s.settings.group().panes[0].filter = parse_filter("gaussian:radius=4");
  s.settings.recent = {"/home/user/videos/city-at-night.mp4", "pattern", "camera:0"};
  s.stats.backend = "cuda";
  s.stats.device = {
      .backend = Backend::cuda, .name = "NVIDIA GeForce RTX 4080", .compute_capability = 89, .multiprocessors = 76};
  s.stats.renderer = "NVIDIA GeForce RTX 4080/PCIe/SSE2";
  s.stats.ladder = rows(true);
  s.stats.sources = sources();
  SourceStats& source = s.stats.source;
  source.name = s.settings.source.input;
  source.description = "H.264 High, 1920 × 1080, yuv420p, bt709 limited, 59.94 fps";
  source.decoder = "NVDEC";
  source.width = 1920;
  source.height = 1080;
  source.duration = 42.5;
  source.rate = 59.94;
  source.frames = 2547;
  source.seekable = true;
  source.position = 12.345;
  source.frame_number = 740;
  source.queue_length = 5;
  source.queue_capacity = 8;
  s.settings.group().panes[0].id = 1;
  s.stats.panes = {pane_stats(s.settings.group().panes[0], 0.0873)};
  StepTimes& stages = s.stats.steps;
  stages.decode = times(2.31, 0.1);
  stages.upload = times(0.0, 0.0, 0);
  stages.convert = times(0.042, 0.05);
  stages.interop = times(0.418, 0.05);
  stages.draw = times(0.36, 0.08);
  stages.frame = times(16.66, 0.004);
  stages.waiting = times(15.2, 0.004);
  s.stats.frames_shown = 12345;
  s.stats.now = 100;
  return s;
}

Sample cpu_sample() {
  Sample s = typical_sample();
  s.settings.group().panes[0].strategy = "cpu-separable";
  s.stats.backend = "cpu";
  s.stats.device = {.backend = Backend::cpu, .name = "AMD Ryzen 7 5800X, 8 cores"};
  s.stats.ladder = rows(false);
  s.stats.backend_notice = "No NVIDIA driver was found on this machine. The CPU strategies are used instead.";
  s.stats.interop_notice =
      "OpenGL and CUDA cannot share textures here (error 304: the display is driven by another GPU). Pictures are "
      "copied "
      "over the host, which costs about 5 ms a frame. Plug the monitor into the NVIDIA GPU, or start with "
      "__NV_PRIME_RENDER_OFFLOAD=1.";
  s.stats.panes = {pane_stats(s.settings.group().panes[0], 3.42)};
  s.stats.panes[0].kernels.clear();
  s.stats.messages = {
      {MessageLevel::information, "Saved a screenshot as convoscope-screenshot-001.png.", 99.5},
      {MessageLevel::warning, "The camera gives 12 frames a second instead of 30.", 99},
      {MessageLevel::error, "The folder /mnt/videos is full. The recording ends here; what was recorded plays.", 98}};
  return s;
}

Sample emulated_sample() {
  Sample s = typical_sample();
  s.settings.group().panes[0].id = s.stats.panes[0].id = 1;
  s.settings.backend = BackendChoice::emulated;
  s.stats.backend = "emulated";
  s.stats.device = {.backend = Backend::emulated, .name = "CUDA emulator on AMD Ryzen 7 5800X, 8 cores"};
  s.stats.ladder = emulated_rows();
  s.stats.panes[0].kernel.clear();  // nothing is timed
  s.stats.panes[0].median_interval.reset();
  KernelInfo& kernel = s.stats.panes[0].kernels[0];  // nothing was compiled for a device
  kernel.registers = kernel.blocks_per_multiprocessor = 0;
  kernel.occupancy = kernel.waves = 0;
  return s;
}

Sample substitute_sample() {
  Sample s = typical_sample();
  s.settings.group().panes[0].id = s.stats.panes[0].id = 1;
  s.settings.group().panes[0].strategy = "winograd";
  PaneStats& pane = s.stats.panes[0];
  pane.strategy = "winograd";
  pane.runs = pane.substitute = "constant";
  pane.title = "Constant memory";
  pane.why_substitute =
      "winograd cannot run: Winograd's tiles are for 3 × 3 filters; this one is 9 × 9. constant runs instead.";
  return s;
}

Sample panes_sample(int panes) {
  Sample s = typical_sample();
  const char* const ids[] = {"constant", "global",        "tiled-halo",    "separable", "source",
                             "texture",  "register-tile", "cpu-separable", "winograd"};
  s.settings.group().panes.clear();
  s.stats.panes.clear();
  for (int i = 0; i < panes; ++i) {
    PaneSettings pane;
    pane.id = i + 1;
    pane.strategy = ids[i % 9];
    pane.filter = parse_filter(i % 2 ? "sharpen" : "gaussian:radius=4");
    s.stats.panes.push_back(pane_stats(pane, 0.05 * (i + 1)));
    s.settings.group().panes.push_back(std::move(pane));
  }
  s.settings.group().view = panes > 1 ? View::grid : View::single;
  s.settings.group().active_pane = panes > 1 ? 1 : 0;
  return s;
}

namespace {

Sample in_workbench(const char* id) {
  Sample s = typical_sample();
  show_workbench(s.settings, id);
  s.settings.group().panes[0].id = 1;
  s.settings.group().panes[0].strategy = "constant";
  s.stats.panes = {pane_stats(s.settings.group().panes[0], 0.31)};
  return s;
}

}  // namespace

Sample time_sample() { return in_workbench("volume"); }

Sample layer_sample() {
  Sample s = in_workbench("layer");
  const SourceStats& source = s.stats.source;
  s.stats.panes[0].wall = Wall{.maps = 16,
                               .map_width = source.width,
                               .map_height = source.height,
                               .width = source.width,
                               .height = source.height};
  return s;
}

std::set<std::string> all_panels() {
  std::set<std::string> all;
  for (const ui::Panel* const panel : ui::panels()) all.emplace(panel->id);
  return all;
}

Sample extreme_sample() {
  Sample s = panes_sample(9);
  const std::string endless(20000, 'W');
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  s.settings.open_panels = all_panels();
  s.settings.source.input = "/" + endless;
  s.settings.recent = {endless, "", "µ σ × 日本語 \xff\xfe broken UTF-8", endless};
  s.settings.playback = {false, true, 1e9, nan, -infinity};
  s.settings.zoom = {1e-30, 5, -5};
  SourceStats& source = s.stats.source;
  source = {};
  source.name = source.description = source.decoder = source.error = endless;
  source.width = 1 << 30;
  source.height = 1;
  source.pixel_aspect = nan;
  source.duration = infinity;
  source.rate = nan;
  source.frames = std::numeric_limits<std::int64_t>::max();
  source.frame_number = -1;
  source.position = nan;
  source.queue_length = -5;
  source.queue_capacity = 1 << 30;
  s.stats.backend_notice = s.stats.interop_notice = s.stats.renderer = s.stats.device.name = endless;
  s.stats.now = nan;
  for (OfferedSource& offered : s.stats.sources)
    offered.choices.assign(50, {.input = endless,
                                .title = endless,
                                .place = endless,
                                .problem = endless,
                                .modes = std::vector<CameraMode>(200, {endless, -1, 1 << 30, nan})});
  for (int i = 0; i < 60; ++i)
    s.stats.messages.push_back({static_cast<MessageLevel>(i % 3), i % 4 ? endless : "", i % 5 ? nan : 1e300});
  s.stats.recording = true;
  s.stats.frames_recorded = s.stats.frames_not_recorded = s.stats.frames_shown = s.stats.frames_dropped =
      std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < s.settings.group().panes.size(); ++i) {
    PaneStats& pane = s.stats.panes[i];
    pane.title = pane.strategy = pane.filter = pane.note = endless;
    pane.problem = i % 2 ? endless : "";
    pane.kernel = times(i % 3 == 0 ? 1e300 : 1e-30, 0.5);
    pane.cost = {.flop = infinity,
                 .global_loads_per_output = nan,
                 .global_stores_per_output = -1,
                 .shared_loads_per_output = 1e300,
                 .dram_bytes = nan};
    pane.kernels.assign(20, {.name = endless, .grid_x = 1 << 30, .registers = -1, .occupancy = nan, .waves = infinity});
  }
  Filter large;
  large.width = large.height = 127;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any_weight(-1e30f, 1e30f);
  for (int i = 0; i < 127 * 127; ++i) large.weights.push_back(any_weight(random));
  large.weights_y = large.weights;
  large.name = endless;
  large.gain = -1e30f;
  s.settings.group().panes[1].filter = {"custom", {63, 63}, large};
  s.settings.group().panes[1].strategy = endless;
  s.settings.group().panes[1].tuning = {{"block_width", -1}, {endless, 1 << 30}};
  return s;
}

}  // namespace convoscope::test
