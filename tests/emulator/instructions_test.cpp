// The host form of warp, copy and matrix instructions against their definitions.
#include <gmock/gmock.h>

#include <random>

#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/device/parts/warp.cuh"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

__global__ void shuffle_all(int* out) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;
  out[t] = shuffle(t, 3);
  out[n + t] = shuffle_up(t, 2);
  out[2 * n + t] = shuffle_down(t, 2);
  out[3 * n + t] = shuffle_xor(t, 5);
  int sum = t;
  for (int distance = 16; distance > 0; distance /= 2) sum += shuffle_xor(sum, distance);
  out[4 * n + t] = sum;
}

TEST(Instructions, Shuffles) {
  for (const std::uint64_t value : seeds) {
    const SeedScope scope(value);
    const int n = 64;
    const DeviceBuffer<int> out(5 * n);
    launch(shuffle_all, dim3(1), dim3(16, 4), 0, Stream{}, out.data());
    for (int t = 0; t < n; ++t) {
      const int lane = t % 32, first = t - lane;
      EXPECT_EQ(out.data()[t], first + 3);
      EXPECT_EQ(out.data()[n + t], lane < 2 ? t : t - 2);
      EXPECT_EQ(out.data()[2 * n + t], lane > 29 ? t : t + 2);
      EXPECT_EQ(out.data()[3 * n + t], first + (lane ^ 5));
      EXPECT_EQ(out.data()[4 * n + t], 32 * first + 31 * 16);
    }
  }
}

template <int Bytes>
__global__ void copy_groups(const float* in, float* out) {
  constexpr int each = Bytes / 4, all = 32 * each;
  const int t = threadIdx.x;
  const Shared<float> buffers = shared_memory<float>(0, 3 * all);
  for (int group = 0; group < 3; ++group) {
    async_copy<Bytes>(buffers, group * all + t * each, in + group * all + t * each, !(group == 1 && t == 7));
    async_commit();
  }
  const auto store = [&](int row) {
    for (int i = 0; i < 3 * each; ++i) {
      const int place = i / each * all + t * each + i % each;
      out[row * 3 * all + place] = buffers[place];
    }
  };
  async_wait<2>();
  store(0);
  async_wait<0>();
  store(1);
}

template <int Bytes>
void expect_copies() {
  const int all = 32 * Bytes / 4;
  std::vector<float> values(3 * all);
  for (int i = 0; i < 3 * all; ++i) values[i] = static_cast<float>(i + 1);
  const DeviceBuffer<float> in = on_device(values), out(6 * all);
  launch(copy_groups<Bytes>, dim3(1), dim3(32), in.bytes(), Stream{}, in.data(), out.data());
  for (int i = 0; i < 3 * all; ++i) {
    const bool zeroed = i >= all && i < 2 * all && (i - all) / (Bytes / 4) == 7;
    if (i < all)
      EXPECT_EQ(out.data()[i], values[i]) << "the oldest group has arrived";
    else
      EXPECT_TRUE(std::isnan(out.data()[i])) << "the others have not";
    EXPECT_EQ(out.data()[3 * all + i], zeroed ? 0.0f : values[i]);
  }
}

TEST(Instructions, AsynchronousCopiesArriveWhenWaitedFor) {
  expect_copies<4>();
  expect_copies<8>();
  expect_copies<16>();
}

__global__ void copy_misaligned(const float* in, int from, int to) {
  async_copy<16>(shared_memory<float>(0, 8), to, in + from);
}

TEST(Instructions, AsynchronousCopiesAreAlignedAndInside) {
  const DeviceBuffer<float> in = on_device(std::vector<float>(16));
  const auto refusal = [&](int from, int to) {
    return error_of([&] { launch(copy_misaligned, dim3(1), dim3(1), 32, Stream{}, in.data(), from, to); });
  };
  EXPECT_THAT(refusal(1, 0), testing::HasSubstr("not aligned"));
  EXPECT_THAT(refusal(0, 2), testing::HasSubstr("not aligned"));
  EXPECT_THAT(refusal(0, 6), testing::HasSubstr("index 9 is outside"));
}

