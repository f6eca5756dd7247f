#pragma once
// A kernel that was written for a filter, compiled by the host's compiler.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/contract/data/border.h"
#include "kernels/jit/specialised_source.h"
#include "tests/jit/kernel_watcher.h"

namespace convoscope {

class HostKernel {
 public:
  struct Epilogue {
    float gain, bias;
    int absolute;
  };
  // The kernel's parameters, the grid, and who looks on: null for nobody. Threads run one after the other.
  using Run = void (*)(const SpecialisedSource&, const SpecialisedTarget&, const Epilogue&, unsigned blocks_x,
                       unsigned blocks_y, const KernelWatcher*);

  explicit HostKernel(const SpecialisedKernel& kernel) {
    namespace fs = std::filesystem;
    static int count = 0;
    const fs::path base =
        fs::temp_directory_path() / ("convoscope-jit-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    source_ = base.string() + ".cpp";
    library_ = base.string() + ".so";
    std::ofstream(source_) << "#include \"" HOST_PRELUDE "\"\n"
                           << kernel.source << R"(
extern "C" void run(const Source& in, const Target& out, const Epilogue& e, unsigned blocks_x, unsigned blocks_y,
                    const KernelWatcher* looks_on) {
  watcher = looks_on;
  for (blockIdx.y = 0; blockIdx.y < blocks_y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < blocks_x; ++blockIdx.x)
      for (threadIdx.y = 0; threadIdx.y < 4; ++threadIdx.y)
        for (threadIdx.x = 0; threadIdx.x < 32; ++threadIdx.x) {
          filter_specialised(in, out, e);
          if (watcher) watcher->returned(watcher->self, {blockIdx.x, blockIdx.y, threadIdx.x, threadIdx.y});
        }
}
)";
    const std::string command =
        std::string(HOST_COMPILER " -std=c++17 -O0 -w -shared -fPIC -o ") + library_ + " " + source_;
    if (std::system(command.c_str()) == 0) handle_ = dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) run = reinterpret_cast<Run>(dlsym(handle_, "run"));
  }
  HostKernel(const HostKernel&) = delete;
  HostKernel& operator=(const HostKernel&) = delete;
  ~HostKernel() {
    if (handle_) dlclose(handle_);
    std::filesystem::remove(source_);
    std::filesystem::remove(library_);
  }
  Run run = nullptr;  // null: it did not compile

 private:
  std::string source_, library_;
  void* handle_ = nullptr;
};

// What SpecialisedSource::columns and rows point into, at `radius`.
inline std::vector<int> border_table(int size, int radius, Border border) {
  std::vector<int> places;
  for (int i = -radius; i < size + radius + SpecialisedKernel::reach; ++i)
    places.push_back(border_index(i, size, border));
  return places;
}

}  // namespace convoscope
