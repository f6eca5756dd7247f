#include "app/steps/chosen_device.h"

#include <utility>

#include "app/cli/backend_choice.h"
#include "app/files/log.h"
#include "app/state/workbench.h"
#include "kernels/choose/ladder.h"
#include "kernels/choose/stand_in.h"
#include "kernels/libraries/optional_libraries.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// Who has read it in the window is not told it at each start.
void tell_notice(const Invocation& invocation, const Settings& settings, const std::string& notice) {
  if (invocation.offscreen || !settings.dismissed.contains(notice)) log::warn(notice);
}

void tell_what_cannot_run(const Settings& settings, Backend backend) {
  const Kind& kind = *work_of(settings).kind;
  for (const PaneSettings& pane : settings.group().panes)
    if (pane.strategy != "source" && !strategy_for(backend, pane.strategy, kind))
      log::warn("The strategy '" + pane.strategy + "' cannot run: " + why_not_here(backend, pane.strategy, kind) +
                ". Another one runs instead.");
}

}  // namespace

std::unique_ptr<Compute> ChosenDevice::make(const Invocation& invocation, const Settings& settings,
                                            Stats& stats) const {
  const auto use_cpu_because = [&](const std::string& reason) {
    stats.backend_notice = reason + " The CPU strategies are used instead.";
    tell_notice(invocation, settings, stats.backend_notice);
    return make_compute(Backend::cpu);
  };
  const bool by_name = backend_ == BackendChoice::cuda || invocation.device_given;
  if (invocation.offscreen && by_name) return compute_for(invocation);
  if (backend_ == BackendChoice::cpu) return make_compute(Backend::cpu);
  if (backend_ == BackendChoice::emulated) {
    stats.backend_notice =
        "Emulated: the CUDA kernels run thread by thread on the CPU. That is slow, and they are not timed.";
    return make_compute(Backend::emulated);
  }
  if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty()) return use_cpu_because(reason);
  try {
    return make_compute(Backend::cuda, device_);
  } catch (const Error& error) {
    return use_cpu_because(error.what());
  }
}

void ChosenDevice::choose(const Invocation& invocation, const Settings& settings, Stats& stats) {
  backend_ = settings.backend;
  device_ = settings.device;
  const bool nobody_watches = invocation.offscreen;
  if (!nobody_watches) {
    stats.why_no_gpu = why_unavailable(Backend::cuda);
    stats.gpus = list_devices(Backend::cuda);
  }
  compute_ = make(invocation, settings, stats);
  stats.device = compute_->device();
  const Backend backend = stats.device.backend;
  stats.backend = to_string(backend);
  if (std::string why = why_slower_than_need_be(backend); !why.empty()) {
    stats.backend_notice = std::move(why);
    tell_notice(invocation, settings, stats.backend_notice);
  }
  list_strategies(settings, stats);
  if (nobody_watches) return;  // the end says what ran
  if (is_gpu()) open_libraries_beside();
  if (invocation.strategy_given) tell_what_cannot_run(settings, backend);
}

bool ChosenDevice::is_other(const Settings& settings) const {
  return settings.backend != backend_ || (is_gpu() && settings.device != device_);
}

void ChosenDevice::list_strategies(const Settings& settings, Stats& stats) {
  stats.ladder = ladder_of(stats.device.backend, *work_of(settings).kind);
  stats.ladder_is_of = settings.workbench;
}

}  // namespace convoscope
