#include "app/gl/compositor/difference_meter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "app/gl/gl_objects.h"
#include "app/gl/shader_program.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int group_pixels = 60;  // across and down, as difference_sums.comp has it

struct Record {
  float absolute, squared, similarity, largest;
  std::uint32_t place, channel, different, windows;
};

PictureDifference added_up(std::span<const Record> records, const PaneTexture& picture) {
  PictureDifference all;
  double absolute = 0, squared = 0, similarity = 0;
  std::int64_t windows = 0;
  const Record* worst = nullptr;
  for (const Record& record : records) {
    absolute += record.absolute;
    squared += record.squared;
    similarity += record.similarity;
    windows += record.windows;
    all.different += record.different;
    const bool larger = record.largest > 0 && (!worst || record.largest > worst->largest ||
                                               (record.largest == worst->largest && record.place < worst->place));
    if (larger) worst = &record;
  }
  const bool gray = picture.format == PixelFormat::gray32f;
  all.pixels = static_cast<std::int64_t>(picture.width) * picture.height;
  const double values = static_cast<double>(all.pixels) * (gray ? 1 : 3), white = gray ? 1 : 255;
  all.mean = absolute / values;
  all.psnr = squared == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(white * white * values / squared);
  all.ssim = windows > 0 ? similarity / static_cast<double>(windows) : std::numeric_limits<double>::quiet_NaN();
  if (worst) {
    all.largest = worst->largest;
    const auto width = static_cast<std::uint32_t>(picture.width);
    all.at = {static_cast<int>(worst->place % width), static_cast<int>(worst->place / width)};
    all.channel = static_cast<int>(worst->channel);
  }
  return all;
}

class GlDifferenceMeter final : public DifferenceMeter {
 public:
  GlDifferenceMeter() : program_(gl::link_compute_program({"difference_sums.comp"})) {}

  bool request(const PaneTexture& first, const PaneTexture& second, int most_pixels) override {
    const bool same_kind =
        first.width == second.width && first.height == second.height && first.format == second.format;
    if (under_way_ || !same_kind || first.width < 1 || first.height < 1) return false;
    first_ = first;
    second_ = second;
    across_ = (first.width + group_pixels - 1) / group_pixels;
    down_ = (first.height + group_pixels - 1) / group_pixels;
    rows_at_once_ = std::max(most_pixels / std::max(across_ * group_pixels * group_pixels, 1), 1);
    make_room();
    if (rows_at_once_ < down_) keep_copies();
    under_way_ = true;
    next_row_ = 0;
    compare_some();
    return true;
  }

  bool take_difference(PictureDifference& found, bool wait) override {
    if (!under_way_) return false;
    if (next_row_ < down_) {
      do {
        compare_some();
      } while (wait && next_row_ < down_);
      if (!wait) return false;
    }
    if (!fence_.passed(wait)) return false;
    found = added_up({records_at_hand_, static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_)}, first_);
    fence_.clear();
    under_way_ = false;
    return true;
  }

 private:
  GLint at(const char* uniform) const { return glGetUniformLocation(program_.get(), uniform); }

  void make_room() {
    const std::size_t bytes = static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_) * sizeof(Record);
    if (bytes <= room_) return;
    records_ = gl::make_buffer();
    glNamedBufferStorage(records_.get(), static_cast<GLsizeiptr>(bytes), nullptr, 0);
    gl::MappedBuffer made = gl::make_mapped_buffer(bytes);
    room_ = 0;
    if (!made.bytes) throw Error("The graphics driver has no memory for comparing panes. Close other programs.");
    host_ = std::move(made.buffer);
    records_at_hand_ = reinterpret_cast<const Record*>(made.bytes);
    room_ = bytes;
  }

  void keep_copies() {
    const GLenum format = first_.format == PixelFormat::gray32f ? GL_R32F : GL_RGBA8;
    if (copies_of_.width != first_.width || copies_of_.height != first_.height || copies_of_.format != first_.format) {
      for (gl::Texture& copy : copies_) {
        copy = gl::make_texture();
        glTextureStorage2D(copy.get(), 1, format, first_.width, first_.height);
      }
      copies_of_ = first_;
    }
    const auto copy = [](PaneTexture& pane, const gl::Texture& to) {
      glCopyImageSubData(pane.name, GL_TEXTURE_2D, 0, 0, 0, 0, to.get(), GL_TEXTURE_2D, 0, 0, 0, 0, pane.width,
                         pane.height, 1);
      pane.name = to.get();
    };
    copy(first_, copies_[0]);
    copy(second_, copies_[1]);
  }

  void compare_some() {
    const int rows = std::min(rows_at_once_, down_ - next_row_);
    const bool gray = first_.format == PixelFormat::gray32f;
    glUseProgram(program_.get());
    glUniform2i(size_, first_.width, first_.height);
    glUniform1i(first_row_, next_row_);
    glUniform1i(groups_across_, across_);
    glUniform1i(channels_, gray ? 1 : 3);
    glUniform1f(white_, gray ? 1.0f : 255.0f);
    glBindTextureUnit(0, first_.name);
    glBindTextureUnit(1, second_.name);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, records_.get());
    glDispatchCompute(static_cast<GLuint>(across_), static_cast<GLuint>(rows), 1);
    next_row_ += rows;
    if (next_row_ == down_) {
      glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
      glCopyNamedBufferSubData(records_.get(), host_.get(), 0, 0,
                               static_cast<GLsizeiptr>(across_) * down_ * static_cast<GLsizeiptr>(sizeof(Record)));
      glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
      fence_.set();
    }
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
    glUseProgram(0);
  }

  gl::Program program_;
  GLint size_ = at("source_size"), first_row_ = at("first_row"), groups_across_ = at("groups_across"),
        channels_ = at("channels"), white_ = at("white");
  gl::Buffer records_, host_;
  const Record* records_at_hand_ = nullptr;
  std::size_t room_ = 0;
  gl::Texture copies_[2];
  PaneTexture copies_of_;
  gl::Fence fence_;
  bool under_way_ = false;
  PaneTexture first_, second_;  // what is compared: the panes' textures or the copies
  int across_ = 0, down_ = 0;   // work groups
  int rows_at_once_ = 1, next_row_ = 0;
};

}  // namespace

std::unique_ptr<DifferenceMeter> DifferenceMeter::make() { return std::make_unique<GlDifferenceMeter>(); }

}  // namespace convoscope
