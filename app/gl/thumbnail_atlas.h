#pragma once
// Small pictures side by side in one texture, the ones wanted least recently replaced.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/state/files.h"

namespace convoscope {

// All calls with the context current.
class ThumbnailAtlas {
 public:
  static std::unique_ptr<ThumbnailAtlas> make(int cell_width, int cell_height);
  virtual ~ThumbnailAtlas() = default;

  // A size of 0: there is no picture, which is remembered as well.
  virtual void put(const std::string& path, int width, int height, const std::vector<std::uint8_t>& rgba) = 0;
  // Where those that are here lie; they count as wanted now.
  virtual std::map<std::string, ThumbnailPlace> find(const std::vector<std::string>& paths) = 0;
  virtual unsigned texture() const = 0;
};

}  // namespace convoscope
