// Barriers in shared memory: phases, copies that arrive by themselves, and what goes wrong with them.
#include "kernels/device/parts/mbarrier.cuh"

#include <gmock/gmock.h>

#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

using testing::HasSubstr;

constexpr int numbers = 16, rounds = 5;

// The first thread asks for copies into a ring of two, the others read them and give them back.
__global__ void ring(const int* in, int* out) {
  const Shared<int> buffers = shared_memory<int>(0, 2 * numbers);
  const Barriers barriers(2 * numbers * sizeof(int), 4);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      barriers.initialise(i, 1);
      barriers.initialise(2 + i, numbers);
    }
    barriers.initialised();
  }
  __syncthreads();
  const int t = static_cast<int>(threadIdx.x) - 1;
  RingPlace place;
  for (int round = 0; round < rounds; ++round) {
    if (t < 0) {
      barriers.wait(2 + place.slot, place.parity ^ 1);
      barriers.expect(place.slot, numbers * static_cast<int>(sizeof(int)));
      barriers.copy(place.slot, buffers, place.slot * numbers, in + round * numbers, numbers);
    } else {
      barriers.wait(place.slot, place.parity);
      out[round * numbers + t] = buffers[place.slot * numbers + t];
      barriers.arrive(2 + place.slot);
    }
    place.next(2);
  }
}

TEST(Mbarriers, PassARingOn) {
  for (const std::uint64_t value : seeds) {
    const SeedScope scope(value);
    std::vector<int> values(rounds * numbers);
    for (int i = 0; i < rounds * numbers; ++i) values[static_cast<std::size_t>(i)] = i * i;
    const DeviceBuffer<int> in = on_device(values), out(values.size());
    launch(ring, dim3(2), dim3(1 + numbers), 2 * numbers * sizeof(int) + 4 * sizeof(Mbarrier), Stream{}, in.data(),
           out.data());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(out.data()[i], values[i]) << i;
  }
}

enum class Fault { does_not_wait, nobody_comes, comes_too_often };

template <Fault fault>
__global__ void faulty(const int* in, int* out) {
  const Shared<int> buffer = shared_memory<int>(0, numbers);
  const Barriers barriers(numbers * sizeof(int), 1);
  barriers.initialise(0, 1);
  if constexpr (fault == Fault::nobody_comes) barriers.wait(0, 0);
  barriers.expect(0, numbers * static_cast<int>(sizeof(int)));
  if constexpr (fault == Fault::comes_too_often) barriers.arrive(0);
  barriers.copy(0, buffer, 0, in, numbers);
  *out = buffer[0];
}

template <Fault fault>
int first_number() {
  const DeviceBuffer<int> in = on_device(std::vector<int>(numbers, 7)), out(1);
  launch(faulty<fault>, dim3(1), dim3(1), numbers * sizeof(int) + sizeof(Mbarrier), Stream{}, in.data(), out.data());
  return out.data()[0];
}

template <Fault fault>
std::string what_is_wrong() {
  try {
    first_number<fault>();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Mbarriers, LetWhatIsForgottenBeNoticed) {
  EXPECT_EQ(first_number<Fault::does_not_wait>(), -1);  // what was there before
  EXPECT_THAT(what_is_wrong<Fault::nobody_comes>(), HasSubstr("waits at an mbarrier in mbarrier_test.cpp"));
  EXPECT_THAT(what_is_wrong<Fault::comes_too_often>(), HasSubstr("more often than the 1 times of a phase"));
}

}  // namespace
}  // namespace convoscope::emulated
