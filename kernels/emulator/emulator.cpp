#include "kernels/emulator/emulator.h"

#include <map>

namespace convoscope::emulated {
namespace {

std::mutex permissions_mutex;
std::map<const void*, std::size_t>& permissions() {
  static std::map<const void*, std::size_t> bytes;
  return bytes;
}

}  // namespace

void permit_shared(const void* kernel, std::size_t bytes) {
  if (bytes > most_shared_bytes)
    throw Error("allow_shared() asks for " + std::to_string(bytes) + " bytes of shared memory; the device has " +
                std::to_string(most_shared_bytes) + " for a block");
  const std::lock_guard lock(permissions_mutex);
  std::size_t& permitted = permissions()[kernel];
  permitted = std::max(permitted, bytes);
}

void require_shared(const void* kernel, std::size_t bytes) {
  if (bytes <= shared_bytes_without_permission) return;
  const std::lock_guard lock(permissions_mutex);
  const auto found = permissions().find(kernel);
  if (found == permissions().end() || found->second < bytes)
    throw Error("a launch with " + std::to_string(bytes) +
                " bytes of shared memory needs allow_shared() when the plan is made: without it, the most is " +
                std::to_string(shared_bytes_without_permission));
}

KernelInfo describe_launch(const char* name, dim3 grid, dim3 block, std::size_t shared_bytes) {
  KernelInfo info;
  info.name = name;
  info.grid_x = static_cast<int>(grid.x);
  info.grid_y = static_cast<int>(grid.y);
  info.grid_z = static_cast<int>(grid.z);
  info.block_x = static_cast<int>(block.x);
  info.block_y = static_cast<int>(block.y);
  info.block_z = static_cast<int>(block.z);
  info.dynamic_shared_bytes = shared_bytes;
  return info;
}

}  // namespace convoscope::emulated
