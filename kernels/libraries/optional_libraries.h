#pragma once
// What of NVIDIA's may be missing on a user's machine: the driver, and libraries of CUDA with what they would bring.
#include <string>
#include <vector>

namespace convoscope {

struct OptionalLibrary {
  std::string name;     // "cuBLAS"
  std::string brings;   // part of a sentence: "the strategy im2col-gemm"
  std::string path;     // of the one that was found; empty: none
  std::string missing;  // why it cannot be used, and the package that has it; empty when it can
};

struct NvidiaDriver {
  std::string path;  // of libcuda; empty: there is none
  std::string cuda;  // the newest that it can run: "13.0"
};
NvidiaDriver nvidia_driver();  // asked without CUDA, so that a program that is built without knows, too

std::vector<OptionalLibrary> optional_libraries();  // opens them, which takes a moment

// Opens those of CUDA's image strategies on the Background's planner thread, so that the ladder soon knows which of its
// rows cannot run. Returns at once; nothing without a Background.
void open_libraries_beside();

}  // namespace convoscope
