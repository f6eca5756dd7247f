// Stands in for NVRTC where its pace matters: the source "slow" is never done, unless the program says stop or, where
// there is nothing to ask it, release() is called. Like NVRTC, it must not be unloaded in the middle.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

std::atomic<int> compiling = 0, cancelled = 0;
std::atomic<bool> released = false;

struct Program {
  std::string source;
  int (*callback)(void*, void*) = nullptr;
  void* payload = nullptr;
};

[[gnu::destructor]] void unload() {
  if (compiling) std::abort();
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 99;
  *minor = 0;
  return 0;
}
int nvrtcCreateProgram(Program** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source};
  return 0;
}
int nvrtcCompileProgram(Program* program, int, const char* const*) {
  ++compiling;
  int status = 0;
  while (program->source == "slow" && !released && status == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (program->callback && program->callback(program->payload, nullptr)) status = 16;  // NVRTC_ERROR_CANCELLED
  }
  if (status != 0) ++cancelled;
  --compiling;
  return status;
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
  *size = program->source.size();
  return 0;
}
int nvrtcGetCUBIN(Program* program, char* cubin) {
  std::memcpy(cubin, program->source.data(), program->source.size());
  return 0;
}
int nvrtcGetProgramLogSize(Program*, std::size_t* size) {
  *size = 0;
  return 0;
}
int nvrtcGetProgramLog(Program*, char*) { return 0; }
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
#if !defined(BEFORE_CUDA_12_8)
int nvrtcSetFlowCallback(Program* program, int (*callback)(void*, void*), void* payload) {
  program->callback = callback;
  program->payload = payload;
  return 0;
}
#endif

int fake_nvrtc_compiling() { return compiling; }
int fake_nvrtc_cancelled() { return cancelled; }
void fake_nvrtc_release() { released = true; }
void fake_nvrtc_reset() {
  cancelled = 0;
  released = false;
}
}
