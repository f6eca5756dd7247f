// Pictures larger than their place on screen, against the tent filter computed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/gl/canvas.h"

namespace convoscope {
namespace {

using Source = std::function<double(int x, int y, int channel)>;  // 0…255

int channel_value(int x, int y, int channel) { return (x * 73 + y * 151 + channel * 37 + (x * y) % 89) % 256; }
Pixel pixel_of_noise(int x, int y) { return {channel_value(x, y, 0), channel_value(x, y, 1), channel_value(x, y, 2)}; }
Pixel other_noise(int x, int y) { return pixel_of_noise(y + 5, x); }
double noise_value(int x, int y, int channel) { return channel_value(x, y, channel); }

// The screen pixel `at` of an axis along which `size` source pixels take `shown` screen pixels.
struct Axis {
  Axis(double at, int size, double shown) {
    const double centre = (at + 0.5) * size / shown, reach = std::max(size / shown, 1.0);
    for (int i = std::max(static_cast<int>(centre - reach) - 1, 0); i < size && i < centre + reach + 1; ++i) {
      const double weight = 1 - std::abs(i + 0.5 - centre) / reach;
      if (weight <= 0) continue;
      if (weights.empty()) first = i;
      weights.push_back(weight);
      sum += weight;
    }
  }
  int first = 0;
  std::vector<double> weights;
  double sum = 0;
};

double tent(const Source& source, const Axis& across, const Axis& down, int channel) {
  double sum = 0;
  for (std::size_t y = 0; y < down.weights.size(); ++y)
    for (std::size_t x = 0; x < across.weights.size(); ++x)
      sum += across.weights[x] * down.weights[y] *
             source(across.first + static_cast<int>(x), down.first + static_cast<int>(y), channel);
  return sum / (across.sum * down.sum);
}

class ReductionTest : public GlTest {
 protected:
  static constexpr Pixel background{15, 17, 19};

  void SetUp() override {
    GlTest::SetUp();
    compositor_ = Compositor::make();
    composition_.area = {0, 0, width, height};
    for (std::size_t i = 0; i < 3; ++i) composition_.background[i] = static_cast<float>(background[i]) / 255;
    cuts_ = shown_below_the_truth() > 0.25;
  }
  void TearDown() override {
    compositor_.reset();
    GlTest::TearDown();
  }
  // Of a picture that is magnified, so interpolated by the hardware alone, how far it is below on average: nothing
  // where the hardware rounds.
  double shown_below_the_truth() {
    const Picture small(200, 125, pixel_of_noise);
    const Shot shot = draw({small.pane});
    double below = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        below += tent(noise_value, Axis(x, 200, width), Axis(y, 125, height), 0) - shot.at(x, y)[0];
    return below / (width * height);
  }
  Shot draw(std::vector<PaneTexture> panes) {
    compositor_->draw(panes, composition_);
    return shoot();
  }

  // Every screen pixel of `visible` is the tent's, to the next code value, where the picture is, and background around.
  void expect_tent(const Shot& shot, const PaneTexture& pane, const Source& source, const Rectangle& place,
                   const Rectangle& visible) const {
    const Rectangle at = picture_rectangle(place, composition_, pane.width, pane.height);
    std::vector<Axis> columns;
    for (int x = 0; x < static_cast<int>(visible.width); ++x)
      columns.emplace_back(visible.x + static_cast<float>(x) - at.x, pane.width, at.width);
    // The hardware interpolates with fractions of 8 bits; where few fetches make a screen pixel that shows. One that
    // cuts them and what it reads off is off by a code value along each axis and one more, by half of that on average.
    const double tolerance = cuts_ ? 3 : pane.width > 2 * at.width ? 1.5 : 2.5;
    double errors = 0;
    for (int y = 0; y < static_cast<int>(visible.height); ++y) {
      const float from_top = visible.y + static_cast<float>(y) - at.y;
      const Axis row(from_top, pane.height, at.height);
      for (int x = 0; x < static_cast<int>(visible.width); ++x) {
        const float from_left = visible.x + static_cast<float>(x) - at.x;
        const bool inside = from_left >= 0 && from_left < at.width && from_top >= 0 && from_top < at.height;
        const Pixel shown = shot.at(static_cast<int>(visible.x) + x, static_cast<int>(visible.y) + y);
        for (int channel = 0; channel < 3; ++channel) {
          const auto c = static_cast<std::size_t>(channel);
          const double wanted =
              inside ? tent(source, columns[static_cast<std::size_t>(x)], row, channel) : background[c];
          const double error = shown[c] - std::clamp(wanted, 0.0, 255.0);
          ASSERT_LT(std::abs(error), inside ? tolerance : 0.01) << visible.x + x << ", " << visible.y + y;
          errors += std::abs(error);
        }
      }
    }
    EXPECT_LT(errors / (3.0 * visible.width * visible.height), cuts_ ? 1.5 : 0.5);
  }
  void expect_tent(const Shot& shot, const PaneTexture& pane, const Source& source) const {
    expect_tent(shot, pane, source, composition_.area, composition_.area);
  }

