#include "app/gl/compositor/picture_tap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "app/gl/gl_objects.h"
#include "app/gl/shader_program.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::size_t most_buffers = 12;
constexpr std::size_t fewest_buffers = 6;
constexpr std::size_t wanted_memory = std::size_t{128} << 20;

struct Converter {
  explicit Converter(const char* shader)
      : program(gl::link_compute_program({"record_picture.glsl", shader})),
        size(glGetUniformLocation(program.get(), "size")),
        coded_size(glGetUniformLocation(program.get(), "coded_size")),
        pitch(glGetUniformLocation(program.get(), "pitch")),
        offset(glGetUniformLocation(program.get(), "offset")) {}
  gl::Program program;
  GLint size, coded_size, pitch, offset;
};

class GlPictureTap final : public PictureTap {
 public:
  void start(const PicturePlanes& planes, int width, int height) override {
    stop();
    planes_ = planes;
    width_ = width;
    height_ = height;
    count_ = std::clamp(wanted_memory / planes.bytes, fewest_buffers, most_buffers);
    canvas_ = gl::make_texture();
    glTextureStorage2D(canvas_.get(), 1, GL_RGBA8, width, height);
    framebuffer_ = gl::make_framebuffer();
    glNamedFramebufferTexture(framebuffer_.get(), GL_COLOR_ATTACHMENT0, canvas_.get(), 0);
    if (glCheckNamedFramebufferStatus(framebuffer_.get(), GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) fail();
    add_buffer(slots_[0]);
  }

  void stop() override {
    for (Slot& slot : slots_) {
      slot.fence.clear();
      slot.buffer = {};
      slot.in_use = false;
    }
    first_ = in_flight_ = 0;
    framebuffer_ = {};
    canvas_ = {};
  }

  void draw(const std::function<void()>& draw) override {
    GLint bound = 0, viewport[4];
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    glGetIntegerv(GL_VIEWPORT, viewport);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glViewport(0, 0, width_, height_);
    draw();
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(bound));
    glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  }

  void copy(unsigned framebuffer, const Part& part) override {
    const double scale = std::min(static_cast<double>(width_) / std::max(part.width, 1),
                                  static_cast<double>(height_) / std::max(part.height, 1));
    const int across = std::clamp(static_cast<int>(std::lround(part.width * scale)), 1, width_);
    const int up = std::clamp(static_cast<int>(std::lround(part.height * scale)), 1, height_);
    const int left = (width_ - across) / 2, bottom = (height_ - up) / 2;
    const bool same = across == part.width && up == part.height;
    glDisable(GL_SCISSOR_TEST);
    if (across < width_ || up < height_) {
      constexpr float black[4] = {0, 0, 0, 1};
      glClearNamedFramebufferfv(framebuffer_.get(), GL_COLOR, 0, black);
    }
    glBlitNamedFramebuffer(framebuffer, framebuffer_.get(), part.left, part.bottom, part.left + part.width,
                           part.bottom + part.height, left, bottom, left + across, bottom + up, GL_COLOR_BUFFER_BIT,
                           same ? GL_NEAREST : GL_LINEAR);
  }

  bool take_picture(const LentPicture& about) override {
    const std::size_t free = find_free();
    if (free == count_) return false;
    Slot& slot = slots_[free];
    slot.about = about;
    convert(slot);
    slot.fence.set();
    order_[(first_ + in_flight_) % most_buffers] = free;
    ++in_flight_;
    return true;
  }

  bool deliver(LentPicture& picture, bool wait) override {
    if (in_flight_ == 0) return false;
    Slot& slot = slots_[order_[first_]];
    if (!slot.fence.passed(wait)) return false;
    slot.fence.clear();
    first_ = (first_ + 1) % most_buffers;
    --in_flight_;
    picture = slot.about;
    picture.bytes = slot.bytes;
    picture.in_use = &slot.in_use;
    slot.loan = ++loans_;
    return true;
  }

  void wait_for_a_loan_to_end() override {
    // The one lent first: a later one comes back only after it, and the last one perhaps never.
    Slot* oldest = nullptr;
    for (Slot& slot : slots_)
      if (slot.in_use && (!oldest || slot.loan < oldest->loan)) oldest = &slot;
    if (oldest) oldest->in_use.wait(true);
  }

 private:
  struct Slot {
    gl::Buffer buffer;
    const std::uint8_t* bytes = nullptr;
    gl::Fence fence;
    LentPicture about;
    std::atomic<bool> in_use{false};
    std::uint64_t loan = 0;
  };

  [[noreturn]] void fail() const {
    throw Error("The graphics driver has no memory to record pictures of " + std::to_string(width_) + " × " +
                std::to_string(height_) + " pixels. Close other programs, or record a smaller picture.");
  }

  // Made when they are first needed, one a frame: the driver takes a while to pin the memory.
  void add_buffer(Slot& slot) const {
    gl::MappedBuffer made = gl::make_mapped_buffer(planes_.bytes);
    if (!made.bytes) fail();
    slot.buffer = std::move(made.buffer);
    slot.bytes = made.bytes;
  }

  std::size_t find_free() {
    for (std::size_t i = 0; i < count_; ++i) {
      Slot& slot = slots_[i];
      if (!slot.buffer) add_buffer(slot);
      if (!slot.fence.pending() && !slot.in_use) return i;
    }
    return count_;
  }

  void convert(const Slot& slot) const {
    const bool yuv = planes_.layout == PictureLayout::yuv420;
    const Converter& to = yuv ? yuv420_ : bgr0_;
    const auto words = [](std::size_t bytes) { return static_cast<GLint>(bytes / 4); };
    glUseProgram(to.program.get());
    glUniform2i(to.size, width_, height_);
    glUniform2i(to.coded_size, planes_.width, planes_.height);
    glUniform3i(to.pitch, words(planes_.pitch[0]), words(planes_.pitch[1]), words(planes_.pitch[2]));
    glUniform3i(to.offset, words(planes_.offset[0]), words(planes_.offset[1]), words(planes_.offset[2]));
    glBindTextureUnit(0, canvas_.get());
    glBindSampler(0, 0);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, slot.buffer.get());
    const auto groups = [](int pixels, int each) { return static_cast<GLuint>((pixels + each - 1) / each); };
    if (yuv)
      glDispatchCompute(groups(planes_.width, 8 * 16), groups(planes_.height, 2 * 8), 1);
    else
      glDispatchCompute(groups(planes_.width, 32), groups(planes_.height, 4), 1);
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
    glBindTextureUnit(0, 0);
    glUseProgram(0);
  }

  const Converter yuv420_{"record_yuv420.comp"}, bgr0_{"record_bgr0.comp"};
  PicturePlanes planes_;
  int width_ = 0, height_ = 0;
  gl::Texture canvas_;
  gl::Framebuffer framebuffer_;
  std::array<Slot, most_buffers> slots_;
  std::size_t count_ = 0;
  std::array<std::size_t, most_buffers> order_{};  // of the slots in flight, a ring from first_ on
  std::size_t first_ = 0, in_flight_ = 0;
  std::uint64_t loans_ = 0;
};

}  // namespace

std::unique_ptr<PictureTap> PictureTap::make() { return std::make_unique<GlPictureTap>(); }

}  // namespace convoscope
