#pragma once
// The part of CV-CUDA that we call, declared by us so that nothing is needed at build time: pictures and tensors are
// libnvcv_types', operators libcvcuda's, which brings the other.
#include <cstdint>
#include <memory>

#include "kernels/contract/data/border.h"
#include "kernels/libraries/dynamic_library.h"
#include "kernels/text/error.h"

namespace convoscope::libcvcuda {

// Bit fields of kind, order and width of the channels, as CV-CUDA has them.
inline constexpr std::uint64_t u8_elements = 0x27ffff0081, f32_elements = 0x40000307ffff0081,
                               int_pairs = 0x20000547ffff0082;  // NVCV_DATA_TYPE_U8, F32, 2S32
inline constexpr std::uint64_t rgba8_pixels = 0x3c000110084, f32_pixels = 0x40000307ffff0081;  // NVCV_IMAGE_FORMAT_…
inline constexpr int on_device = 1;                                                            // …_STRIDED_CUDA

struct Plane {  // NVCVImagePlaneStrided; pitch in bytes
  std::int32_t width = 0, height = 0, pitch = 0;
  void* data = nullptr;
};
struct PictureData {  // NVCVImageData
  std::uint64_t format = 0;
  std::int32_t memory = on_device;
  struct {
    std::int32_t count = 1;
    Plane plane[6];
  } planes;
};
struct TensorData {  // NVCVTensorData; strides in bytes
  std::uint64_t elements = 0;
  char layout[16] = {};
  std::int32_t layout_rank = 0, rank = 0;
  std::int64_t shape[15] = {};
  std::int32_t memory = on_device;
  std::int64_t strides[15] = {};
  void* data = nullptr;
};
struct BatchNeeds {  // NVCVImageBatchVarShapeRequirements
  std::int32_t capacity = 0, alignment = 0;
  std::int64_t blocks[3][32] = {};
};
static_assert(sizeof(PictureData) == 168 && sizeof(TensorData) == 288 && sizeof(BatchNeeds) == 776);

// NVCVBorderType
inline int border_type(Border border) {
  switch (border) {
    case Border::zero:
      return 0;
    case Border::replicate:
      return 1;
    case Border::wrap:
      return 3;
    case Border::mirror:
      return 4;
  }
  return -1;
}

// Every function gives a status, and 0 if all went well. A size or an anchor is two numbers, x first.
struct Api {
  std::string missing;  // why it cannot be used; empty when it can
  int (*error)(char* text, std::int32_t bytes) = nullptr;
  int (*wrap_tensor)(const TensorData*, void (*)(void*, const TensorData*), void*, void** tensor) = nullptr;
  int (*drop_tensor)(void* tensor, int*) = nullptr;
  int (*wrap_picture)(const PictureData*, void (*)(void*, const PictureData*), void*, void** picture) = nullptr;
  int (*drop_picture)(void* picture, int*) = nullptr;
  int (*batch_needs)(std::int32_t capacity, BatchNeeds*) = nullptr;
  int (*make_batch)(const BatchNeeds*, void* allocator, void** batch) = nullptr;
  int (*push_pictures)(void* batch, void* const* pictures, std::int32_t count) = nullptr;
  int (*drop_batch)(void* batch, int*) = nullptr;
  int (*make_convolution)(void** made) = nullptr;
  int (*convolve)(void* made, void* stream, void* in_batch, void* out_batch, void* weights_batch, void* anchors,
                  int border) = nullptr;
  int (*make_gauss)(void** made, std::int32_t, std::int32_t, std::int32_t batch) = nullptr;
  int (*gauss)(void* made, void* stream, void* in, void* out, std::int32_t, std::int32_t, double sigma_x,
               double sigma_y, int border) = nullptr;
  int (*make_average)(void** made, std::int32_t, std::int32_t, std::int32_t batch) = nullptr;
  int (*average)(void* made, void* stream, void* in, void* out, std::int32_t, std::int32_t, std::int32_t anchor_x,
                 std::int32_t anchor_y, int border) = nullptr;
  void (*drop_operator)(void* made) = nullptr;
};

inline Api find() {
  const DynamicLibrary library({"libcvcuda.so.0", "libcvcuda.so", "libcvcuda-*.so.*"}, "cvcuda_cu1[2-9].libs");
  Api a;
  if (!library)
    a.missing =
        "CV-CUDA is not installed: install the Python wheel cvcuda-cu13 (cvcuda-cu12 for CUDA 12), or its Debian "
        "package cvcuda-lib";
  else if (!library.find("nvcvGetLastErrorMessage", a.error) ||
           !library.find("nvcvTensorWrapDataConstruct", a.wrap_tensor) ||
           !library.find("nvcvTensorDecRef", a.drop_tensor) ||
           !library.find("nvcvImageWrapDataConstruct", a.wrap_picture) ||
           !library.find("nvcvImageDecRef", a.drop_picture) ||
           !library.find("nvcvImageBatchVarShapeCalcRequirements", a.batch_needs) ||
           !library.find("nvcvImageBatchVarShapeConstruct", a.make_batch) ||
           !library.find("nvcvImageBatchVarShapePushImages", a.push_pictures) ||
           !library.find("nvcvImageBatchDecRef", a.drop_batch) ||
           !library.find("cvcudaConv2DCreate", a.make_convolution) ||
           !library.find("cvcudaConv2DVarShapeSubmit", a.convolve) ||
           !library.find("cvcudaGaussianCreate", a.make_gauss) || !library.find("cvcudaGaussianSubmit", a.gauss) ||
           !library.find("cvcudaAverageBlurCreate", a.make_average) ||
           !library.find("cvcudaAverageBlurSubmit", a.average) || !library.find("nvcvOperatorDestroy", a.drop_operator))
    a.missing = "the installed CV-CUDA lacks nvcvImageBatchDecRef or another function: version 0.3 or newer is needed";
  return a;
}
using Library = convoscope::Library<Api, find>;

inline const Api& api() { return Library::usable(); }

inline void check(int status, const char* what) {
  if (status == 0) return;
  char text[256] = {};
  api().error(text, sizeof text);
  throw Error(std::string("CV-CUDA: ") + what + " failed with status " + std::to_string(status) + ": " + text);
}

struct Drop {
  using pointer = void*;
  void (*drop)(void*) = nullptr;
  void operator()(void* made) const { drop(made); }
};
using Owned = std::unique_ptr<void, Drop>;

inline Owned wrap(const TensorData& data) {
  void* tensor = nullptr;
  check(api().wrap_tensor(&data, nullptr, nullptr, &tensor), "nvcvTensorWrapDataConstruct");
  return {tensor, {[](void* made) { api().drop_tensor(made, nullptr); }}};
}
inline Owned wrap(const PictureData& data) {
  void* picture = nullptr;
  check(api().wrap_picture(&data, nullptr, nullptr, &picture), "nvcvImageWrapDataConstruct");
  return {picture, {[](void* made) { api().drop_picture(made, nullptr); }}};
}
// Of one picture, which it keeps.
inline Owned batch_of(const PictureData& data) {
  BatchNeeds needs;
  void *made = nullptr, *picture = nullptr;
  check(api().batch_needs(1, &needs), "nvcvImageBatchVarShapeCalcRequirements");
  check(api().make_batch(&needs, nullptr, &made), "nvcvImageBatchVarShapeConstruct");
  Owned batch{made, {[](void* dropped) { api().drop_batch(dropped, nullptr); }}};
  const Owned wrapped = wrap(data);
  picture = wrapped.get();
  check(api().push_pictures(batch.get(), &picture, 1), "nvcvImageBatchVarShapePushImages");
  return batch;
}
template <class... Sizes>
Owned make_operator(int (*make)(void**, Sizes...), Sizes... sizes) {
  void* made = nullptr;
  check(make(&made, sizes...), "making an operator");
  return {made, {[](void* dropped) { api().drop_operator(dropped); }}};
}

}  // namespace convoscope::libcvcuda
