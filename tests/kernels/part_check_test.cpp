// Parts of outputs: their reference is that of the whole, from what lies under them and around.
#include "kernels/check/part_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/kinds/layer.h"
#include "kernels/kinds/volume.h"

namespace convoscope {
namespace {

struct Values {
  explicit Values(const Shape& shape)
      : bytes(shape.bytes()), tensor(tensor_of_rows(bytes.data(), shape, shape.row_bytes())) {}
  Values(const Values&) = delete;
  Values(Values&&) = default;
  std::vector<unsigned char> bytes;
  Tensor tensor;
};

Values random_values(const Shape& shape, unsigned seed) {
  Values values(shape);
  std::minstd_rand random(seed);
  for (std::size_t i = 0; i < shape.elements(); ++i) {
    const auto colour = static_cast<std::uint32_t>(random());
    const float number = static_cast<float>(random() >> 8 & 1023) / 512.0f - 1.0f;
    std::memcpy(&values.bytes[4 * i], shape.element == Element::rgba8 ? static_cast<const void*>(&colour) : &number, 4);
  }
  return values;
}

// What Kind::sources() asks for, with what the border puts outside.
Values cut(const Tensor& input, const PlaneArea& source, Border border) {
  Values values({{1, 1, 1, source.area.height, source.area.width}, input.shape.element});
  const Image from = plane_of(input, source.plane), to = rows_of(values.tensor);
  const auto pixel = [](const Image& image, int x, int y) {
    return static_cast<char*>(image.data) + static_cast<std::size_t>(y) * image.pitch + 4 * x;
  };
  for (int j = 0; j < to.height; ++j)
    for (int i = 0; i < to.width; ++i) {
      const int x = border_index(source.area.x + i, from.width, border);
      const int y = border_index(source.area.y + j, from.height, border);
      if (x >= 0 && y >= 0) std::memcpy(pixel(to, i, j), pixel(from, x, y), 4);
    }
  return values;
}

class Parts {
 public:
  explicit Parts(const Problem& problem) : problem_(problem), out_(problem.kind->outputs(problem)[0]) {
    for (const Shape& shape : problem.kind->inputs(problem)) {
      in_.push_back(random_values(shape, static_cast<unsigned>(in_.size()) + 1));
      tensors_.push_back(in_.back().tensor);
    }
    whole_ = problem.kind->reference(problem, tensors_);
  }

  // Corners, a single output, the whole plane, and places anywhere: in every plane.
  std::vector<PlaneArea> areas() {
    std::vector<PlaneArea> parts;
    const int width = out_.width(), height = out_.height();
    for (int plane = 0; plane < out_.planes(); ++plane) {
      const auto add = [&](int x, int y, int w, int h) {
        const PixelArea area = clipped({x, y, w, h}, width, height);
        if (!area.empty()) parts.push_back({0, plane, area});
      };
      for (const int x : {0, std::max(width - 3, 0)})
        for (const int y : {0, std::max(height - 2, 0)}) add(x, y, 3, 2);
      add(width / 2, height / 2, 1, 1);
      add(0, 0, width, height);
      for (int i = 0; i < 4; ++i) add(within(width), within(height), 1 + within(5), 1 + within(5));
    }
    return parts;
  }

  std::vector<double> of(const PlaneArea& part) {
    std::vector<double> values;
    const int depth = channels(problem_.format);
    for (int y = part.area.y; y < part.area.y + part.area.height; ++y)
      for (int x = part.area.x; x < part.area.x + part.area.width; ++x)
        for (int c = 0; c < depth; ++c)
          values.push_back(
              whole_[index(part.plane, x, y) * static_cast<std::size_t>(depth) + static_cast<std::size_t>(c)]);
    return values;
  }
  std::vector<Tensor> sources(const PlaneArea& part) {
    std::vector<Tensor> tensors;
    cut_.clear();
    for (const PlaneArea& source : problem_.kind->sources(problem_, part)) {
      cut_.push_back(cut(tensors_[static_cast<std::size_t>(source.tensor)], source, problem_.border));
      tensors.push_back(cut_.back().tensor);
    }
    return tensors;
  }

