#include "kernels/emulator/fiber.h"

#include <boost/context/protected_fixedsize_stack.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
// Without AddressSanitizer nobody needs to know which stack is running.
static void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
static void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
#endif

namespace convoscope::emulated {
namespace {

// Untouched pages cost nothing; a kernel's frame under the sanitizers can be several kilobytes.
constexpr std::size_t stack_bytes = 256 * 1024;

// Redzones that a destroyed stack left behind must not be blamed on whoever gets its addresses next.
using ProtectedStack = boost::context::protected_fixedsize_stack;
struct StackAllocator : ProtectedStack {
  using ProtectedStack::ProtectedStack;
  void deallocate(boost::context::stack_context& stack) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(static_cast<char*>(stack.sp) - stack.size, stack.size);
#endif
    ProtectedStack::deallocate(stack);
  }
};

}  // namespace

Fiber::Fiber(std::function<void()> run) : run_(std::move(run)) {
  StackAllocator allocator(stack_bytes);
  const boost::context::stack_context stack = allocator.allocate();
  stack_bottom_ = static_cast<char*>(stack.sp) - stack.size;
  stack_size_ = stack.size;
  fiber_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                                 allocator, [this](boost::context::fiber&& owner) {
                                   owner_ = std::move(owner);
                                   __sanitizer_finish_switch_fiber(nullptr, &owner_bottom_, &owner_size_);
                                   while (!quit_) {
                                     run_();
                                     suspend();
                                   }
                                   __sanitizer_start_switch_fiber(nullptr, owner_bottom_, owner_size_);
                                   return std::move(owner_);
                                 });
}

Fiber::~Fiber() {
  quit_ = true;
  resume();
}

void Fiber::resume() {
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_bottom_, stack_size_);
  fiber_ = std::move(fiber_).resume();
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

void Fiber::suspend() {
  __sanitizer_start_switch_fiber(&fake_stack_, owner_bottom_, owner_size_);
  owner_ = std::move(owner_).resume();
  __sanitizer_finish_switch_fiber(fake_stack_, &owner_bottom_, &owner_size_);
}

}  // namespace convoscope::emulated
