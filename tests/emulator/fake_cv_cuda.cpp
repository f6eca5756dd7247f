// Stands in for CV-CUDA, as its headers have it: correlates all channels of a picture, rounds to bytes, makes a
// Gaussian's weights from sigma. On the host, where the emulator's memory is.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/libraries/cv_cuda.h"

using convoscope::Border;
using convoscope::libcvcuda::BatchNeeds;
using convoscope::libcvcuda::PictureData;
using convoscope::libcvcuda::Plane;
using convoscope::libcvcuda::TensorData;

extern "C" int fake_cv_cuda_objects;
int fake_cv_cuda_objects = 0;

namespace {

constexpr int done = 0, refused = 2;

template <class T>
int make(T value, void** object) {
  ++fake_cv_cuda_objects;
  *object = new T(std::move(value));
  return done;
}
template <class T>
void drop(void* object) {
  if (object) --fake_cv_cuda_objects;
  delete static_cast<T*>(object);
}

struct Batch {
  std::vector<PictureData> pictures;
};
struct Operator {
  int width = 0, height = 0;
};

struct Weights {
  int width, height, anchor_x, anchor_y;
  std::vector<float> values;
};

template <class Element>
Element& element(const Plane& plane, int x, int y, int channels, int c) {
  return reinterpret_cast<Element*>(static_cast<char*>(plane.data) +
                                    static_cast<std::ptrdiff_t>(y) * plane.pitch)[x * channels + c];
}

template <class Element>
void correlate(const Plane& in, const Plane& out, int channels, const Weights& weights, Border border) {
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      for (int c = 0; c < channels; ++c) {
        float sum = 0;
        for (int j = 0; j < weights.height; ++j)
          for (int i = 0; i < weights.width; ++i) {
            const int row = convoscope::border_index(y + j - weights.anchor_y, in.height, border);
            const int column = convoscope::border_index(x + i - weights.anchor_x, in.width, border);
            if (row < 0 || column < 0) continue;
            sum += weights.values[static_cast<std::size_t>(j * weights.width + i)] *
                   static_cast<float>(element<Element>(in, column, row, channels, c));
          }
        element<Element>(out, x, y, channels, c) = sizeof(Element) == 1
                                                       ? static_cast<Element>(std::clamp(std::rint(sum), 0.0f, 255.0f))
                                                       : static_cast<Element>(sum);
      }
}

int correlate(const Plane& in, const Plane& out, bool bytes, const Weights& weights, int border_type) {
  // NVCV_BORDER_CONSTANT, REPLICATE, WRAP and REFLECT101
  constexpr std::pair<int, Border> known[] = {
      {0, Border::zero}, {1, Border::replicate}, {3, Border::wrap}, {4, Border::mirror}};
  for (const auto& [number, border] : known) {
    if (number != border_type) continue;
    bytes ? correlate<unsigned char>(in, out, 4, weights, border) : correlate<float>(in, out, 1, weights, border);
    return done;
  }
  return refused;
}

Plane plane_of(const TensorData& t) {
  return {static_cast<std::int32_t>(t.shape[2]), static_cast<std::int32_t>(t.shape[1]),
          static_cast<std::int32_t>(t.strides[1]), t.data};
}
int correlate(void* in, void* out, const Weights& weights, int border_type) {
  const auto &from = *static_cast<TensorData*>(in), &to = *static_cast<TensorData*>(out);
  const bool bytes = from.elements == convoscope::libcvcuda::u8_elements;
  return correlate(plane_of(from), plane_of(to), bytes, weights, border_type);
}

}  // namespace

