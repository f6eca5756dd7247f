#pragma once
// The single pictures of the test pattern. Each fills the whole canvas. phase: 0…1 of the period of all motion.
#include <cstdint>

#include "app/media/pattern/canvas.h"

namespace convoscope {

// Rings whose frequency grows from 0 in the centre to Nyquist at a distance of half the longer side.
void draw_zone_plate(const Canvas&, double phase);
void draw_siemens_star(const Canvas&);
void draw_slanted_edges(const Canvas&);
void draw_gradients(const Canvas&);
void draw_text(const Canvas&);                                          // without the counter
void draw_counter(const Canvas&, std::int64_t number, double seconds);  // over the text: its lowest line
void draw_noise(const Canvas&, std::int64_t number);
void draw_motion_ground(const Canvas&);
void draw_motion(const Canvas&, double phase);  // over its ground

}  // namespace convoscope
