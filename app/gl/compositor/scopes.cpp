#include "app/gl/compositor/scopes.h"

#include <algorithm>
#include <cmath>

#include "app/gl/gl_objects.h"
#include "app/gl/shader_program.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int bins = 256, group = 16;
constexpr std::size_t counters = 4 * bins + Scopes::chroma_bins * Scopes::chroma_bins;
constexpr auto counter_bytes = static_cast<GLsizeiptr>(counters * sizeof(std::uint32_t));

class GlScopes final : public Scopes {
 public:
  GlScopes() : program_(gl::link_compute_program({"scopes.comp"})), counters_(gl::make_buffer()) {
    glNamedBufferStorage(counters_.get(), counter_bytes, nullptr, 0);
    gl::MappedBuffer made = gl::make_mapped_buffer(counter_bytes);
    host_ = std::move(made.buffer);
    mapped_ = reinterpret_cast<const std::uint32_t*>(made.bytes);
    if (!mapped_) throw Error("The graphics driver has no memory for the histogram. Close other programs.");
    size_ = glGetUniformLocation(program_.get(), "source_size");
    stride_ = glGetUniformLocation(program_.get(), "stride");
    gray_ = glGetUniformLocation(program_.get(), "gray");
    map_colours_ = glGetUniformLocation(program_.get(), "map_colours");
  }

  bool request(const PaneTexture& pane, int tag, int most_pixels, bool map_colours) override {
    if (fence_.pending()) return false;
    const double pixels = static_cast<double>(pane.width) * pane.height;
    step_ = std::max(1, static_cast<int>(std::ceil(std::sqrt(pixels / most_pixels))));
    tag_ = tag;
    glClearNamedBufferData(counters_.get(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glUseProgram(program_.get());
    glUniform2i(size_, pane.width, pane.height);
    glUniform1i(stride_, step_);
    glUniform1i(gray_, pane.format == PixelFormat::gray32f);
    glUniform1i(map_colours_, map_colours && pane.format == PixelFormat::rgba8);
    glBindTextureUnit(0, pane.name);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, counters_.get());
    const auto groups = [&](int size) { return static_cast<GLuint>((size + step_ * group - 1) / (step_ * group)); };
    glDispatchCompute(groups(pane.width), groups(pane.height), 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glCopyNamedBufferSubData(counters_.get(), host_.get(), 0, 0, counter_bytes);
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
    glUseProgram(0);
    fence_.set();
    return true;
  }

  bool take_counts(Counts& counts, bool wait) override {
    if (!fence_.pending() || !fence_.passed(wait)) return false;
    for (int c = 0; c < 4; ++c) counts.histogram[c].assign(mapped_ + c * bins, mapped_ + (c + 1) * bins);
    counts.vectorscope.assign(mapped_ + 4 * bins, mapped_ + counters);
    counts.step = step_;
    counts.tag = tag_;
    fence_.clear();
    return true;
  }

 private:
  gl::Program program_;
  gl::Buffer counters_, host_;
  const std::uint32_t* mapped_ = nullptr;
  GLint size_ = -1, stride_ = -1, gray_ = -1, map_colours_ = -1;
  gl::Fence fence_;
  int step_ = 1, tag_ = 0;
};

}  // namespace

std::unique_ptr<Scopes> Scopes::make() { return std::make_unique<GlScopes>(); }

}  // namespace convoscope
