#pragma once
// What happens when the X server goes away or refuses a request: Xlib ends the program by exit() then, from within
// whatever call has noticed it, while threads still run and files are open.
#include <functional>

namespace convoscope {

// From now on `then` is called instead, in that very call, and the program ends with the code that it returns: Xlib
// cannot be returned to, so what the callers up to main own is not destroyed, and `then` ends the threads. It may use
// neither the display nor OpenGL. Nothing happens where there is no X.
void on_display_lost(std::function<int()> then);

// The program ends with that code after so many seconds, whatever it waits for by then.
void end_within(unsigned seconds, int code);

// From any thread: the display is lost, to whoever waits for an X server that has stopped to answer. Nothing where
// there is no X.
void lose_display();

// From now on a refusal is only logged, with --verbose: what is done with other programs' windows (files dropped from
// one that has just closed, say) may be refused at any time. GLFW has its own way while it opens a window.
void survive_refused_requests();

// Other programs may destroy this one's window and leave its connection. Whoever asks about that window then gets
// nonsense for an answer, but the refusal is seen by survive_refused_requests(). `window`: its X11 name; 0: none.
void watch_window(unsigned long window);
void watch_connection(void* display);  // Xlib's; null: none
bool window_is_destroyed();
// Asks the X server to show the watched window, and waits for nothing. False where it is no X11 window.
bool map_watched_window(void* display);

}  // namespace convoscope
