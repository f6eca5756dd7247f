#pragma once
// What the program's exit code says; 128 + n: ended in order by signal n.

namespace convoscope {

inline constexpr int exit_done = 0;
inline constexpr int exit_check_failed = 1;
inline constexpr int exit_failed = 2;     // bad arguments, input or output
inline constexpr int exit_cut_short = 3;  // done as far as the input went: it was cut off or is damaged

}  // namespace convoscope
