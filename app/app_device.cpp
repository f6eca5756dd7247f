// What computes: the backend and the device, also when they change while the program runs.

#include "app/app.h"
#include "app/cli/backend_choice.h"
#include "app/files/log.h"
#include "kernels/choose/ladder.h"
#include "kernels/choose/stand_in.h"
#include "kernels/libraries/optional_libraries.h"
#include "kernels/text/error.h"

namespace convoscope {

void App::choose_backend() {
  const auto tell_notice = [&] {  // who has read it in the window is not told it at each start
    if (invocation_.offscreen || !settings_.dismissed.contains(stats_.backend_notice)) log::warn(stats_.backend_notice);
  };
  const auto use_cpu_because = [&](const std::string& reason) {
    stats_.backend_notice = reason + " The CPU strategies are used instead.";
    tell_notice();
    return make_compute(Backend::cpu);
  };
  const BackendChoice choice = backend_at_hand_ = settings_.backend;
  device_at_hand_ = settings_.device;
  const bool nobody_watches = invocation_.offscreen;
  if (!nobody_watches) {
    stats_.why_no_gpu = why_unavailable(Backend::cuda);
    stats_.gpus = list_devices(Backend::cuda);
  }
  const bool by_name = choice == BackendChoice::cuda || invocation_.device_given;
  if (nobody_watches && by_name) {
    compute_ = compute_for(invocation_);
  } else if (choice == BackendChoice::cpu) {
    compute_ = make_compute(Backend::cpu);
  } else if (choice == BackendChoice::emulated) {
    compute_ = make_compute(Backend::emulated);
    stats_.backend_notice =
        "Emulated: the CUDA kernels run thread by thread on the CPU. That is slow, and they are not timed.";
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
  if (std::string why = why_slower_than_need_be(stats_.device.backend); !why.empty()) {
    stats_.backend_notice = std::move(why);
    tell_notice();
  }

  follow_workbench();
  if (!nobody_watches && stats_.device.backend == Backend::cuda) open_libraries_beside();
  if (!invocation_.strategy_given || nobody_watches) return;  // where nobody does, the end says what ran
  const Kind& kind = *work_of(settings_).kind;
  for (const PaneSettings& pane : settings_.panes)
    if (pane.strategy != "source" && !strategy_for(stats_.device.backend, pane.strategy, kind))
      log::warn("The strategy '" + pane.strategy + "' cannot run: " +
                why_not_here(stats_.device.backend, pane.strategy, kind) + ". Another one runs instead.");
}

void App::follow_workbench() {
  stats_.ladder = ladder_of(stats_.device.backend, *work_of(settings_).kind);
  stats_.ladder_is_of = settings_.workbench;
}

void App::change_backend() {
  const double position = source_.plays() && stats_.source.seekable ? filter_->position() : 0;
  compute_->synchronize();
  source_.close();
  inspection_.end();
  learning_.leave_device();
  filter_.reset();
  stats_.panes.clear();
  stats_.backend_notice.clear();
  interop_.reset();
  choose_backend();
  watch_device();
  interop_ = make_interop(*compute_);
  make_filters();
  open_source(position);
}

// Offscreen on a CPU the strategies would share their cores with the measurement for most of a short run.
void App::watch_device() { measuring_.watch(stats_, !context_->offscreen() || filters_on_gpu()); }

void App::make_filters() {
  const auto told_by = [this](std::atomic<bool>& told) {
    return [this, &told] {
      told = true;
      context_->wake();
    };
  };
  const auto stopped = [this] { return static_cast<bool>(stop_); };
  filter_ = std::make_unique<FilterStep>(*compute_, context_->offscreen(), told_by(filtered_), stopped);
  inspection_.begin(*compute_);
  if (learning_.has_begun())
    learning_.go_on_with(*compute_);
  else
    learning_.begin(std::make_unique<Learner>(*compute_, context_->offscreen(), told_by(progress_), stopped));
  presented_ = -1;
  shown_difference_ = {};
}

}  // namespace convoscope
