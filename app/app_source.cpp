// Where frames come from and what filters them: the backend and the source, also when they change while the program
// runs.
#include <spdlog/spdlog.h>

#include "app/app.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

constexpr std::size_t max_recent_files = 12;

}  // namespace

void App::choose_backend() {
  const auto use_cpu_because = [&](const std::string& reason) {
    stats_.backend_notice = reason + " The CPU strategies are used instead.";
    spdlog::warn("{}", stats_.backend_notice);
    return make_compute(Backend::cpu);
  };
  const BackendChoice choice = backend_at_hand_ = settings_.backend;
  if (choice == BackendChoice::cpu) {
    compute_ = make_compute(Backend::cpu);
  } else if (choice == BackendChoice::emulated) {
    compute_ = make_compute(Backend::emulated);
    stats_.backend_notice =
        "Emulated: the CUDA kernels run thread by thread on the CPU. Times say nothing about a GPU.";
  } else if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty()) {
    compute_ = use_cpu_because(reason);
  } else {
    try {
      compute_ = make_compute(Backend::cuda, settings_.device);
    } catch (const Error& error) {
      compute_ = use_cpu_because(error.what());
    }
  }
  stats_.device = compute_->device();
  stats_.backend = to_string(stats_.device.backend);

  for (PaneSettings& pane : settings_.panes) {
    if (pane.strategy == "source" || strategy_for(stats_.device.backend, pane.strategy)) continue;
    const std::string substitute = substitute_strategy(stats_.device.backend, pane.filter.filter);
    if (invocation_.strategy_given)
      message(MessageLevel::warning,
              "The strategy '" + pane.strategy + "' needs CUDA; " + substitute + " runs instead.");
    pane.strategy = substitute;
  }
}

void App::change_backend() {
  compute_->synchronize();
  player_.reset();
  checker_.reset();
  inspector_.reset();
  panes_.reset();
  stats_.panes.clear();
  stats_.stages = StageTimes();
  timing_window_ = 0;
  stats_.backend_notice.clear();
  input_ = {};
  converter_.reset();
  interop_.reset();
  choose_backend();
  watch_device();
  interop_ = make_interop(*compute_);
  converter_ = make_frame_converter(*compute_);
  panes_ = std::make_unique<PaneSet>(*compute_);
  checker_ = std::make_unique<PaneChecker>(*compute_);
  inspector_ = std::make_unique<Inspector>(*compute_);
  open_source();
}

void App::open_source() {
  const bool cuda = stats_.device.backend == Backend::cuda;
  DecodeTarget target;
  target.cuda = cuda;
  target.planes = true;
  target.device = stats_.device.ordinal;
  if (cuda)
    target.allocate_host = [compute = compute_.get()](std::size_t bytes) { return compute->allocate_host(bytes); };
  stats_.source = {};
  const bool every = rendering_ || (context_->offscreen() && !invocation_.realtime);
  const Pace pace = every ? Pace::every : Pace::clock;
  try {
    player_.reset();
    player_ = Player::open(settings_.source, target, pace, !context_->offscreen());
    if (invocation_.seek && stats_.frames_shown == 0) player_->seek_seconds(*invocation_.seek);
    std::erase(settings_.recent, settings_.source.input);
    settings_.recent.insert(settings_.recent.begin(), settings_.source.input);
    if (settings_.recent.size() > max_recent_files) settings_.recent.resize(max_recent_files);
  } catch (const Error& error) {
    stats_.source.error = error.what();
    message(MessageLevel::error, error.what());
    failed_ = context_->offscreen();
  }
  context_->set_title(settings_.source.input + " – Convoscope");
}

}  // namespace convoscope
