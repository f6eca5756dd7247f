#pragma once
// Before Highway's headers, in every file that is compiled once for each instruction set.

// Vectors without a fixed size cannot be kept in arrays, as sums are; NEON serves those processors.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