// One warp multiplies 16 × 16 by 16 × 8, with the fragments of the PTX ISA.
__global__ void multiply(const float* a, const float* b, float* d) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const auto pair_a = [&](int row, int k) { return pack_half2(a[row * 16 + k], a[row * 16 + k + 1]); };
  const auto pair_b = [&](int k) { return pack_half2(b[k * 8 + g], b[(k + 1) * 8 + g]); };
  const unsigned fragment_a[] = {pair_a(g, 2 * t), pair_a(g + 8, 2 * t), pair_a(g, 2 * t + 8),
                                 pair_a(g + 8, 2 * t + 8)};
  const unsigned fragment_b[] = {pair_b(2 * t), pair_b(2 * t + 8)};
  float sums[] = {d[g * 8 + 2 * t], d[g * 8 + 2 * t + 1], d[(g + 8) * 8 + 2 * t], d[(g + 8) * 8 + 2 * t + 1]};
  mma_m16n8k16(sums, fragment_a, fragment_b);
  d[g * 8 + 2 * t] = sums[0];
  d[g * 8 + 2 * t + 1] = sums[1];
  d[(g + 8) * 8 + 2 * t] = sums[2];
  d[(g + 8) * 8 + 2 * t + 1] = sums[3];
}

TEST(Instructions, MatrixMultiplyAgainstDoubles) {
  std::minstd_rand random(7);
  const auto value = [&] {
    return static_cast<float>(static_cast<int>(random() % 513) - 256) / 64.0f;
  };  // exact in fp16
  std::vector<float> a(256), b(128), d(128);
  for (auto* matrix : {&a, &b, &d})
    for (float& element : *matrix) element = value();
  const DeviceBuffer<float> device_a = on_device(a), device_b = on_device(b), device_d = on_device(d);
  launch(multiply, dim3(1), dim3(32), 0, Stream{}, device_a.data(), device_b.data(), device_d.data());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      double expected = d[row * 8 + column];
      for (int k = 0; k < 16; ++k)
        expected += static_cast<double>(a[row * 16 + k]) * static_cast<double>(b[k * 8 + column]);
      EXPECT_EQ(device_d.data()[row * 8 + column], static_cast<float>(expected)) << row << ", " << column;
    }
}

TEST(Instructions, MatrixMultiplyNeedsAWholeWarp) {
  const DeviceBuffer<float> a = on_device(std::vector<float>(256)), b = on_device(std::vector<float>(128)),
                            d = on_device(std::vector<float>(128));
  EXPECT_THAT(error_of([&] { launch(multiply, dim3(1), dim3(16), 0, Stream{}, a.data(), b.data(), d.data()); }),
              testing::HasSubstr("all 32 lanes"));
}

// One warp: d += a · b, all row-major; B comes through shared memory, where column c of its upper and lower half lie at
// 2c and 2c + 1.
__global__ void multiply_bytes(const std::int8_t* a, const std::uint8_t* b, int* d) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  const Shared<std::uint8_t> bytes = shared_memory<std::uint8_t>(0, 256);
  const Shared<ByteColumn> columns = shared_memory<ByteColumn>(0, 16);
  for (int i = lane; i < 256; i += 32) bytes[i % 8 * 32 + i / 8] = b[i];
  __syncthreads();
  ByteFragment fragment{};
  for (int word = 0; word < 4; ++word)
    for (int j = 0; j < 4; ++j) {
      const auto byte = static_cast<std::uint8_t>(a[(g + word % 2 * 8) * 32 + word / 2 * 16 + 4 * t + j]);
      fragment.a[word] |= static_cast<unsigned>(byte) << 8 * j;
    }
  unsigned upper[1], both[2];
  load_matrices(both, columns, lane % 8 * 2 + lane / 8 % 2);
  load_matrices(upper, columns, lane % 8 * 2);
  int* const rows[] = {d + g * 8 + 2 * t, d + (g + 8) * 8 + 2 * t};
  int sums[] = {rows[0][0], rows[0][1], rows[1][0], rows[1][1]};
  mma_m16n8k32(sums, fragment, upper[0], both[1]);
  for (int i = 0; i < 4; ++i) rows[i / 2][i % 2] = sums[i];
}

