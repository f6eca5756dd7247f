// Vectors of floats and how many of them an inner loop keeps. Compiled once for each instruction set, after
// hwy/highway.h: not #pragma once.
#if defined(CONVOSCOPE_FLOAT_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef CONVOSCOPE_FLOAT_VECTORS
#undef CONVOSCOPE_FLOAT_VECTORS
#else
#define CONVOSCOPE_FLOAT_VECTORS
#endif

HWY_BEFORE_NAMESPACE();
namespace convoscope::floats {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Floats()));

// Sums of four rows of so many vectors keep the multiply-add units busy and stay in registers: 32 of them, or 16.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int vectors = 4;
#else
constexpr int vectors = 2;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace convoscope::floats
HWY_AFTER_NAMESPACE();

#endif
