#pragma once
// NVIDIA's management library, opened when first asked for: clocks, temperature, power and why a GPU slows itself down.
// Nothing is needed at build time; the few functions that are called are declared in nvml.cpp.
#include <memory>
#include <string>

namespace convoscope {

struct HealthSample {
  int sm_clock_mhz = 0, memory_clock_mhz = 0, temperature_c = 0;  // 0: this GPU does not say
  double power_w = 0;
  std::string throttling;  // "power cap, thermal"; empty: none
};

class Nvml {
 public:
  // For the GPU at this PCI address. Null, and the reason as a plain sentence, when there is no such library or GPU.
  // `library`: for tests.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id, std::string& reason,
                                    const char* library = "libnvidia-ml.so.1");
  virtual ~Nvml() = default;
  // Takes milliseconds, in the calling thread. False when the GPU no longer answers.
  virtual bool sample(HealthSample&) = 0;
};

// The reasons in nvmlDeviceGetCurrentClocksEventReasons' bits that make a GPU slower than it could be.
std::string throttling_text(unsigned long long reasons);

}  // namespace convoscope
