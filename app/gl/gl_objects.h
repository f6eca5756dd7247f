#pragma once
// Owners of OpenGL names: move-only, deleted on destruction. The context must be current then.
#include <glad/gl.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace convoscope::gl {

template <void (*Delete)(GLuint)>
class Name {
 public:
  Name() = default;
  explicit Name(GLuint name) : name_(name) {}
  Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Name& operator=(Name&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~Name() {
    if (name_) Delete(name_);
  }
  GLuint get() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

inline void delete_buffer(GLuint name) { glDeleteBuffers(1, &name); }
inline void delete_texture(GLuint name) { glDeleteTextures(1, &name); }
inline void delete_sampler(GLuint name) { glDeleteSamplers(1, &name); }
inline void delete_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void delete_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void delete_shader(GLuint name) { glDeleteShader(name); }
inline void delete_program(GLuint name) { glDeleteProgram(name); }

using Buffer = Name<delete_buffer>;  // deleting a mapped buffer unmaps it
using Texture = Name<delete_texture>;
using Sampler = Name<delete_sampler>;
using Framebuffer = Name<delete_framebuffer>;
using VertexArray = Name<delete_vertex_array>;
using Shader = Name<delete_shader>;
using Program = Name<delete_program>;

inline Buffer make_buffer() {
  GLuint name = 0;
  glCreateBuffers(1, &name);
  return Buffer(name);
}
// Mapped for reading as long as it lives; bytes is null when there is no memory.
struct MappedBuffer {
  Buffer buffer;
  const std::uint8_t* bytes = nullptr;
};
inline MappedBuffer make_mapped_buffer(std::size_t size) {
  constexpr GLbitfield access = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  const auto bytes = static_cast<GLsizeiptr>(size);
  MappedBuffer made{make_buffer()};
  glNamedBufferStorage(made.buffer.get(), bytes, nullptr, access | GL_CLIENT_STORAGE_BIT);
  made.bytes = static_cast<const std::uint8_t*>(glMapNamedBufferRange(made.buffer.get(), 0, bytes, access));
  return made;
}
inline Texture make_texture() {
  GLuint name = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &name);
  return Texture(name);
}
inline Sampler make_sampler() {
  GLuint name = 0;
  glCreateSamplers(1, &name);
  return Sampler(name);
}
inline Framebuffer make_framebuffer() {
  GLuint name = 0;
  glCreateFramebuffers(1, &name);
  return Framebuffer(name);
}
inline VertexArray make_vertex_array() {
  GLuint name = 0;
  glCreateVertexArrays(1, &name);
  return VertexArray(name);
}

// A point of the command stream that can be asked, or waited for, whether the device has passed it.
class Fence {
 public:
  Fence() = default;
  Fence(Fence&& other) noexcept : sync_(std::exchange(other.sync_, nullptr)) {}
  Fence& operator=(Fence&& other) noexcept {
    std::swap(sync_, other.sync_);
    return *this;
  }
  ~Fence() {
    if (sync_) glDeleteSync(sync_);
  }
  void set() {
    if (sync_) glDeleteSync(sync_);
    sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  }
  void clear() {
    if (sync_) glDeleteSync(sync_);
    sync_ = nullptr;
  }
  bool pending() const { return sync_ != nullptr; }
  // Flushes, so that a fence that was never submitted is passed some day. A lost context counts as passed.
  bool passed(bool wait) const {
    if (!sync_) return true;
    constexpr GLuint64 a_second = 1'000'000'000;
    GLenum status = glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    while (wait && status == GL_TIMEOUT_EXPIRED) status = glClientWaitSync(sync_, 0, a_second);
    return status != GL_TIMEOUT_EXPIRED;
  }

 private:
  GLsync sync_ = nullptr;
};

}  // namespace convoscope::gl
