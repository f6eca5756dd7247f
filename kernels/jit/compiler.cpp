#include "kernels/jit/compiler.h"

#include <chrono>

#include "kernels/jit/cubin_cache.h"
#include "kernels/libraries/nvrtc.h"
#include "kernels/text/error.h"
#include "kernels/threads/background.h"

namespace convoscope::jit {
namespace {

std::string architecture(int compute_capability) {
  return "--gpu-architecture=sm_" + std::to_string(compute_capability);
}

std::string key_of(const std::string& source, int compute_capability) {
  int major = 0, minor = 0;
  libnvrtc::api().version(&major, &minor);
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " " + architecture(compute_capability) +
         "\n" + source;
}

void finish(const std::shared_ptr<Job>& held, const std::stop_token& stop) {
  Job& job = *held;
  const auto unwanted = [&] { return stop.stop_requested() || held.use_count() == 1; };
  try {
    const std::string source = job.source();
    const std::string key = key_of(source, job.compute_capability);
    std::optional<std::string> cubin = load_cubin(key);
    job.from_cache = cubin.has_value();
    const auto start = std::chrono::steady_clock::now();
    if (!cubin) {
      cubin = compile(source, job.compute_capability, unwanted);
      save_cubin(key, *cubin);
    }
    job.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (unwanted()) throw Error("Nobody waits for this kernel any more.");
    job.result = job.load(*cubin);
    job.state = Job::State::ready;
  } catch (const std::exception& failure) {
    job.error = failure.what();
    job.state = Job::State::failed;
  }
}

}  // namespace

void open_library() { libnvrtc::Library::open(); }
std::string why_unavailable() { return libnvrtc::Library::missing(); }

void request(const std::shared_ptr<Job>& job) {
  Background* const background = Background::current();
  if (!background) return finish(std::shared_ptr(job), {});
  background->compiler().add_first([wanted = std::weak_ptr(job)](const std::stop_token& stop) {
    if (const std::shared_ptr<Job> held = wanted.lock()) finish(held, stop);
  });
}

std::string compile(const std::string& source, int compute_capability, const std::function<bool()>& cancelled) {
  const libnvrtc::Api& api = libnvrtc::api();
  libnvrtc::Program program = nullptr;
  if (api.create(&program, source.c_str(), "specialised.cu", 0, nullptr, nullptr) != 0)
    throw Error("NVRTC could not take the source of the specialised kernel.");
  const std::shared_ptr<void> owner(program, [&api](void* held) {
    auto* one = static_cast<libnvrtc::Program>(held);
    api.destroy(&one);
  });
  const std::string target = architecture(compute_capability);
  const char* const options[] = {target.c_str(), "--std=c++17"};
  if (cancelled && api.set_flow_callback)
    api.set_flow_callback(
        program, [](void* asked, void*) { return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0; },
        const_cast<std::function<bool()>*>(&cancelled));
  const int status = api.compile(program, 2, options);
  if (status != 0) {
    if (cancelled && cancelled()) throw Error("Compiling was cancelled.");
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