extern "C" {
int nvcvGetLastErrorMessage(char* text, std::int32_t bytes) {
  std::strncpy(text, "it is only a stand-in", static_cast<std::size_t>(bytes));
  return refused;
}
int nvcvTensorWrapDataConstruct(const TensorData* data, void (*)(void*, const TensorData*), void*, void** tensor) {
  const bool packed = data->rank == 1 || (data->strides[3] * data->shape[3] == data->strides[2]);
  return packed && data->layout_rank == data->rank ? make(*data, tensor) : refused;
}
int nvcvTensorDecRef(void* tensor, int*) {
  drop<TensorData>(tensor);
  return done;
}
int nvcvImageWrapDataConstruct(const PictureData* data, void (*)(void*, const PictureData*), void*, void** picture) {
  return make(*data, picture);
}
int nvcvImageDecRef(void* picture, int*) {
  drop<PictureData>(picture);
  return done;
}
int nvcvImageBatchVarShapeCalcRequirements(std::int32_t capacity, BatchNeeds* needs) {
  needs->capacity = capacity;
  return done;
}
int nvcvImageBatchVarShapeConstruct(const BatchNeeds*, void*, void** batch) { return make(Batch{}, batch); }
int nvcvImageBatchVarShapePushImages(void* batch, void* const* pictures, std::int32_t count) {
  for (int i = 0; i < count; ++i)
    static_cast<Batch*>(batch)->pictures.push_back(*static_cast<PictureData*>(pictures[i]));
  return done;
}
int nvcvImageBatchDecRef(void* batch, int*) {
  drop<Batch>(batch);
  return done;
}
void nvcvOperatorDestroy(void* made) { drop<Operator>(made); }

int cvcudaConv2DCreate(void** made) { return make(Operator{}, made); }
int cvcudaConv2DVarShapeSubmit(void*, void*, void* in, void* out, void* kernels, void* anchors, int border) {
  const PictureData &from = static_cast<Batch*>(in)->pictures.at(0), &to = static_cast<Batch*>(out)->pictures.at(0),
                    &kernel = static_cast<Batch*>(kernels)->pictures.at(0);
  const auto* const anchor = static_cast<const int*>(static_cast<TensorData*>(anchors)->data);
  const Plane& plane = kernel.planes.plane[0];
  Weights weights{plane.width, plane.height, anchor[0], anchor[1], {}};
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) weights.values.push_back(element<float>(plane, x, y, 1, 0));
  const bool bytes = from.format == convoscope::libcvcuda::rgba8_pixels;
  return correlate(from.planes.plane[0], to.planes.plane[0], bytes, weights, border);
}

int cvcudaGaussianCreate(void** made, std::int32_t width, std::int32_t height, std::int32_t) {
  return make(Operator{width, height}, made);
}
int cvcudaGaussianSubmit(void* made, void*, void* in, void* out, std::int32_t width, std::int32_t height,
                         double sigma_x, double sigma_y, int border) {
  const auto& most = *static_cast<Operator*>(made);
  if (width > most.width || height > most.height || !(sigma_x > 0) || !(sigma_y > 0)) return refused;
  Weights weights{width, height, width / 2, height / 2, {}};
  float sum = 0;
  for (int y = -(height / 2); y <= height / 2; ++y)
    for (int x = -(width / 2); x <= width / 2; ++x) {
      const auto across = static_cast<float>(x / sigma_x), down = static_cast<float>(y / sigma_y);
      sum += weights.values.emplace_back(std::exp(-0.5f * (across * across + down * down)));
    }
  for (float& w : weights.values) w /= sum;
  return correlate(in, out, weights, border);
}

int cvcudaAverageBlurCreate(void** made, std::int32_t width, std::int32_t height, std::int32_t) {
  return make(Operator{width, height}, made);
}
int cvcudaAverageBlurSubmit(void*, void*, void* in, void* out, std::int32_t width, std::int32_t height,
                            std::int32_t anchor_x, std::int32_t anchor_y, int border) {
  const auto taps = static_cast<std::size_t>(width * height);
  const std::vector<float> values(taps, 1.0f / static_cast<float>(taps));
  return correlate(in, out, {width, height, anchor_x, anchor_y, values}, border);
}
}
