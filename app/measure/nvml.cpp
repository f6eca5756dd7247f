#include "app/measure/nvml.h"

#include <dlfcn.h>

#include <array>

namespace convoscope {
namespace {

// As nvml.h declares them.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int nvml_success = 0;
constexpr int clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

struct Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*by_pci)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;  // milliwatts
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
};

template <class Function>
bool find(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

// The names of the throttle reasons changed with driver 535; older ones only have the second.
bool find_all(void* library, Functions& f) {
  find(library, "nvmlErrorString", f.error_string);
  if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", f.reasons))
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", f.reasons);
  find(library, "nvmlDeviceGetTemperature", f.temperature);
  find(library, "nvmlDeviceGetPowerUsage", f.power);
  return find(library, "nvmlInit_v2", f.init) && find(library, "nvmlShutdown", f.shutdown) &&
         find(library, "nvmlDeviceGetHandleByPciBusId_v2", f.by_pci) &&
         find(library, "nvmlDeviceGetClockInfo", f.clock);
}

class OpenNvml final : public Nvml {
 public:
  OpenNvml(void* library, const Functions& functions, NvmlDevice device)
      : library_(library), functions_(functions), device_(device) {}
  ~OpenNvml() override {
    functions_.shutdown();
    dlclose(library_);
  }
  OpenNvml(const OpenNvml&) = delete;
  OpenNvml& operator=(const OpenNvml&) = delete;

  bool sample(HealthSample& sample) override {
    sample = {};
    unsigned value = 0;
    if (functions_.clock(device_, clock_sm, &value) != nvml_success) return false;
    sample.sm_clock_mhz = static_cast<int>(value);
    if (functions_.clock(device_, clock_memory, &value) == nvml_success)
      sample.memory_clock_mhz = static_cast<int>(value);
    if (functions_.temperature && functions_.temperature(device_, temperature_gpu, &value) == nvml_success)
      sample.temperature_c = static_cast<int>(value);
    if (functions_.power && functions_.power(device_, &value) == nvml_success) sample.power_w = value * 1e-3;
    unsigned long long reasons = 0;
    if (functions_.reasons && functions_.reasons(device_, &reasons) == nvml_success)
      sample.throttling = throttling_text(reasons);
    return true;
  }

 private:
  void* library_;
  Functions functions_;
  NvmlDevice device_;
};

}  // namespace

std::string throttling_text(unsigned long long reasons) {
  struct Reason {
    unsigned long long bit;
    const char* text;
  };
  // Left out: idle (1), clocks that a user has set (2) and the sync boost (16), which are choices.
  constexpr std::array<Reason, 6> known{{{4, "power cap"},
                                         {8, "hardware slowdown"},
                                         {32, "thermal"},
                                         {64, "hardware thermal"},
                                         {128, "power brake"},
                                         {256, "display clocks"}}};
  std::string text;
  for (const Reason& reason : known)
    if (reasons & reason.bit) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  return text;
}

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id, std::string& reason, const char* name) {
  const std::string unknown = "Clocks, temperature and power are not known: ";
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  Functions functions;
  if (!library || !find_all(library, functions)) {
    reason = unknown + (library ? "NVIDIA's management library is too old. Update the driver."
                                : std::string(name) + " was not found. It comes with the NVIDIA driver.");
    if (library) dlclose(library);
    return nullptr;
  }
  const auto text = [&](int status) {
    const char* const said = functions.error_string ? functions.error_string(status) : nullptr;
    return std::string(said ? said : "error") + " (" + std::to_string(status) + ").";
  };
  if (const int status = functions.init(); status != nvml_success) {
    reason = unknown + "NVIDIA's management library does not start: " + text(status);
    dlclose(library);
    return nullptr;
  }
  NvmlDevice device = nullptr;
  if (const int status = functions.by_pci(pci_bus_id.c_str(), &device); status != nvml_success) {
    reason = unknown + "NVIDIA's management library does not know the GPU at " + pci_bus_id + ": " + text(status);
    functions.shutdown();
    dlclose(library);
    return nullptr;
  }
  return std::make_unique<OpenNvml>(library, functions, device);
}

}  // namespace convoscope
