#pragma once
// What a strategy may ask about the machine it is going to run on.
#include <cstddef>
#include <string>

namespace convoscope {

enum class Backend {
  cpu,
  cuda,
  emulated,  // the CUDA kernels, compiled for the host and run thread by thread: for tests and teaching, never timed
};

constexpr const char* to_string(Backend backend) {
  return backend == Backend::cpu ? "cpu" : backend == Backend::cuda ? "cuda" : "emulated";
}

struct Device {
  Backend backend = Backend::cpu;
  int ordinal = 0;
  std::string name;            // product name
  int compute_capability = 0;  // 75, 86, 90 …; 0 for the CPU; the emulated device says 90
  // What the kernels were compiled for, where that is less: a driver translates them for a newer device as they are,
  // without the instructions that came with it. 0: for the device itself.
  int compiled_for = 0;
  int multiprocessors = 0;  // cores for the CPU
  int max_threads_per_block = 1024;
  std::size_t shared_bytes_per_block = 48 * 1024;  // after opting in
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  int usable_capability() const { return compiled_for ? compiled_for : compute_capability; }
};

}  // namespace convoscope
