// A libcuda.so.1 that supports the CUDA version FAKE_DRIVER_VERSION and whose cuInit returns FAKE_DRIVER_INIT: so that
// a start with an old or a broken driver can be seen without one.
#include <cstdlib>

namespace {
int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}
}  // namespace

extern "C" {
int cuDriverGetVersion(int* version) {
  *version = number("FAKE_DRIVER_VERSION");
  return 0;
}
int cuInit(unsigned) { return number("FAKE_DRIVER_INIT"); }
}
