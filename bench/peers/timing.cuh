#pragma once
// What the programs here share: pictures that no cache holds, and the median time of a call on them.
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#define CHECK(call)                                                                           \
  do {                                                                                        \
    const int status_of_call = static_cast<int>(call);                                        \
    if (status_of_call != 0) {                                                                \
      std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, status_of_call); \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (false)

constexpr int width = 3840, height = 2160, pitch = 4 * width;

// Pairs of pictures of 4 bytes a pixel, more of them than the last cache holds, and which pair is next.
class Pictures {
 public:
  explicit Pictures(bool floats) : noise_(static_cast<std::size_t>(width) * height) {
    std::mt19937 random(1);
    for (unsigned& pixel : noise_) {
      pixel = static_cast<unsigned>(random());
      const float value = static_cast<float>(pixel >> 8) * 0x1p-24f;
      if (floats) pixel = std::bit_cast<unsigned>(value);
    }
    const std::size_t bytes = noise_.size() * 4;
    for (Pair& pair : pairs_) {
      CHECK(cudaMalloc(&pair.in, bytes));
      CHECK(cudaMalloc(&pair.out, bytes));
      CHECK(cudaMemset(pair.out, 0, bytes));
      CHECK(cudaMemcpy(pair.in, noise_.data(), noise_.size() * 4, cudaMemcpyHostToDevice));
    }
  }
  Pictures(const Pictures&) = delete;
  ~Pictures() {
    for (const Pair& pair : pairs_) {
      cudaFree(pair.in);
      cudaFree(pair.out);
    }
  }

  using Call = std::function<void(const void* in, void* out)>;
  double milliseconds(const Call& call, cudaStream_t stream) {
    constexpr int warm_up = 3, samples = 15, batch = 20;
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<double> times;
    for (int sample = -warm_up; sample < samples; ++sample) {
      copy_next(stream);  // the device is busy while the host queues the batch
      CHECK(cudaEventRecord(start, stream));
      for (int i = 0; i < batch; ++i) {
        const Pair& pair = next();
        call(pair.in, pair.out);
      }
      CHECK(cudaEventRecord(stop, stream));
      CHECK(cudaStreamSynchronize(stream));
      float total = 0;
      CHECK(cudaEventElapsedTime(&total, start, stop));
      if (sample >= 0) times.push_back(total / batch);
    }
    std::sort(times.begin(), times.end());
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return times[times.size() / 2];
  }
  double copy_milliseconds(cudaStream_t stream) {
    return milliseconds(
        [&](const void* in, void* out) {
          CHECK(cudaMemcpyAsync(out, in, noise_.size() * 4, cudaMemcpyDeviceToDevice, stream));
        },
        stream);
  }
  // What `call` makes of the noise.
  std::vector<unsigned> result(const Call& call, cudaStream_t stream) {
    call(pairs_[0].in, pairs_[0].out);
    CHECK(cudaStreamSynchronize(stream));
    std::vector<unsigned> pixels(noise_.size());
    CHECK(cudaMemcpy(pixels.data(), pairs_[0].out, pixels.size() * 4, cudaMemcpyDeviceToHost));
    return pixels;
  }
  const std::vector<unsigned>& noise() const { return noise_; }

 private:
  struct Pair {
    void *in = nullptr, *out = nullptr;
  };
  const Pair& next() { return pairs_[turn_++ % 8]; }
  void copy_next(cudaStream_t stream) {
    for (int i = 0; i < 8; ++i) {
      const Pair& pair = next();
      CHECK(cudaMemcpyAsync(pair.out, pair.in, noise_.size() * 4, cudaMemcpyDeviceToDevice, stream));
    }
  }

  std::vector<unsigned> noise_;
  Pair pairs_[8];
  unsigned turn_ = 0;
};

// A row of a Gaussian as convoscope's `gaussian:radius=r` has it: sigma r/2, a sum of 1.
inline std::vector<float> gaussian_row(int radius) {
  std::vector<float> row;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    row.push_back(static_cast<float>(std::exp(-0.5 * (i / (radius / 2.0)) * (i / (radius / 2.0)))));
    sum += row.back();
  }
  for (float& weight : row) weight = static_cast<float>(weight / sum);
  return row;
}
inline std::vector<float> square_of(const std::vector<float>& row) {
  std::vector<float> weights;
  for (const float down : row)
    for (const float across : row) weights.push_back(down * across);
  return weights;
}
inline float* on_device(const std::vector<float>& values) {
  float* memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(float)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  return memory;
}
