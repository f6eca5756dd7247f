#pragma once
// Work on this machine's cores can be given up half way, so that nobody has to wait for a frame of many seconds that he
// no longer wants: what computes there asks stop_requested() every few milliseconds and returns, its output unfinished.
// Where it asks, it can also stand still for a while, so that something short comes first.
#include <stop_token>
#include <utility>

#include "kernels/text/error.h"
#include "kernels/threads/pause.h"

namespace convoscope {
namespace stopping {
struct Wish {
  std::stop_token token;
  Pause* pause = nullptr;
};
inline constinit thread_local const Wish* at_hand = nullptr;
}  // namespace stopping

// While it lives, what this thread computes looks at the token, and at the pause where there is one, and so does what
// parallel_for() does for it elsewhere.
class StopScope {
 public:
  explicit StopScope(std::stop_token token, Pause* pause = nullptr)
      : StopScope(stopping::Wish{std::move(token), pause}) {}
  explicit StopScope(stopping::Wish wish) : wish_(std::move(wish)), before_(std::exchange(stopping::at_hand, &wish_)) {}
  ~StopScope() { stopping::at_hand = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const stopping::Wish wish_;
  const stopping::Wish* const before_;
};

// False where nobody has made a scope. Returns later where a pause is on.
inline bool stop_requested() {
  const stopping::Wish* const wish = stopping::at_hand;
  if (!wish) return false;
  if (wish->pause && wish->pause->is_on()) wish->pause->wait(wish->token);
  return wish->token.stop_requested();
}

// For what reads or converts a large file. Throws Error, which nobody gets to read who has asked for the end.
inline void end_reading_if_asked() {
  if (stop_requested()) throw Error("reading was given up before its end");
}

// For threads of one's own; nobody ever asks it where nobody has made a scope.
inline std::stop_token stop_at_hand() { return stopping::at_hand ? stopping::at_hand->token : std::stop_token(); }

// For how long in all the work that this thread does has stood still, up to now: none of that is its time.
inline Pause::Duration stood_still() {
  return stopping::at_hand && stopping::at_hand->pause ? stopping::at_hand->pause->lasted() : Pause::Duration();
}

}  // namespace convoscope
