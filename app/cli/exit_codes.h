#pragma once
// What the program's exit code says; 128 + n: ended in order by signal n.

namespace convoscope {

inline constexpr int exit_done = 0;
inline constexpr int exit_check_failed = 1;
inline constexpr int exit_failed = 2;  // bad arguments, input or output
// Done in part: the input was cut off or is damaged, the size of its pictures changes, or who read the video or the
// statistics on standard output stopped reading.
inline constexpr int exit_cut_short = 3;

}  // namespace convoscope
