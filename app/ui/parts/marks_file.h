#pragma once
// For tests that drive the real window: where every control lies, written anew with every frame.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/ui/parts/marks.h"

namespace convoscope {

class MarksFile {
 public:
  // Does nothing unless the environment names a file in CONVOSCOPE_MARKS.
  MarksFile() {
    const char* const path = std::getenv("CONVOSCOPE_MARKS");
    if (!path || !*path) return;
    path_ = path;
    ui::watch_items(true);
  }
  // `busy`: something that was asked for is still under way, so that the picture may be another one soon.
  void write(bool busy) {
    if (path_.empty()) return;
    const std::string beside = path_ + ".new";
    std::ofstream(beside, std::ios::trunc) << ui::marks_json(++frame_, busy);
    std::error_code ignored;  // a test that looks in vain says so
    std::filesystem::rename(beside, path_, ignored);
  }

 private:
  std::string path_;
  int frame_ = 0;
};

}  // namespace convoscope
