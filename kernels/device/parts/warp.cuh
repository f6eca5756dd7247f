#pragma once
// Warp shuffles under one name for both builds. All 32 lanes take part (in the emulator: all threads that the block's
// last warp has), and each call is a point where the threads of the warp meet.
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr unsigned full_warp = 0xffffffffu;

#if defined(CONVOSCOPE_EMULATED)

inline int lane_index() { return current_lane(); }

// The value that another lane brings; T is trivially copyable. A lane outside of the warp's threads gives one's own.
template <class T>
T shuffle(T value, int lane, std::source_location where = std::source_location::current()) {
  WarpMeeting& meeting = WarpMeeting::join(full_warp, &value, sizeof(T), where);
  if (lane >= 0 && lane < 32 && meeting.has(lane)) value = meeting.value<T>(lane);
  meeting.leave();
  return value;
}
template <class T>
T shuffle_up(T value, int delta, std::source_location where = std::source_location::current()) {
  return emulated::shuffle(value, lane_index() - delta, where);
}
template <class T>
T shuffle_down(T value, int delta, std::source_location where = std::source_location::current()) {
  return emulated::shuffle(value, lane_index() + delta, where);
}
template <class T>
T shuffle_xor(T value, int mask, std::source_location where = std::source_location::current()) {
  return emulated::shuffle(value, lane_index() ^ mask, where);
}

#else

__device__ inline int lane_index() {
  const unsigned linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return static_cast<int>(linear % 32);
}
template <class T>
__device__ inline T shuffle(T value, int lane) {
  return __shfl_sync(full_warp, value, lane);
}
template <class T>
__device__ inline T shuffle_up(T value, int delta) {
  return __shfl_up_sync(full_warp, value, static_cast<unsigned>(delta));
}
template <class T>
__device__ inline T shuffle_down(T value, int delta) {
  return __shfl_down_sync(full_warp, value, static_cast<unsigned>(delta));
}
template <class T>
__device__ inline T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(full_warp, value, mask);
}

#endif

// threadIdx.y of blocks whose rows are warps. By a shuffle, since the compiler then knows that it is the same for all
// lanes: a branch that depends on threadIdx.y itself has a barrier before every matrix instruction behind it.
__device__ inline int warp_in_block() { return shuffle(static_cast<int>(threadIdx.y), 0); }

}  // namespace convoscope::CONVOSCOPE_TARGET
