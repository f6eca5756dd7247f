#pragma once
// A cache folder of its own for each test, so that none reads what another, or the user, has measured.
#include <cstdlib>
#include <string>

#include "tests/cli/folder.h"

namespace convoscope {

class CacheHome {
 public:
  CacheHome() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    setenv("XDG_CACHE_HOME", folder().c_str(), 1);
  }
  ~CacheHome() { before_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before_.c_str(), 1); }
  std::string folder() const { return folder_.path().string(); }

 private:
  Folder folder_;
  std::string before_;
};

}  // namespace convoscope
