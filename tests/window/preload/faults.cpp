// What a system seldom does, preloaded into a program:
//   MOST_THREADS=n   the system allows only so many threads, and no more after them
//   SLOW_FINISH=s    an encoder takes so many seconds to finish its file
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with) {
  static std::atomic<int> made{0};
  const char* const most = std::getenv("MOST_THREADS");
  if (most && ++made > std::atoi(most)) return EAGAIN;
  return next<decltype(pthread_create)>("pthread_create")(thread, attributes, run, with);
}

int av_write_trailer(void* file) {
  if (const char* const seconds = std::getenv("SLOW_FINISH")) usleep(static_cast<useconds_t>(1e6 * std::atof(seconds)));
  return next<int(void*)>("av_write_trailer")(file);
}
}
