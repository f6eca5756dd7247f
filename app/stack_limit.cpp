#include "app/stack_limit.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace convoscope {
namespace {

constexpr rlim_t usual = 8 << 20, least = 256 << 10;  // bytes; half of the least was enough for filter and a window
constexpr std::size_t least_of_threads = 2 << 20;     // which get what this one has, unless they are told otherwise

// Those of libraries, too.
void give_threads(std::size_t bytes) {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t given = 0;
  if (pthread_attr_getstacksize(&attributes, &given) == 0 && given < bytes &&
      pthread_attr_setstacksize(&attributes, bytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace

std::string take_stack() {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0) return "";
  give_threads(least_of_threads);
  if (stack.rlim_cur >= usual) return "";  // RLIM_INFINITY is the largest of all
  // The stack of the first thread grows as far as the limit that holds when it does.
  rlimit more = stack;
  more.rlim_cur = std::min(usual, stack.rlim_max);
  if (::setrlimit(RLIMIT_STACK, &more) == 0) stack = more;
  if (stack.rlim_cur >= least) return "";
  return "The system gives this program a stack of " + std::to_string(stack.rlim_cur >> 10) +
         " KB (ulimit -s), and it needs " + std::to_string(least >> 10) + " KB at least. Raise that limit: ulimit -s " +
         std::to_string(usual >> 10) + ".";
}

}  // namespace convoscope
