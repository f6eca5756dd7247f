#include "app/gl/thumbnail_atlas.h"

#include <algorithm>

#include "app/gl/gl_objects.h"

namespace convoscope {
namespace {

constexpr int columns = 8, rows = 16;  // more than any list shows at once

class Atlas : public ThumbnailAtlas {
 public:
  Atlas(int cell_width, int cell_height);
  void put(const std::string& path, int width, int height, const std::vector<std::uint8_t>& rgba) override;
  std::map<std::string, ThumbnailPlace> find(const std::vector<std::string>& paths) override;
  unsigned texture() const override { return texture_.get(); }

 private:
  struct Cell {
    int number = 0;
    std::int64_t wanted = 0;
    ThumbnailPlace place;
  };

  int cell_width_, cell_height_;
  std::int64_t calls_ = 0;
  std::map<std::string, Cell> cells_;
  gl::Texture texture_;
};

Atlas::Atlas(int cell_width, int cell_height)
    : cell_width_(cell_width), cell_height_(cell_height), texture_(gl::make_texture()) {
  glTextureStorage2D(texture_.get(), 1, GL_RGBA8, columns * cell_width_, rows * cell_height_);
  glTextureParameteri(texture_.get(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(texture_.get(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

void Atlas::put(const std::string& path, int width, int height, const std::vector<std::uint8_t>& rgba) {
  int number = static_cast<int>(cells_.size());
  if (const auto old = cells_.find(path); old != cells_.end()) {
    number = old->second.number;
  } else if (cells_.size() == columns * rows) {
    const auto oldest = std::ranges::min_element(cells_, {}, [](const auto& each) { return each.second.wanted; });
    number = oldest->second.number;
    cells_.erase(oldest);
  }
  Cell cell{number, calls_, {}};
  if (width > 0 && height > 0) {
    const int x = number % columns * cell_width_, y = number / columns * cell_height_;
    glTextureSubImage2D(texture_.get(), 0, x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    // Half a texel within, so that no neighbour shines through at the edge.
    const float unit_x = 1.0f / static_cast<float>(columns * cell_width_);
    const float unit_y = 1.0f / static_cast<float>(rows * cell_height_);
    cell.place = {(static_cast<float>(x) + 0.5f) * unit_x,
                  (static_cast<float>(y) + 0.5f) * unit_y,
                  (static_cast<float>(x + width) - 0.5f) * unit_x,
                  (static_cast<float>(y + height) - 0.5f) * unit_y,
                  width,
                  height};
  }
  cells_[path] = cell;
}

std::map<std::string, ThumbnailPlace> Atlas::find(const std::vector<std::string>& paths) {
  ++calls_;
  std::map<std::string, ThumbnailPlace> found;
  for (const std::string& path : paths)
    if (const auto cell = cells_.find(path); cell != cells_.end()) {
      cell->second.wanted = calls_;
      found[path] = cell->second.place;
    }
  return found;
}

}  // namespace

std::unique_ptr<ThumbnailAtlas> ThumbnailAtlas::make(int cell_width, int cell_height) {
  return std::make_unique<Atlas>(cell_width, cell_height);
}

}  // namespace convoscope
