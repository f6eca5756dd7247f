#include "app/gl/gl_timer.h"

#include <glad/gl.h>

#include <array>

namespace convoscope {
namespace {

class GlTimerRing final : public GlTimer {
 public:
  GlTimerRing() {
    for (Slot& slot : slots_) glCreateQueries(GL_TIMESTAMP, 2, slot.queries);
  }
  ~GlTimerRing() override {
    for (Slot& slot : slots_) glDeleteQueries(2, slot.queries);
  }
  GlTimerRing(const GlTimerRing&) = delete;
  GlTimerRing& operator=(const GlTimerRing&) = delete;

  void start() override {
    running_ = !slots_[next_].pending;
    if (running_) glQueryCounter(slots_[next_].queries[0], GL_TIMESTAMP);
  }
  void stop() override {
    if (!running_) return;
    glQueryCounter(slots_[next_].queries[1], GL_TIMESTAMP);
    slots_[next_].pending = true;
    next_ = (next_ + 1) % slots_.size();
  }
  std::optional<double> poll_ms() override {
    Slot& slot = slots_[oldest_];
    if (!slot.pending) return std::nullopt;
    GLint available = 0;
    glGetQueryObjectiv(slot.queries[1], GL_QUERY_RESULT_AVAILABLE, &available);
    if (!available) return std::nullopt;
    GLuint64 begin = 0, end = 0;
    glGetQueryObjectui64v(slot.queries[0], GL_QUERY_RESULT, &begin);
    glGetQueryObjectui64v(slot.queries[1], GL_QUERY_RESULT, &end);
    slot.pending = false;
    oldest_ = (oldest_ + 1) % slots_.size();
    return static_cast<double>(end - begin) * 1e-6;
  }

 private:
  struct Slot {
    GLuint queries[2] = {};
    bool pending = false;
  };
  std::array<Slot, 8> slots_;
  std::size_t next_ = 0, oldest_ = 0;
  bool running_ = false;
};

}  // namespace

std::unique_ptr<GlTimer> GlTimer::make() { return std::make_unique<GlTimerRing>(); }

}  // namespace convoscope
