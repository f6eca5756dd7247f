// A libnvidia-ml.so.1 with one GPU that does as FAKE_NVML says: "missing" (no GPU at that address), "dumb" (does not
// start), "lost" (answers twice, then no longer), "moving" (clocks that halve), "hot" (throttles); else a quiet one.
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace {
std::string_view mode() {
  const char* const text = std::getenv("FAKE_NVML");
  return text ? text : "";
}
std::atomic<int> samples{0};
}  // namespace

extern "C" {
int nvmlInit_v2() {
  samples = 0;
  return mode() == "dumb" ? 9 : 0;
}
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  constexpr std::string_view number = "580.95.05";
  if (mode() == "lost" || length <= number.size()) return 7;
  number.copy(text, number.size());
  text[number.size()] = '\0';
  return 0;
}
const char* nvmlErrorString(int) { return "Driver Not Loaded"; }
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
  *device = &samples;
  return mode() == "missing" ? 6 : 0;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  if (type == 1) ++samples;
  if (mode() == "lost" && samples > 2) return 15;
  *mhz = type == 1 ? (mode() == "moving" && samples % 2 ? 990u : 1980u) : 3201u;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 41;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 123'400;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = mode() == "hot" ? 4 | 32 : 1;
  return 0;
}
}
