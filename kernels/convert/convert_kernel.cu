// Any decoded layout to upright rgba8 or gray32f in one pass. One thread converts 4 × 2 pixels, so that samples are
// read and pixels are written four at a time and two rows share their chroma. Traffic: a 4:2:0 frame of 8 bits is 1.5
// bytes read and 4 written per pixel; everything else is in the caches.
#include "kernels/convert/convert_kernel.h"
#include "kernels/convert/pixel_group.h"
#include "kernels/convert/plane_group.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

template <class Converter, PixelFormat Output>
__global__ void convert_frame(Conversion conversion, Image out) {
  const int group_x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int pair = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (group_x * group_width >= conversion.width || pair >= Converter::pairs(conversion)) return;
  Converter::template convert<Output>(conversion, out, group_x, pair);
}

// Y, U and V as they are, chroma for each pixel.
template <class Converter>
__global__ void copy_stored_frame(Conversion conversion, Image out) {
  const int group_x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int pair = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (group_x * group_width >= conversion.width || pair >= Converter::pairs(conversion)) return;
  Converter::template convert<PixelFormat::rgba8, true>(conversion, out, group_x, pair);
}

// The way back: a picture to planes. A thread reads what its 4 × 2 pixels and their chroma need, 20 pixels, of which
// all but the first come out of the L1 cache: 4 bytes read and 1.5 written per pixel.
template <PixelFormat Input>
__global__ void make_planes(Image in, PlaneConversion conversion) {
  const int group_x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int pair = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (group_x * group_width >= conversion.width || pair >= PlaneGroup<Input>::pairs(conversion)) return;
  PlaneGroup<Input>::convert(in, conversion, group_x, pair);
}

struct Shape {
  dim3 grid, block;
};

// Where sides are exchanged, a column of the stored picture becomes a row of the output: with 8 × 4 threads a warp
// writes runs of 32 bytes, a whole sector, and reads as much; otherwise it writes 512 bytes of one row.
template <class Converter>
Shape shape_of(const Conversion& conversion) {
  const dim3 block = conversion.orientation.exchanges_sides ? dim3(8, 16) : dim3(32, 4);
  return {dim3(static_cast<unsigned>(ceil_div(ceil_div(conversion.width, group_width), static_cast<int>(block.x))),
               static_cast<unsigned>(ceil_div(Converter::pairs(conversion), static_cast<int>(block.y)))),
          block};
}

}  // namespace

void enqueue_conversion(const VideoFormat& format, const Conversion& conversion, const Image& out, Stream stream) {
  with_group_converter(format, out.format, [&]<class Converter, PixelFormat Output>() {
    const Shape shape = shape_of<Converter>(conversion);
    launch(convert_frame<Converter, Output>, shape.grid, shape.block, 0, stream, conversion, out);
  });
}

void enqueue_as_stored(const VideoFormat& format, const Conversion& conversion, const Image& out, Stream stream) {
  with_stored_converter(format, [&]<class Converter>() {
    const Shape shape = shape_of<Converter>(conversion);
    launch(copy_stored_frame<Converter>, shape.grid, shape.block, 0, stream, conversion, out);
  });
}

void enqueue_planes(const Image& in, const PlaneConversion& conversion, Stream stream) {
  const dim3 block(32, 4);
  const dim3 grid(
      static_cast<unsigned>(ceil_div(ceil_div(conversion.width, group_width), static_cast<int>(block.x))),
      static_cast<unsigned>(ceil_div(ceil_div(conversion.height, group_height), static_cast<int>(block.y))));
  if (in.format == PixelFormat::rgba8)
    launch(make_planes<PixelFormat::rgba8>, grid, block, 0, stream, in, conversion);
  else
    launch(make_planes<PixelFormat::gray32f>, grid, block, 0, stream, in, conversion);
}

KernelInfo describe_conversion(const VideoFormat& format, const Conversion& conversion, PixelFormat output) {
  return with_group_converter(format, output, [&]<class Converter, PixelFormat Output>() {
    const Shape shape = shape_of<Converter>(conversion);
    return describe("convert_frame", convert_frame<Converter, Output>, shape.grid, shape.block, 0);
  });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
