#pragma once
// A 5×8 font of our own for the test pattern: small text is what filters ruin first.
#include <string_view>

#include "app/media/pattern/canvas.h"

namespace convoscope {

constexpr int glyph_advance = 6, line_advance = 10;  // font pixels

// ASCII; anything else is drawn as '?'. (x, y): top left; clipped to the canvas. Each font pixel is scale × scale.
void draw_text_line(const Canvas&, int x, int y, int scale, Pixel colour, std::string_view text);

}  // namespace convoscope
