#include "app/cli/backend_choice.h"

#include <algorithm>
#include <vector>

#include "kernels/text/error.h"

namespace convoscope {

std::unique_ptr<Compute> compute_for(const Invocation& invocation, std::string* why_not_cuda) {
  const Settings& settings = invocation.settings;
  check_device(invocation);
  switch (settings.backend) {
    case BackendChoice::cpu:
      return make_compute(Backend::cpu);
    case BackendChoice::emulated:
      return make_compute(Backend::emulated);
    case BackendChoice::cuda:
      return make_compute(Backend::cuda, settings.device);
    case BackendChoice::automatic:
      break;
  }
  const std::string reason = why_unavailable(Backend::cuda);
  if (why_not_cuda) *why_not_cuda = reason;
  return reason.empty() ? make_compute(Backend::cuda, settings.device) : make_compute(Backend::cpu);
}

void check_device(const Invocation& invocation) {
  const int wanted = invocation.settings.device;
  const bool of_cuda =
      invocation.settings.backend == BackendChoice::cuda || invocation.settings.backend == BackendChoice::automatic;
  if (!invocation.device_given || !of_cuda) return;
  const std::string name = "--device '" + std::to_string(wanted) + "'";
  if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty())
    throw Error(name + " is not there. " + reason + " Leave out --device to use the CPU.");
  const std::vector<Device> devices = list_devices(Backend::cuda);
  if (std::ranges::find(devices, wanted, &Device::ordinal) == devices.end())
    throw Error(name + " is not there. See convoscope list devices.");
}

}  // namespace convoscope
