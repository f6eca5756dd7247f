#pragma once
// GL time between two points of the command stream, read frames later without waiting (GL_TIMESTAMP queries).
#include <memory>
#include <optional>

namespace convoscope {

class GlTimer {
 public:
  static std::unique_ptr<GlTimer> make();
  virtual ~GlTimer() = default;
  virtual void start() = 0;  // when all queries are in flight the interval goes untimed
  virtual void stop() = 0;
  virtual std::optional<double> poll_ms() = 0;  // the oldest finished interval not returned before
};

}  // namespace convoscope
