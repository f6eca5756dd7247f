#pragma once
// Work on this machine's cores can be given up half way, so that nobody has to wait for a frame of many seconds that he
// no longer wants: what computes there asks stop_requested() every few milliseconds and returns, its output unfinished.
#include <stop_token>
#include <utility>

namespace convoscope {
namespace stopping {
inline constinit thread_local const std::stop_token* at_hand = nullptr;
}

// While it lives, what this thread computes looks at the token, and so does what parallel_for() does for it elsewhere.
class StopScope {
 public:
  explicit StopScope(std::stop_token token)
      : token_(std::move(token)), before_(std::exchange(stopping::at_hand, &token_)) {}
  ~StopScope() { stopping::at_hand = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::stop_token token_;
  const std::stop_token* const before_;
};

// False where nobody has made a scope.
inline bool stop_requested() { return stopping::at_hand && stopping::at_hand->stop_requested(); }

// For threads of one's own; nobody ever asks it where nobody has made a scope.
inline std::stop_token stop_at_hand() { return stopping::at_hand ? *stopping::at_hand : std::stop_token(); }

}  // namespace convoscope