TEST(Instructions, MatrixMultiplyOfBytes) {
  std::minstd_rand random(11);
  std::vector<std::int8_t> a(16 * 32);
  std::vector<std::uint8_t> b(32 * 8);
  std::vector<int> d(16 * 8);
  for (auto& value : a) value = static_cast<std::int8_t>(random() >> 5);
  for (auto& value : b) value = static_cast<std::uint8_t>(random() >> 5);
  for (auto& value : d) value = static_cast<int>(random() >> 4);
  a[0] = -128, b[0] = 255;
  const DeviceBuffer<std::int8_t> device_a = on_device(a);
  const DeviceBuffer<std::uint8_t> device_b = on_device(b);
  const DeviceBuffer<int> device_d = on_device(d);
  launch(multiply_bytes, dim3(1), dim3(32), 256, Stream{}, device_a.data(), device_b.data(), device_d.data());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int expected = d[row * 8 + column];
      for (int k = 0; k < 32; ++k) expected += a[row * 32 + k] * b[k * 8 + column];
      EXPECT_EQ(device_d.data()[row * 8 + column], expected) << row << ", " << column;
    }
}

TEST(Instructions, MatrixLoadsStayInSharedMemory) {
  const DeviceBuffer<std::int8_t> a = on_device(std::vector<std::int8_t>(512));
  const DeviceBuffer<std::uint8_t> b = on_device(std::vector<std::uint8_t>(256));
  const DeviceBuffer<int> d = on_device(std::vector<int>(128));
  EXPECT_THAT(error_of([&] { launch(multiply_bytes, dim3(1), dim3(16), 256, Stream{}, a.data(), b.data(), d.data()); }),
              testing::HasSubstr("all 32 lanes"));
  EXPECT_THAT(error_of([&] { launch(multiply_bytes, dim3(1), dim3(32), 128, Stream{}, a.data(), b.data(), d.data()); }),
              testing::HasSubstr("shared memory"));
}

TEST(Instructions, HalfPrecisionRoundsToNearestEven) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_half(value), bits);
  }
  EXPECT_EQ(to_half(1.0f), 0x3c00);
  EXPECT_EQ(to_half(-2.0f), 0xc000);
  EXPECT_EQ(to_half(65504.0f), 0x7bff);
  EXPECT_EQ(to_half(65519.0f), 0x7bff);
  EXPECT_EQ(to_half(65520.0f), 0x7c00);
  EXPECT_EQ(to_half(0x1p-24f), 0x0001);
  EXPECT_EQ(to_half(0x1p-25f), 0x0000) << "a tie, to even";
  EXPECT_EQ(to_half(0x1.8p-24f), 0x0002) << "a tie, to even";
  EXPECT_EQ(to_half(1.0f + 0x1p-11f), 0x3c00) << "a tie, to even";
  EXPECT_EQ(to_half(1.0f + 0x1.8p-10f), 0x3c02) << "a tie, to even";
  EXPECT_TRUE(std::isnan(from_half(to_half(NAN))));
}

TEST(Instructions, HalvesOfAWarpgroupAreThoseOfTheHost) {
  for (unsigned bits = 0; bits < 65536; bits += 8) {
    unsigned pairs[4];
    for (unsigned i = 0; i < 4; ++i) pairs[i] = (bits + 2 * i) | (bits + 2 * i + 1) << 16;
    float numbers[8];
    floats_of_halves(pairs, numbers);
    for (unsigned i = 0; i < 8; ++i) {
      const float expected = from_half(static_cast<std::uint16_t>(bits + i));
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(numbers[i])) << bits + i;
      else
        ASSERT_EQ(std::bit_cast<unsigned>(numbers[i]), std::bit_cast<unsigned>(expected)) << bits + i;
    }
  }
}

__global__ void accumulate(int* sum, unsigned* most, float* total) {
  atomicAdd(sum, static_cast<int>(threadIdx.x));
  atomicMax(most, threadIdx.x);
  atomicAdd(total, 0.5f);
}

TEST(Instructions, Atomics) {
  const DeviceBuffer<int> sum = on_device(std::vector<int>(1));
  const DeviceBuffer<unsigned> most = on_device(std::vector<unsigned>(1));
  const DeviceBuffer<float> total = on_device(std::vector<float>(1));
  launch(accumulate, dim3(3), dim3(100), 0, Stream{}, sum.data(), most.data(), total.data());
  EXPECT_EQ(sum.data()[0], 3 * 4950);
  EXPECT_EQ(most.data()[0], 99u);
  EXPECT_EQ(total.data()[0], 150.0f);
}

TEST(Instructions, BytePermutation) {
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(__byte_perm(0x04030201u, 0x4b000000u, 0x7440u), 0x4b000001u);
}

}  // namespace
}  // namespace convoscope::emulated
