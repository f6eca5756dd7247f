#pragma once
// Where there are instructions of warpgroups (wgmma), in the words of strategies that need them. Files that include
// this are in the list SM_90A of kernels/CMakeLists.txt: no other architecture has them.
#include <string>

#include "kernels/device/capability.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

#if defined(CONVOSCOPE_EMULATED) || defined(CONVOSCOPE_HAS_SM_90A)
inline constexpr bool warpgroups_are_built = true;
#else
inline constexpr bool warpgroups_are_built = false;
#endif

// Why there are none, empty when there are.
inline std::string reason_without_warpgroups(const Device& device) {
  if (device.compute_capability != 90)
    return "The instruction wgmma is of compute capability 9.0 alone; " + capability_at_hand(device);
  if (!warpgroups_are_built)
    return "This convoscope has no machine code for sm_90a, the only one with wgmma. Build it again with "
           "CMAKE_CUDA_ARCHITECTURES set to 90";
  return {};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
