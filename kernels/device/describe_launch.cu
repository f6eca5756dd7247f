// What the compiler and the device say about one launch, for the timing panel.
#include "kernels/device/device.cuh"

namespace convoscope::cuda {

int blocks_per_multiprocessor(const void* kernel, dim3 block, std::size_t shared_bytes) {
  const int threads = static_cast<int>(block.x * block.y * block.z);
  int blocks = 0;
  CONVOSCOPE_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks;
}

bool starts_early(const void* kernel) {
  cudaFuncAttributes attributes{};
  CONVOSCOPE_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion >= 90;
}

KernelInfo describe_launch(const char* name, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes) {
  cudaFuncAttributes attributes{};
  CONVOSCOPE_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const int threads = static_cast<int>(block.x * block.y * block.z);
  const int resident_blocks = blocks_per_multiprocessor(kernel, block, shared_bytes);
  int device = 0, multiprocessors = 0, threads_per_multiprocessor = 0, warp_size = 32;
  CONVOSCOPE_CHECK(cudaGetDevice(&device));
  CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&threads_per_multiprocessor, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&warp_size, cudaDevAttrWarpSize, device));

  KernelInfo info;
  info.name = name;
  info.grid_x = static_cast<int>(grid.x), info.grid_y = static_cast<int>(grid.y),
  info.grid_z = static_cast<int>(grid.z);
  info.block_x = static_cast<int>(block.x), info.block_y = static_cast<int>(block.y);
  info.block_z = static_cast<int>(block.z);
  info.registers = attributes.numRegs;
  info.static_shared_bytes = attributes.sharedSizeBytes;
  info.dynamic_shared_bytes = shared_bytes;
  info.local_bytes = attributes.localSizeBytes;
  info.blocks_per_multiprocessor = resident_blocks;
  const int warps_per_block = ceil_div(threads, warp_size);
  info.occupancy = static_cast<double>(resident_blocks) * warps_per_block / (threads_per_multiprocessor / warp_size);
  const double blocks = static_cast<double>(grid.x) * grid.y * grid.z;
  const double resident = static_cast<double>(resident_blocks) * multiprocessors;
  info.waves = resident > 0 ? blocks / resident : 0;
  return info;
}

}  // namespace convoscope::cuda
