#pragma once
// A stack that can be left and entered again, known to AddressSanitizer.
#include <boost/context/fiber.hpp>
#include <functional>

namespace convoscope::emulated {

class Fiber {
 public:
  // run() is called each time a resumed fiber has nothing to go on with; it may suspend().
  explicit Fiber(std::function<void()> run);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();  // run() must not be suspended

  void resume();   // by the owner: returns when run() has suspended or ended
  void suspend();  // inside run(): back to the owner

 private:
  std::function<void()> run_;
  bool quit_ = false;
  boost::context::fiber fiber_, owner_;
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  const void* owner_bottom_ = nullptr;
  std::size_t owner_size_ = 0;
  void* fake_stack_ = nullptr;
};

}  // namespace convoscope::emulated
