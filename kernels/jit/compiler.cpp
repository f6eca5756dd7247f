#include "kernels/jit/compiler.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "kernels/error.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/nvrtc.h"

namespace convoscope::jit {
namespace {

std::string architecture(int compute_capability) {
  return "--gpu-architecture=sm_" + std::to_string(compute_capability);
}

std::string key_of(const std::string& source, int compute_capability) {
  int major = 0, minor = 0;
  nvrtc::api().version(&major, &minor);
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " " + architecture(compute_capability) +
         "\n" + source;
}

void finish(Job& job) {
  try {
    const std::string source = job.source();
    const std::string key = key_of(source, job.compute_capability);
    std::optional<std::string> cubin = load_cubin(key);
    job.from_cache = cubin.has_value();
    const auto start = std::chrono::steady_clock::now();
    if (!cubin) {
      cubin = compile(source, job.compute_capability);
      save_cubin(key, *cubin);
    }
    job.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    job.result = job.load(*cubin);
    job.state = Job::State::ready;
  } catch (const std::exception& failure) {
    job.error = failure.what();
    job.state = Job::State::failed;
  }
}

// The newest request is the one that somebody is looking at, so it comes first.
class Worker {
 public:
  Worker() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void add(const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(job);
    wake_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
        job = waiting_.back().lock();
        waiting_.pop_back();
      }
      if (job) finish(*job);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::weak_ptr<Job>> waiting_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

std::string why_unavailable() { return nvrtc::api().missing; }

void request(const std::shared_ptr<Job>& job) {
  static Worker worker;
  worker.add(job);
}

std::string compile(const std::string& source, int compute_capability) {
  const nvrtc::Api& api = nvrtc::api();
  if (!api.missing.empty()) throw Error(api.missing);
  nvrtc::Program program = nullptr;
  if (api.create(&program, source.c_str(), "specialised.cu", 0, nullptr, nullptr) != 0)
    throw Error("NVRTC could not take the source of the specialised kernel.");
  const std::shared_ptr<void> owner(program, [&api](void* held) {
    auto* one = static_cast<nvrtc::Program>(held);
    api.destroy(&one);
  });
  const std::string target = architecture(compute_capability);
  const char* const options[] = {target.c_str(), "--std=c++17"};
  const int status = api.compile(program, 2, options);
  if (status != 0) {
    std::size_t size = 0;
    api.log_size(program, &size);
    std::string log(size, ' ');
    if (size) api.log(program, log.data());
    throw Error("NVRTC could not compile the specialised kernel for sm_" + std::to_string(compute_capability) + ": " +
                log.substr(0, 400));
  }
  std::size_t size = 0;
  if (api.cubin_size(program, &size) != 0 || size == 0) throw Error("NVRTC gave no machine code.");
  std::string cubin(size, '\0');
  if (api.cubin(program, cubin.data()) != 0) throw Error("NVRTC gave no machine code.");
  return cubin;
}

}  // namespace convoscope::jit