  // The reference as a strategy would have stored it, with the alphas of the input in the middle.
  Values output(const PlaneArea& part) {
    Values out({{1, 1, 1, part.area.height, part.area.width}, out_.element});
    const std::vector<double> expected = of(part);
    const Image alphas = rows_of(tensors_[tensors_.size() / 2]);
    for (std::size_t i = 0; i < out.bytes.size() / 4; ++i)
      if (out_.element == Element::f32) {
        const auto value = static_cast<float>(expected[i]);
        std::memcpy(&out.bytes[4 * i], &value, 4);
      } else {
        for (std::size_t c = 0; c < 3; ++c)
          out.bytes[4 * i + c] = static_cast<unsigned char>(std::lround(expected[3 * i + c]));
        const std::size_t x = static_cast<std::size_t>(part.area.x) + i % static_cast<std::size_t>(part.area.width);
        const std::size_t y = static_cast<std::size_t>(part.area.y) + i / static_cast<std::size_t>(part.area.width);
        out.bytes[4 * i + 3] = static_cast<const unsigned char*>(alphas.data)[y * alphas.pitch + 4 * x + 3];
      }
    return out;
  }

 private:
  std::size_t index(int plane, int x, int y) const {
    return (static_cast<std::size_t>(plane) * static_cast<std::size_t>(out_.height()) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(out_.width()) +
           static_cast<std::size_t>(x);
  }
  int within(int count) { return static_cast<int>((random_() >> 4) % static_cast<unsigned>(count)); }

  const Problem& problem_;
  const Shape out_;
  std::vector<Values> in_, cut_;
  std::vector<Tensor> tensors_;
  std::vector<double> whole_;
  std::minstd_rand random_{7};
};

class PartsOfEveryKind : public testing::TestWithParam<const Kind*> {};

TEST_P(PartsOfEveryKind, HaveTheReferenceOfTheWhole) {
  int problems = 0;
  for (const Case& one : GetParam()->cases({.small = true, .filters = {}})) {
    const Problem& problem = one.problem;
    if (!number_format(problem.layer).empty()) continue;  // looked at as float32 in planes
    if (problem.layer.pass != Pass::forward) {
      EXPECT_TRUE(GetParam()->sources(problem, {0, 0, {0, 0, 1, 1}}).empty());
      continue;
    }
    if (problem.filter.taps() > 3000) continue;  // slow, and nothing new
    ++problems;
    Parts parts(problem);
    for (const PlaneArea& part : parts.areas()) {
      const std::vector<Tensor> sources = parts.sources(part);
      ASSERT_EQ(GetParam()->reference_of_part(problem, part, sources), parts.of(part))
          << GetParam()->describe(problem) << ", " << problem.filter.name << ", " << to_string(problem.border)
          << ", plane " << part.plane << ", " << part.area.width << " × " << part.area.height << " at " << part.area.x
          << ", " << part.area.y;
    }
  }
  EXPECT_GT(problems, 15);
}

TEST_P(PartsOfEveryKind, SayWhereTheirWorstErrorIsInTheWhole) {
  for (const Case& one : GetParam()->cases({.small = true, .filters = {}})) {
    const Problem& problem = one.problem;
    if (problem.layer.pass != Pass::forward || !number_format(problem.layer).empty() || problem.filter.taps() > 100)
      continue;
    Parts parts(problem);
    const PlaneArea part = parts.areas().back();  // of the last plane
    Values out = parts.output(part);
    const std::vector<Tensor> sources = parts.sources(part);
    EXPECT_LT(compare_part(problem, part, sources, out.tensor).max_error, 1e-3);
    const bool colours = problem.format == PixelFormat::rgba8;
    unsigned char* const last = &out.bytes[out.bytes.size() - 4];
    if (colours)
      last[3] ^= 0x10;  // the alpha
    else
      reinterpret_cast<float&>(*last) += 1000;
    const Difference worst = compare_part(problem, part, sources, out.tensor);
    EXPECT_EQ(worst.x, part.area.x + part.area.width - 1);
    EXPECT_EQ(worst.y, part.area.y + part.area.height - 1);
    EXPECT_EQ(worst.channel, colours ? 3 : part.plane);
    EXPECT_GT(worst.max_error, 200);
  }
}

INSTANTIATE_TEST_SUITE_P(Book, PartsOfEveryKind, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param->id); });

TEST(Parts, NeedNoMoreThanWhatTheirMapSees) {
  const Problem problem = layer_problem("2,4,9,10,6,3,groups=2,padding=1,stride=2,dilation=2", Pass::forward);
  const std::vector<PlaneArea> sources = layer_kind.sources(problem, {0, 6 + 4, {1, 0, 2, 3}});
  ASSERT_EQ(sources.size(), 2u);  // of the second sample the second group's channels
  EXPECT_EQ(sources[0].plane, 4 + 2);
  EXPECT_EQ(sources[1].plane, 4 + 3);
  EXPECT_EQ(sources[0].area, (PixelArea{1, -1, 7, 9}));
}

}  // namespace
}  // namespace convoscope
