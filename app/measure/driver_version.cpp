#include "app/measure/driver_version.h"

#include <dlfcn.h>

#include <cctype>
#include <fstream>
#include <sstream>

namespace convoscope {
namespace {

bool is_number(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) && word.find('.') != std::string::npos;
}

std::string from_management_library(const char* name) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return {};
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto shutdown = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
  char text[96] = "";
  if (init && shutdown && version && init() == 0) {
    if (version(text, sizeof text) != 0) text[0] = '\0';
    shutdown();
  }
  dlclose(library);
  return is_number(text) ? text : "";
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 …": the first word that is a number with dots.
std::string from_module(const char* file) {
  std::ifstream said(file);
  std::string line, word;
  std::getline(said, line);
  for (std::istringstream words(line); words >> word;)
    if (is_number(word)) return word;
  return {};
}

}  // namespace

std::string nvidia_driver_number(const char* library, const char* module_file) {
  const std::string number = from_management_library(library);
  return number.empty() ? from_module(module_file) : number;
}

}  // namespace convoscope
