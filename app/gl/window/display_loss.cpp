#include "app/gl/window/display_loss.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "app/files/log.h"

namespace convoscope {
namespace {

std::function<int()>& ending() {
  static auto* const one = new std::function<int()>;  // never destroyed: needed when nothing else is there any more
  return *one;
}
std::atomic<bool> is_ending = false;
volatile std::sig_atomic_t code_in_the_end = 1;

int display_lost(void* /*Display*/) {
  if (is_ending.exchange(true)) std::_Exit(code_in_the_end);
  if (ending()) code_in_the_end = ending()();
  std::fflush(nullptr);
  std::_Exit(code_in_the_end);
}

void time_is_up(int /*signal*/) { ::_exit(code_in_the_end); }

// Of an XErrorEvent, without Xlib's headers: its layout is Xlib's binary interface.
struct Refusal {
  int type = 0;
  void* display = nullptr;
  unsigned long resource = 0, serial = 0;
  unsigned char error = 0, request = 0, minor_request = 0;
};

std::atomic<unsigned long> watched_window = 0;
std::atomic<bool> watched_is_destroyed = false;
std::atomic<int> connection = -1;  // to the X server; GLFW keeps it open

int request_refused(void* /*Display*/, Refusal* refusal) {
  constexpr int bad_window = 3, bad_drawable = 9;
  const bool is_gone = refusal->error == bad_window || refusal->error == bad_drawable;
  if (is_gone && refusal->resource != 0 && refusal->resource == watched_window) watched_is_destroyed = true;
  log::debug("The X server has refused request " + std::to_string(refusal->request) + "." +
             std::to_string(refusal->minor_request) + " with error " + std::to_string(refusal->error) + ".");
  return 0;
}

// GLFW has opened Xlib already, if it uses it at all.
template <class Result, class... Arguments>
std::optional<Result> ask_xlib(const char* function, Arguments... arguments) {
  void* const xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!xlib) return {};
  std::optional<Result> result;
  if (auto* const ask = reinterpret_cast<Result (*)(Arguments...)>(dlsym(xlib, function))) result = ask(arguments...);
  dlclose(xlib);
  return result;
}
template <class Handler>
void set_handler(const char* setter, Handler handler) {
  ask_xlib<Handler>(setter, handler);
}

}  // namespace

void on_display_lost(std::function<int()> then) {
  ending() = std::move(then);
  set_handler("XSetIOErrorHandler", &display_lost);
}

void end_within(unsigned seconds, int code) {
  code_in_the_end = code;
  std::signal(SIGALRM, &time_is_up);
  ::alarm(seconds);
}

void survive_refused_requests() { set_handler("XSetErrorHandler", &request_refused); }

void watch_window(unsigned long window) {
  watched_window = window;
  watched_is_destroyed = false;
}

void watch_connection(void* display) {
  connection = display ? ask_xlib<int>("XConnectionNumber", display).value_or(-1) : -1;
}

void lose_display() {
  if (const int socket = connection.exchange(-1); socket >= 0) ::shutdown(socket, SHUT_RDWR);
}

bool map_watched_window(void* display) {
  return display && watched_window != 0 && ask_xlib<int>("XMapWindow", display, watched_window.load()).has_value();
}

bool window_is_destroyed() { return watched_is_destroyed; }

}  // namespace convoscope
