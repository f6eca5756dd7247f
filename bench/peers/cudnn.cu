// cuDNN's convolution for one filter of radius r on 3840 × 2160: each channel a sample of a batch, one filter, float32
// without TF32, every algorithm that cuDNN measures. README.md says how to build and read it.
#include <cudnn.h>

#include "timing.cuh"

namespace {

constexpr const char* names[] = {"implicit GEMM", "implicit GEMM with precomputed offsets",
                                 "GEMM",          "direct sums",
                                 "FFT",           "tiled FFT",
                                 "Winograd",      "Winograd, not fused"};

void measure(cudnnHandle_t handle, cudaStream_t stream, int channels, int r, double copy) {
  const int taps = 2 * r + 1, padded_width = width + 2 * r, padded_height = height + 2 * r;
  cudnnTensorDescriptor_t in_shape, out_shape;
  cudnnFilterDescriptor_t filter_shape;
  cudnnConvolutionDescriptor_t convolution;
  CHECK(cudnnCreateTensorDescriptor(&in_shape));
  CHECK(cudnnCreateTensorDescriptor(&out_shape));
  CHECK(cudnnCreateFilterDescriptor(&filter_shape));
  CHECK(cudnnCreateConvolutionDescriptor(&convolution));
  CHECK(cudnnSetTensor4dDescriptor(in_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, channels, 1, padded_height,
                                   padded_width));
  CHECK(cudnnSetTensor4dDescriptor(out_shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, channels, 1, height, width));
  CHECK(cudnnSetFilter4dDescriptor(filter_shape, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, taps, taps));
  CHECK(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  CHECK(cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH));

  cudnnConvolutionFwdAlgoPerf_t found[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
  int count = 0;
  CHECK(cudnnFindConvolutionForwardAlgorithm(handle, in_shape, filter_shape, convolution, out_shape,
                                             CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count, found));

  // The planes are padded before and converted after, which a program that filters frames pays for too.
  const std::size_t plane = static_cast<std::size_t>(padded_width) * padded_height * channels;
  float* const weights = on_device(square_of(gaussian_row(r)));
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, plane * sizeof(float)));
  CHECK(cudaMalloc(&out, plane * sizeof(float)));
  CHECK(cudaMemset(in, 0, plane * sizeof(float)));
  Pictures pictures(true);
  for (int i = 0; i < count; ++i) {
    if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].mathType != CUDNN_FMA_MATH) continue;
    void* workspace = nullptr;
    CHECK(cudaMalloc(&workspace, std::max<std::size_t>(found[i].memory, 1)));
    const float one = 1, zero = 0;
    const double time = pictures.milliseconds(
        [&](const void*, void*) {
          CHECK(cudnnConvolutionForward(handle, &one, in_shape, in, filter_shape, weights, convolution, found[i].algo,
                                        workspace, found[i].memory, &zero, out_shape, out));
        },
        stream);
    std::printf("  %d channel%s, r = %2d  %-40s %8.4f ms  %6.2f × copy  workspace %zu MiB\n", channels,
                channels == 1 ? " " : "s", r, names[found[i].algo], time, time / copy, found[i].memory >> 20);
    CHECK(cudaFree(workspace));
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(weights));
  CHECK(cudnnDestroyConvolutionDescriptor(convolution));
  CHECK(cudnnDestroyFilterDescriptor(filter_shape));
  CHECK(cudnnDestroyTensorDescriptor(out_shape));
  CHECK(cudnnDestroyTensorDescriptor(in_shape));
}

}  // namespace

int main(int argc, char** argv) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudnnHandle_t handle;
  CHECK(cudnnCreate(&handle));
  CHECK(cudnnSetStream(handle, stream));
  const double copy = Pictures(true).copy_milliseconds(stream);
  std::printf("%d × %d: copy of 4 bytes a pixel %.4f ms; rgba8 is 3 channels, gray32f 1\n", width, height, copy);
  for (const int channels : {3, 1})
    for (int argument = 1; argument < std::max(argc, 2); ++argument)
      measure(handle, stream, channels, argc > 1 ? std::atoi(argv[argument]) : 2, copy);
  CHECK(cudnnDestroy(handle));
  CHECK(cudaStreamDestroy(stream));
}
