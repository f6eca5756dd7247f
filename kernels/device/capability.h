#pragma once
// What a device can, in the words of those who refuse it.
#include <string>

#include "kernels/contract/device.h"

namespace convoscope {

inline std::string capability_text(int capability) {  // 75: "7.5"
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}
// "this device has 7.5"; where the program's kernels know less than it does, what they were compiled for.
inline std::string capability_at_hand(const Device& device) {
  const int usable = device.usable_capability();
  return (usable < device.compute_capability ? "this program was built for " : "this device has ") +
         capability_text(usable);
}

}  // namespace convoscope
