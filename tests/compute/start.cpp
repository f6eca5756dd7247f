// Prints why CUDA cannot be used here; run by CTest with drivers that are missing, old or broken.
#include <cstdio>

#include "kernels/compute/compute.h"

int main() {
  const std::string reason = convoscope::why_unavailable(convoscope::Backend::cuda);
  std::puts(reason.c_str());
  return convoscope::why_unavailable(convoscope::Backend::cuda) == reason ? 0 : 1;
}
