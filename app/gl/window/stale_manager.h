#pragma once
namespace convoscope {

// A window manager that was killed leaves the display with the name of a window that is gone, and GLFW 3.3 aborts the
// program when it asks that window. Before glfwInit(): asks it on the display that DISPLAY names, and takes the name
// away if there is no answer, since nobody is served by it (a manager that starts sets its own). Nothing where there is
// no X server or no Xlib.
void forget_a_manager_that_is_gone();

}  // namespace convoscope
