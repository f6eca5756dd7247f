#pragma once
// Libraries that may be missing on a user's machine, opened when they are first called. Nothing is needed at build
// time: each library's header here declares the few functions that we call.
#include <dlfcn.h>
#include <glob.h>

#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "kernels/contract/strategy.h"
#include "kernels/text/error.h"

namespace convoscope {

// Never closed: the libraries keep state on the device that outlives any plan.
class DynamicLibrary {
 public:
  // Tries the names in order, each with the loader's own search first, then beside the CUDA Toolkit and in the wheels
  // that NVIDIA publishes for Python, where a name may be a pattern. `wheel`: where among Python's packages the wheel
  // has its libraries ("nvidia/cublas/lib").
  DynamicLibrary(std::initializer_list<const char*> names, const char* wheel) {
    for (const char* name : names) {
      if ((handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) return;
      for (const std::string& pattern : folders(wheel)) {
        glob_t found{};
        if (glob((pattern + "/" + name).c_str(), 0, nullptr, &found) == 0)
          for (std::size_t i = 0; i < found.gl_pathc && !handle_; ++i)
            handle_ = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
        if (handle_) return;
      }
    }
  }
  explicit operator bool() const { return handle_ != nullptr; }

  // Sets `function` to the symbol; false when the library does not have it.
  template <class Function>
  bool find(const char* symbol, Function*& function) const {
    function = handle_ ? reinterpret_cast<Function*>(dlsym(handle_, symbol)) : nullptr;
    return function != nullptr;
  }

 private:
  static std::vector<std::string> folders(const char* wheel) {
    std::vector<std::string> result;
    const auto below = [&](const char* variable, const std::string& rest) {
      if (const char* value = std::getenv(variable); value && *value) result.push_back(value + rest);
    };
    below("CUDA_HOME", "/lib64");
    below("CUDA_PATH", "/lib64");
    result.push_back("/usr/local/cuda/lib64");
    for (const std::string& folder : {std::string(wheel), std::string("nvidia/cu1[2-9]/lib")}) {
      const std::string packages = "/python3*/*-packages/" + folder;
      below("VIRTUAL_ENV", "/lib" + packages);
      below("HOME", "/.local/lib" + packages);
      result.push_back("/usr/local/lib" + packages);
      result.push_back("/usr/lib" + packages);
    }
    return result;
  }

  void* handle_ = nullptr;
};

// A library that is unknown, there or missing, for the whole program. The first who opens it waits for a moment; any
// thread. find: opens it and finds its functions; in Api::missing it leaves why they cannot be used, empty when they
// can.
template <class Api, Api (*find)()>
class Library {
 public:
  static void open() { opened(); }
  static const Api& opened() {
    static const Api api = find();
    static const bool noted = note(api);
    static_cast<void>(noted);
    return api;
  }
  // Opened; an Error where it cannot be used.
  static const Api& usable() {
    const Api& api = opened();
    if (!api.missing.empty()) throw Error(api.missing);
    return api;
  }
  // Why it cannot be used, as far as is known: empty too while nobody has opened it. Opens nothing.
  static std::string missing() {
    const Api* const api = known_;
    return api ? api->missing : "";
  }

 private:
  static bool note(const Api& api) {
    known_ = &api;
    ++libraries_opened;
    return true;
  }
  static inline std::atomic<const Api*> known_ = nullptr;
};

}  // namespace convoscope
