#pragma once
// What convoscope doctor found out, as data.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/state/stats.h"
#include "kernels/contract/device.h"
#include "kernels/libraries/optional_libraries.h"

namespace convoscope {

struct Finding {
  std::string id, title;  // id: for scripts, never changed
  bool ok = false;
  std::string says;   // whole sentences: what is there, or what is missing and why
  std::string would;  // what the missing thing would bring and how to get it; empty when nothing is missing
};

struct FolderUse {
  std::filesystem::path path;  // empty: nowhere
  std::uintmax_t bytes = 0, files = 0;
};

// Of screenshots, recordings and what else is saved without asking for a name.
struct SavingFolder {
  std::string videos, pictures;
  bool chosen = false;  // in the window, else the user's own folders
};

struct Checkup {
  std::vector<Finding> findings;
  std::vector<Device> devices;  // of CUDA
  std::vector<OptionalLibrary> libraries;
  std::vector<SourceChoice> cameras;
  FolderUse cache;
  SavingFolder saving;
};

// Opens devices, an OpenGL context, decoders and encoders for a moment; takes some seconds and changes nothing.
Checkup check_machine();

}  // namespace convoscope
