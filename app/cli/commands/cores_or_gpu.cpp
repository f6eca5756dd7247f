#include "app/cli/commands/cores_or_gpu.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/cli/backend_choice.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/image_plan.h"
#include "kernels/convert/conversion.h"
#include "kernels/convert/conveyor.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

// What a CUDA context takes on a server, until it is there and to go again: bench/RECORD.md, "Whole files".
constexpr double seconds_to_start_a_gpu = 0.5;
constexpr int rows_tried = 256;  // of a picture

// Asking CUDA itself takes as long as starting it. Drivers on Linux, on its Windows subsystem, on Jetsons.
bool gpu_seems_there() {
  return std::ranges::any_of(std::vector{"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu"},
                             [](const char* path) { return access(path, F_OK) == 0; });
}

// Of a whole picture on the cores, from converting to converting back. Empty: it cannot be told.
std::optional<double> seconds_on_cores(Compute& cores, const Settings& settings, int width, int height) {
  const PaneSettings& pane = settings.active();
  const int rows = std::min(height, rows_tried);
  const Problem problem{width, rows, settings.format, pane.border, pane.filter.filter};
  const std::vector<const Strategy*> able = able_strategies(problem, cores.device());
  if (able.empty()) return {};
  VideoFrame frame;
  frame.format.layout = PlaneLayout::planar;
  frame.format.width = width, frame.format.height = rows;
  frame.format.chroma_shift_x = frame.format.chroma_shift_y = 1;
  std::vector<std::vector<unsigned char>> planes(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const PlaneSize size = plane_size(frame.format, static_cast<int>(i));
    planes[i].assign(size.row_bytes * static_cast<std::size_t>(size.rows), 100);
    frame.planes[i] = planes[i].data();
    frame.pitch[i] = size.row_bytes;
  }
  const DeviceImage in = cores.allocate(width, rows, settings.format),
                    out = cores.allocate(width, rows, settings.format);
  const YuvLayout layout = make_yuv_layout(width, rows, YuvLayout::Chroma::halved, frame.format.matrix);
  const std::shared_ptr<void> host = allocate_host(cores.device(), layout.bytes);
  const std::unique_ptr<Plan> plan = able.front()->plan(problem, cores.device(), {});
  const std::unique_ptr<Conveyor> conveyor = make_conveyor(cores, 1);
  double seconds = 0;
  constexpr double long_enough = 0.05;                    // to be told by
  for (int i = 0; i < 2 && seconds < long_enough; ++i) {  // the first finds everything cold
    const ConveyorTimes times =
        conveyor
            ->send({.frame = frame, .in = in.image(), .out = out.image(), .planes = layout, .host = host},
                   [&] { enqueue_image(*plan, in.image(), out.image(), cores.stream()); })
            ->wait();
    seconds = times.convert + times.filter + times.back;
  }
  return seconds * height / rows;
}

}  // namespace

std::unique_ptr<Compute> compute_for_file(const Invocation& invocation, const WholeFile& file,
                                          const std::stop_token& stop, bool& few_frames) {
  few_frames = false;
  const Settings& settings = invocation.settings;
  const std::int64_t frames = file.frames_expected();
  const int width = file.width_expected(), height = file.height_expected();
  if (settings.backend != BackendChoice::automatic || invocation.device_given || invocation.strategy_given ||
      frames <= 0 || width <= 0 || height <= 0 || !gpu_seems_there())
    return compute_for(invocation);
  const StopScope scope(stop);
  std::unique_ptr<Compute> cores = make_compute(Backend::cpu);
  const std::optional<double> seconds = seconds_on_cores(*cores, settings, width, height);
  few_frames = seconds && *seconds * static_cast<double>(frames) < seconds_to_start_a_gpu;
  return few_frames ? std::move(cores) : compute_for(invocation);
}

}  // namespace convoscope
