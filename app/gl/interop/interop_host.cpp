// Images to textures over the host: into a ring of persistently mapped pixel buffers, from where the driver takes them
// without anybody waiting. Images of a CUDA device are downloaded into the ring first; that waits for the kernels.
#include <array>
#include <chrono>
#include <cstring>
#include <deque>

#include "app/gl/gl_objects.h"
#include "app/gl/interop/present_path.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::size_t upload_ring_size = 3;
constexpr std::size_t most_times_kept = 64;

std::size_t row_bytes(const PaneTexture& pane) {
  return static_cast<std::size_t>(pane.width) * bytes_per_pixel(pane.format);
}
std::size_t image_bytes(const PaneTexture& pane) { return row_bytes(pane) * static_cast<std::size_t>(pane.height); }

class HostPath final : public PresentPath {
 public:
  explicit HostPath(Compute& compute) : compute_(compute), images_on_host_(compute.device().backend != Backend::cuda) {}

  void bind(std::span<const PaneTexture> panes) override {
    panes_.assign(panes.begin(), panes.end());
    slots_ = {};
    std::size_t bytes = 0;
    for (const PaneTexture& pane : panes_) bytes += image_bytes(pane);
    if (bytes == 0) return;
    for (Slot& slot : slots_) {
      constexpr GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
      const auto size = static_cast<GLsizeiptr>(bytes);
      slot.buffer = gl::make_buffer();
      glNamedBufferStorage(slot.buffer.get(), size, nullptr, access | GL_CLIENT_STORAGE_BIT);
      slot.memory = static_cast<std::byte*>(glMapNamedBufferRange(slot.buffer.get(), 0, size, access));
      if (!slot.memory)
        throw Error("The graphics driver has no memory for " + std::to_string(panes_.size()) +
                    " pictures. Show fewer panes or choose a smaller size.");
      if (!images_on_host_) slot.pinned = pin_for_cuda(slot.memory, bytes);
    }
  }

  void present(std::span<const Image> images) override {
    const auto start = std::chrono::steady_clock::now();
    Slot& slot = slots_[next_];
    next_ = (next_ + 1) % upload_ring_size;
    slot.fence.passed(true);  // three frames ago: done, unless the driver lags that far behind
    std::size_t offset = 0;
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, slot.buffer.get());
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    for (std::size_t i = 0; i < images.size(); ++i) {
      const PaneTexture& pane = panes_[i];
      fetch(images[i], slot.memory + offset, row_bytes(pane));
      const bool gray = pane.format == PixelFormat::gray32f;
      glTextureSubImage2D(pane.name, 0, 0, 0, pane.width, pane.height, gray ? GL_RED : GL_RGBA,
                          gray ? GL_FLOAT : GL_UNSIGNED_BYTE, reinterpret_cast<const void*>(offset));
      offset += image_bytes(pane);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    slot.fence.set();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (times_.size() == most_times_kept) times_.pop_front();
    times_.push_back(taken.count());
  }

  std::optional<double> poll_ms() override {
    if (times_.empty()) return std::nullopt;
    const double oldest = times_.front();
    times_.pop_front();
    return oldest;
  }

 private:
  struct Slot {
    gl::Buffer buffer;
    std::byte* memory = nullptr;
    std::shared_ptr<void> pinned;  // let go before the buffer
    gl::Fence fence;
  };

  void fetch(const Image& image, std::byte* to, std::size_t row) {
    if (!images_on_host_) return compute_.download(image, {to, image.width, image.height, row, image.format});
    const auto* from = static_cast<const std::byte*>(image.data);
    if (image.pitch == row) {
      std::memcpy(to, from, row * static_cast<std::size_t>(image.height));
      return;
    }
    for (int y = 0; y < image.height; ++y, from += image.pitch, to += row) std::memcpy(to, from, row);
  }

  Compute& compute_;
  bool images_on_host_;
  std::vector<PaneTexture> panes_;
  std::array<Slot, upload_ring_size> slots_;
  std::size_t next_ = 0;
  std::deque<double> times_;
};

}  // namespace

std::unique_ptr<PresentPath> make_host_path(Compute& compute) { return std::make_unique<HostPath>(compute); }

}  // namespace convoscope
