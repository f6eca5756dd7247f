#include <array>
#include <cstring>

#include "app/gl/compositor/compositor.h"
#include "app/gl/gl_objects.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::size_t read_back_ring_size = 4;

class PixelBufferRing final : public ReadBack {
 public:
  PixelBufferRing(int width, int height)
      : width_(width), height_(height), bytes_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4) {
    add_buffer(slots_[0]);
  }

  bool request(unsigned framebuffer, double seconds) override {
    Slot& slot = slots_[next_];
    if (slot.fence.pending()) return false;
    if (!slot.buffer) add_buffer(slot);
    GLint bound = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &bound);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, slot.buffer.get());
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(bound));
    slot.fence.set();
    slot.seconds = seconds;
    next_ = (next_ + 1) % read_back_ring_size;
    return true;
  }

  bool take_pixels(Pixels& pixels, bool wait) override {
    Slot& slot = slots_[oldest_];
    if (!slot.fence.pending() || !slot.fence.passed(wait)) return false;
    pixels.rgba.resize(bytes_);
    pixels.width = width_;
    pixels.height = height_;
    pixels.seconds = slot.seconds;
    const std::size_t row = static_cast<std::size_t>(width_) * 4;  // OpenGL's rows come bottom first
    for (std::size_t y = 0, last = static_cast<std::size_t>(height_) - 1; y <= last; ++y)
      std::memcpy(pixels.rgba.data() + y * row, slot.pixels + (last - y) * row, row);
    slot.fence.clear();
    oldest_ = (oldest_ + 1) % read_back_ring_size;
    return true;
  }

 private:
  struct Slot {
    gl::Buffer buffer;
    const unsigned char* pixels = nullptr;
    gl::Fence fence;
    double seconds = 0;
  };
  void add_buffer(Slot& slot) const {
    gl::MappedBuffer made = gl::make_mapped_buffer(bytes_);
    if (!made.bytes)
      throw Error("The graphics driver has no memory to read back pictures of " + std::to_string(width_) + " × " +
                  std::to_string(height_) + " pixels. Close other programs or make the window smaller.");
    slot.buffer = std::move(made.buffer);
    slot.pixels = made.bytes;
  }

  int width_, height_;
  std::size_t bytes_;
  std::array<Slot, read_back_ring_size> slots_;
  std::size_t next_ = 0, oldest_ = 0;
};

}  // namespace

std::unique_ptr<ReadBack> ReadBack::make(int width, int height) {
  if (width <= 0 || height <= 0)
    throw Error("A picture of " + std::to_string(width) + " × " + std::to_string(height) +
                " pixels cannot be read back.");
  return std::make_unique<PixelBufferRing>(width, height);
}

}  // namespace convoscope
