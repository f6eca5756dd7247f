#include "app/gl/window/stale_manager.h"

#include <dlfcn.h>

#include <memory>
#include <type_traits>

namespace convoscope {
namespace {

// Of Xlib, without its headers: the program runs where there is none.
using Display = void;
using Name = unsigned long;  // of a window, or of a property
constexpr Name of_windows = 33;

struct Xlib {
  explicit Xlib(void* library) {
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      complete = complete && function;
    };
    find(open, "XOpenDisplay"), find(close, "XCloseDisplay"), find(root, "XDefaultRootWindow"),
        find(atom, "XInternAtom");
    find(property, "XGetWindowProperty"), find(remove, "XDeleteProperty"), find(synchronize, "XSync");
    find(on_error, "XSetErrorHandler"), find(free, "XFree");
  }
  // Of the window's property of this name, which holds a window; 0: there is none.
  Name window_in(Display* display, Name window, Name name) const {
    Name type = 0, count = 0, left = 0;
    int bits = 0;
    unsigned char* value = nullptr;
    property(display, window, name, 0, 1, 0, of_windows, &type, &bits, &count, &left, &value);
    const Name found = value && count == 1 && bits == 32 ? *reinterpret_cast<const Name*>(value) : 0;
    if (value) free(value);
    return found;
  }

  bool complete = true;
  Display* (*open)(const char*);
  int (*close)(Display*);
  Name (*root)(Display*);
  Name (*atom)(Display*, const char*, int only_if_it_exists);
  int (*property)(Display*, Name window, Name name, long from, long length, int remove, Name type, Name* type_found,
                  int* bits, Name* count, Name* bytes_left, unsigned char** value);
  int (*remove)(Display*, Name window, Name name);
  int (*synchronize)(Display*, int discard);
  void* (*on_error)(int (*)(Display*, void*));
  int (*free)(void*);
};

int leave_it(Display*, void*) { return 0; }  // else Xlib ends the program

}  // namespace

void forget_a_manager_that_is_gone() {
  void* const library = dlopen("libX11.so.6", RTLD_LAZY);
  if (!library) return;
  const std::unique_ptr<void, int (*)(void*)> held(library, &dlclose);
  const Xlib x(library);
  Display* const display = x.complete ? x.open(nullptr) : nullptr;
  if (!display) return;
  const Name check = x.atom(display, "_NET_SUPPORTING_WM_CHECK", 1), root = x.root(display);
  if (const Name manager = check ? x.window_in(display, root, check) : 0) {
    void* const before = x.on_error(&leave_it);
    if (!x.window_in(display, manager, check)) x.remove(display, root, check);
    x.synchronize(display, 0);
    x.on_error(reinterpret_cast<int (*)(Display*, void*)>(before));
  }
  x.close(display);
}

}  // namespace convoscope
