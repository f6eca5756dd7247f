#pragma once
// How much freed memory malloc keeps for later.

namespace convoscope {

// Once, in main(), before there are threads. By itself glibc has a heap for every thread, up to eight a core, and takes
// from them even blocks of megabytes once a block of that size was freed. Of threads that come and go, as decoders and
// encoders do, each heap keeps some: videos opened and recorded twenty times left 270 MB for 2 MB in use with sixteen
// threads each, and with these bounds 30 to 90 MB at the same speed; a raw frame of 12 MB costs its reader 3 ms more.
inline constexpr int most_heaps = 8, smallest_block_of_its_own = 1 << 20;
void bound_heaps();

}  // namespace convoscope