  std::unique_ptr<Compositor> compositor_;
  Composition composition_;
  bool cuts_ = false;
};

TEST_F(ReductionTest, IsTheTentFilterHoweverFarItGoes) {
  for (const auto& [w, h] : {std::pair{323, 203}, {400, 250}, {481, 301}, {640, 400}, {991, 617}, {2400, 1500}}) {
    SCOPED_TRACE(w);
    const Picture picture(w, h, pixel_of_noise);
    expect_tent(draw({picture.pane}), picture.pane, noise_value);
  }
}

TEST_F(ReductionTest, ToAFewScreenPixels) {
  const Picture picture(640, 400, pixel_of_noise);
  composition_.zoom.scale = 0.01;  // 3 × 2
  expect_tent(draw({picture.pane}), picture.pane, noise_value);
}

TEST_F(ReductionTest, ReducesOnlyTheAxisThatNeedsIt) {
  const Picture wide(1500, 100, pixel_of_noise), tall(100, 900, pixel_of_noise);
  composition_.pixel_aspect = 0.15;
  expect_tent(draw({wide.pane}), wide.pane, noise_value);
  composition_.pixel_aspect = 12;
  expect_tent(draw({tall.pane}), tall.pane, noise_value);
}

TEST_F(ReductionTest, OfAPictureThatReachesBeyondItsPane) {
  const Picture picture(1703, 1101, pixel_of_noise);
  composition_.area = {31, 17, 201, 129};
  for (const auto& [x, y] : {std::pair{0.5, 0.5}, {0.0, 0.1}, {1.0, 0.9}}) {
    composition_.zoom = {.scale = 2.5, .centre_x = x, .centre_y = y};
    const Shot shot = draw({picture.pane});
    expect_tent(shot, picture.pane, noise_value);
    for (const auto& [column, row] : {std::pair{30, 80}, {232, 80}, {100, 16}, {100, 146}})
      EXPECT_EQ(shot.at(column, row), background) << column << ", " << row;
  }
}

TEST_F(ReductionTest, OfEveryPaneOfAGrid) {
  const Picture a(700, 500, pixel_of_noise), b(700, 500, other_noise);
  const Source source_b = [](int x, int y, int channel) { return channel_value(y + 5, x, channel); };
  composition_.view = View::grid;
  for (std::size_t i = 0; i < 3; ++i) composition_.accent[i] = composition_.background[i];
  for (const double scale : {1.0, 0.8, 1.3}) {
    composition_.zoom.scale = scale;
    const Shot shot = draw({a.pane, b.pane, a.pane, b.pane});
    for (int i = 1; i < 4; ++i) {  // the first one has the frame
      const Rectangle cell = pane_rectangle(composition_, i, 4);
      expect_tent(shot, a.pane, i % 2 ? source_b : noise_value, cell, cell);
    }
  }
}

TEST_F(ReductionTest, OfBothSidesOfTheWipe) {
  const Picture a(700, 500, pixel_of_noise), b(1400, 1000, other_noise);
  const Source source_b = [](int x, int y, int channel) { return channel_value(y + 5, x, channel); };
  composition_.view = View::split;
  const Shot shot = draw({a.pane, b.pane});
  expect_tent(shot, a.pane, noise_value, composition_.area, {0, 0, 158, 200});
  expect_tent(shot, b.pane, source_b, composition_.area, {162, 0, 158, 200});
}

TEST_F(ReductionTest, BesideAPaneThatIsNotReduced) {
  const Picture a(700, 500, pixel_of_noise), b(157, 97, pixel_of_noise);
  composition_.view = View::grid;
  const Shot shot = draw({b.pane, a.pane, b.pane, a.pane});
  for (const int i : {1, 3}) {
    const Rectangle cell = pane_rectangle(composition_, i, 4);
    expect_tent(shot, a.pane, noise_value, cell, cell);
  }
  const Rectangle exact = pane_rectangle(composition_, 2, 4);
  for (int y = 0; y < 97; ++y)
    for (int x = 0; x < 157; ++x)
      ASSERT_EQ(shot.at(static_cast<int>(exact.x) + x, static_cast<int>(exact.y) + y), pixel_of_noise(x, y))
          << x << ", " << y;
}

TEST_F(ReductionTest, OfADifferenceComesAfterTheDifference) {
  composition_.view = View::difference;
  composition_.difference.gain = 3;
  const Source source = [](int x, int y, int channel) {
    return std::min(3 * std::abs(channel_value(x, y, channel) - channel_value(y + 5, x, channel)), 255);
  };
  for (const auto& [w, h] : {std::pair{330, 206}, {701, 499}}) {
    SCOPED_TRACE(w);
    const Picture a(w, h, pixel_of_noise), b(w, h, other_noise);
    expect_tent(draw({a.pane, b.pane}), a.pane, source);
  }
}

TEST_F(ReductionTest, OfGray) {
  constexpr int columns = 700, rows = 500;
  const auto gray = [](int x, int y) {
    return static_cast<float>(channel_value(x, y, 0)) / 200 - 0.1f;
  };  // beyond 0…1 too
  std::vector<float> values;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) values.push_back(gray(x, y));
  const gl::Texture texture = gl::make_texture();
  glTextureStorage2D(texture.get(), 1, GL_R32F, columns, rows);
  glTextureSubImage2D(texture.get(), 0, 0, 0, columns, rows, GL_RED, GL_FLOAT, values.data());
  const GLint shown_as_gray[] = {GL_RED, GL_RED, GL_RED, GL_ONE};
  glTextureParameteriv(texture.get(), GL_TEXTURE_SWIZZLE_RGBA, shown_as_gray);
  const PaneTexture pane{texture.get(), columns, rows, PixelFormat::gray32f};
  const Source source = [&](int x, int y, int) { return 255.0 * static_cast<double>(gray(x, y)); };
  expect_tent(draw({pane}), pane, source);
}

TEST_F(ReductionTest, FollowsTheSizeOfTheFramebuffer) {
  const Picture picture(1703, 1101, pixel_of_noise);
  draw({picture.pane});
  for (const auto& [w, h] : {std::pair{501, 303}, {120, 90}}) {
    context_->set_size(w, h);
    context_->begin_ui_frame();
    composition_.area = {0, 0, static_cast<float>(w), static_cast<float>(h)};
    expect_tent(draw({picture.pane}), picture.pane, noise_value);
  }
}

TEST_F(ReductionTest, LeavesNoImageBehind) {
  const Picture picture(1000, 800, pixel_of_noise);
  draw({picture.pane});
  GLint name = -1;
  glGetIntegeri_v(GL_IMAGE_BINDING_NAME, 0, &name);
  EXPECT_EQ(name, 0);
  EXPECT_FALSE(glIsEnabled(GL_SCISSOR_TEST));
}

}  // namespace
}  // namespace convoscope
