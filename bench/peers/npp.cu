// NPP's functions for a Gaussian of radius r on 3840 × 2160, each by itself: 8-bit RGBA with and without alpha, and
// float gray. README.md says how to build and read it.
#include <npp.h>

#include "timing.cuh"

namespace {

NppStreamContext context_of(cudaStream_t stream) {
  NppStreamContext context{};
  cudaDeviceProp properties{};
  CHECK(cudaGetDevice(&context.nCudaDeviceId));
  CHECK(cudaGetDeviceProperties(&properties, context.nCudaDeviceId));
  context.hStream = stream;
  context.nMultiProcessorCount = properties.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
  context.nSharedMemPerBlock = properties.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = properties.major;
  context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
  CHECK(cudaStreamGetFlags(stream, &context.nStreamFlags));
  return context;
}

// How far the result is from the exact one, at every 61st pixel away from the border; for bytes in code values, so that
// correct rounding is 0.5.
double largest_error(const std::vector<unsigned>& in, const std::vector<unsigned>& out, const std::vector<float>& row,
                     bool floats) {
  const int r = static_cast<int>(row.size()) / 2;
  const auto value = [&](const std::vector<unsigned>& pixels, int x, int y) -> double {
    const unsigned pixel = pixels[static_cast<std::size_t>(y) * width + x];
    return floats ? std::bit_cast<float>(pixel) : static_cast<float>(pixel & 255);
  };
  double largest = 0;
  for (int y = r; y + r < height; y += 61)
    for (int x = r; x + r < width; x += 61) {
      double sum = 0;
      for (int j = -r; j <= r; ++j)
        for (int i = -r; i <= r; ++i) sum += static_cast<double>(row[r + j]) * row[r + i] * value(in, x + i, y + j);
      largest = std::max(largest, std::abs(sum - value(out, x, y)));
    }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const NppStreamContext context = context_of(stream);
  const NppiSize size{width, height};
  const NppiPoint origin{0, 0};
  void* between = nullptr;
  CHECK(cudaMalloc(&between, static_cast<std::size_t>(pitch) * height));

  for (const bool floats : {false, true}) {
    Pictures pictures(floats);
    const double copy = pictures.copy_milliseconds(stream);
    std::printf("%s, %d × %d: copy %.4f ms\n", floats ? "32f_C1" : "8u", width, height, copy);
    const auto show = [&](int r, const char* name, const std::vector<float>& row, const Pictures::Call& call) {
      const double error = largest_error(pictures.noise(), pictures.result(call, stream), row, floats);
      const double time = pictures.milliseconds(call, stream);
      std::printf("  r = %2d  %-44s %8.4f ms  %6.2f × copy  error %.3g\n", r, name, time, time / copy, error);
    };
    for (int argument = 1; argument < std::max(argc, 2); ++argument) {
      const int r = argc > 1 ? std::atoi(argv[argument]) : 2, taps = 2 * r + 1;
      const std::vector<float> row = gaussian_row(r);
      float* const line = on_device(row);  // NPP wants it reversed: it is its own mirror image
      float* const square = on_device(square_of(row));
      const NppiSize square_size{taps, taps};
      const NppiPoint centre{r, r};
// One format's functions: E elements, `weighted` and `end` as their names end.
#define FUNCTIONS(E, weighted, end)                                                                                   \
  const auto in_of = [](const void* in) { return static_cast<const E*>(in); };                                        \
  const auto out_of = [](void* out) { return static_cast<E*>(out); };                                                 \
  show(r, "FilterBorder" #weighted, row, [&](const void* in, void* out) {                                             \
    CHECK(nppiFilterBorder##weighted(in_of(in), pitch, size, origin, out_of(out), pitch, size, square, square_size,   \
                                     centre, NPP_BORDER_REPLICATE, context));                                         \
  });                                                                                                                 \
  show(r, "FilterRowBorder and ColumnBorder" #weighted, row, [&](const void* in, void* out) {                         \
    CHECK(nppiFilterRowBorder##weighted(in_of(in), pitch, size, origin, out_of(between), pitch, size, line, taps, r,  \
                                        NPP_BORDER_REPLICATE, context));                                              \
    CHECK(nppiFilterColumnBorder##weighted(in_of(between), pitch, size, origin, out_of(out), pitch, size, line, taps, \
                                           r, NPP_BORDER_REPLICATE, context));                                        \
  });                                                                                                                 \
  show(r, "FilterGaussAdvancedBorder" #end, row, [&](const void* in, void* out) {                                     \
    CHECK(nppiFilterGaussAdvancedBorder##end(in_of(in), pitch, size, origin, out_of(out), pitch, size, taps, line,    \
                                             NPP_BORDER_REPLICATE, context));                                         \
  })
      if (floats) {
        FUNCTIONS(Npp32f, _32f_C1R_Ctx, _32f_C1R_Ctx);
      } else {
        { FUNCTIONS(Npp8u, 32f_8u_AC4R_Ctx, _8u_AC4R_Ctx); }
        FUNCTIONS(Npp8u, 32f_8u_C4R_Ctx, _8u_C4R_Ctx);
      }
      CHECK(cudaFree(line));
      CHECK(cudaFree(square));
    }
  }
  CHECK(cudaFree(between));
  CHECK(cudaStreamDestroy(stream));
}
