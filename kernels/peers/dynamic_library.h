#pragma once
// Libraries that may be missing on a user's machine, opened when first asked for. Nothing is needed at build time: each
// library's header here declares the few functions that we call.
#include <dlfcn.h>
#include <glob.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace convoscope {

// Never closed: the libraries keep state on the device that outlives any plan.
class DynamicLibrary {
 public:
  // Tries the names in order, each with the loader's own search first, then beside the CUDA Toolkit and in the wheels
  // that NVIDIA publishes for Python. `wheel`: the wheel's folder under nvidia/ ("cublas").
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
    for (const std::string& folder : {std::string(wheel), std::string("cu1[2-9]")}) {
      const std::string packages = "/python3*/*-packages/nvidia/" + folder + "/lib";
      below("VIRTUAL_ENV", "/lib" + packages);
      below("HOME", "/.local/lib" + packages);
      result.push_back("/usr/local/lib" + packages);
      result.push_back("/usr/lib" + packages);
    }
    return result;
  }

  void* handle_ = nullptr;
};

}  // namespace convoscope
