#pragma once
// Pictures on the clipboard, through the program that the desktop has for it: GLFW knows only text.
#include <string>

#include "kernels/contract/data/image.h"

namespace convoscope {

// Waits at most some seconds; not for a frame's thread. Throws Error: which package is missing, what failed.
void copy_to_clipboard(const Image& rgba);

}  // namespace convoscope
