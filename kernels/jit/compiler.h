#pragma once
// CUDA source to machine code while the program runs: by NVRTC on the Background's compiler thread, and remembered on
// disk.
#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace convoscope::jit {

// One piece of source on its way. The asker keeps it; dropping it takes the request back, also from under the compiler.
struct Job {
  std::function<std::string()> source;  // writes it; called on the compiler's thread
  int compute_capability = 0;           // 75, 90 …: machine code for just this one
  // Called on the compiler's thread with the machine code; what it returns is `result`. May throw Error.
  std::function<std::shared_ptr<void>(const std::string& cubin)> load;

  enum class State { waiting, ready, failed };
  std::atomic<State> state{State::waiting};
  // To be read once `state` says so, and constant from then on.
  std::shared_ptr<void> result;
  std::string error;
  double milliseconds = 0;  // that the compiler took
  bool from_cache = false;
};

void open_library();            // NVRTC's, if it is not open: it takes a moment
std::string why_unavailable();  // why nothing can be compiled here, as far as is known: no library is opened to answer

// Returns at once where there is a Background (background.h), else when it is done. The newest request comes first: it
// is the one that somebody is looking at. A cache folder that cannot be used only costs compiling again. Any thread.
void request(const std::shared_ptr<Job>&);

// NVRTC itself, in the calling thread: the machine code. Throws Error with its log. `cancelled` is asked now and then,
// from this or another thread, and must stay true once it is; an NVRTC before CUDA 12.8 does not ask.
std::string compile(const std::string& source, int compute_capability, const std::function<bool()>& cancelled = {});

}  // namespace convoscope::jit
