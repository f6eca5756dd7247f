#pragma once
// The program's icon, drawn in code: the bell of a Gaussian filter on an oscilloscope's screen.
#include <vector>

namespace convoscope {

std::vector<unsigned char> draw_window_icon(int size);  // size × size, rgba, top row first

}  // namespace convoscope
