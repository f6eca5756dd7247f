#pragma once

namespace convoscope {

// The key that shortcuts know by what it types, as GLFW numbers it. GLFW tells of places instead: of Q where a French
// keyboard has its A. `typed` is what the place types by itself in the present layout; null: nothing known.
int key_of_place(int place, const char* typed);

}  // namespace convoscope
