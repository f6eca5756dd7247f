#pragma once
// The part of NVRTC, CUDA's run-time compiler, that we call, declared by us so that nothing is needed at build time.
#include <cstddef>
#include <string>

#include "kernels/libraries/dynamic_library.h"

namespace convoscope::libnvrtc {

using Program = struct ProgramData*;

struct Api {
  std::string missing;  // why it cannot be used; empty when it can
  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*compile)(Program, int count, const char* const* options) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  // The callback is asked in the middle of compile() and ends it with anything but 0. Null before CUDA 12.8.
  int (*set_flow_callback)(Program, int (*callback)(void* payload, void*), void* payload) = nullptr;
};

inline Api find() {
  const DynamicLibrary library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, "nvidia/cuda_nvrtc/lib");
  Api a;
  if (!library)
    a.missing = "NVRTC is not installed: install the package libnvrtc13 or cuda-nvrtc-13-0 (or the CUDA Toolkit)";
  else if (!library.find("nvrtcVersion", a.version) || !library.find("nvrtcCreateProgram", a.create) ||
           !library.find("nvrtcCompileProgram", a.compile) || !library.find("nvrtcGetCUBINSize", a.cubin_size) ||
           !library.find("nvrtcGetCUBIN", a.cubin) || !library.find("nvrtcGetProgramLogSize", a.log_size) ||
           !library.find("nvrtcGetProgramLog", a.log) || !library.find("nvrtcDestroyProgram", a.destroy))
    a.missing = "the installed NVRTC is too old: the one of CUDA 12 or newer is needed";
  else
    library.find("nvrtcSetFlowCallback", a.set_flow_callback);
  return a;
}
using Library = convoscope::Library<Api, find>;

inline const Api& api() { return Library::usable(); }

}  // namespace convoscope::libnvrtc
