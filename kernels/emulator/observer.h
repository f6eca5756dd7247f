#pragma once
// Somebody who looks on while kernels are emulated: the tests that hold what strategies say of themselves against what
// their kernels do. Calls come on the thread that launches; threadIdx and blockIdx say whose doing it is.
#include <cstddef>

namespace convoscope::emulated {

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void allocated(void*, std::size_t) {}          // device memory
  virtual void launched() {}                             // a grid begins
  virtual void read(const void*, std::size_t) {}         // of an image, by its address, or through a texture
  virtual void copied_from(const void*, std::size_t) {}  // by cp.async
  virtual void paused() {}  // the running thread has returned or waits: what memory has changed by now was its doing
};

namespace observing {
inline constinit thread_local Observer* at_hand = nullptr;
}
inline Observer* observer() { return observing::at_hand; }
inline void set_observer(Observer* observer) { observing::at_hand = observer; }  // of this host thread; null: nobody

inline void note_read(const void* from, std::size_t bytes) {
  if (Observer* const seen_by = observer()) [[unlikely]]
    seen_by->read(from, bytes);
}
inline void note_copy(const void* from, std::size_t bytes) {
  if (Observer* const seen_by = observer()) [[unlikely]]
    seen_by->copied_from(from, bytes);
}

}  // namespace convoscope::emulated
