#pragma once
// Something that ImGui draws, as a picture of any size, without touching the window.
#include <functional>

#include "app/gl/compositor/compositor.h"

struct ImDrawList;

namespace convoscope {

// Between ImGui::NewFrame and Render; `draw` fills a list whose corner is (0, 0). Waits for the pixels. Throws Error
// when the driver cannot draw a picture of that size.
ReadBack::Pixels draw_list_picture(int width, int height, const std::function<void(ImDrawList&)>& draw);

}  // namespace convoscope
