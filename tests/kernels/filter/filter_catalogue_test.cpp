#include "kernels/filter/filter_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Filter filter(const std::string& spec) { return parse_filter(spec).filter; }

std::string error(const std::string& spec) {
  return error_of([&] { parse_filter(spec); });
}

double sum(const Filter& f) {
  double total = 0;
  for (const float w : f.weights) total += w;
  return total;
}

float at(const Filter& f, int dx, int dy) { return f.weights[(dy + f.ry()) * f.width + dx + f.rx()]; }

TEST(Catalogue, HasEveryFilterOfTheDesign) {
  for (const char* id : {"identity",
                         "box",
                         "gaussian",
                         "sharpen",
                         "unsharp",
                         "sobel-x",
                         "sobel-y",
                         "scharr-x",
                         "scharr-y",
                         "prewitt-x",
                         "prewitt-y",
                         "laplacian",
                         "log",
                         "emboss",
                         "motion",
                         "disk",
                         "binomial",
                         "custom",
                         "sobel-magnitude",
                         "scharr-magnitude",
                         "prewitt-magnitude"})
    EXPECT_NE(find_filter_kind(id), nullptr) << id;
  EXPECT_EQ(find_filter_kind("nothing"), nullptr);
}

TEST(Catalogue, EntriesAreWhole) {
  std::set<std::string_view> ids;
  for (const FilterKind& kind : filter_kinds()) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
    EXPECT_FALSE(kind.title.empty());
    EXPECT_TRUE(kind.idea.ends_with('.')) << kind.id;
    for (const FilterParameter& p : kind.parameters) {
      EXPECT_TRUE(p.minimum <= p.initial && p.initial <= p.maximum) << kind.id << " " << p.id;
      EXPECT_GT(p.step, 0);
    }
  }
}

// The corners of what a slider can reach are filters too.
TEST(Catalogue, EveryParameterWorksAtItsEnds) {
  for (const FilterKind& kind : filter_kinds()) {
    const std::size_t count = kind.parameters.size();
    for (unsigned corner = 0; corner < 1u << count; ++corner) {
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i)
        values.push_back(corner >> i & 1 ? kind.parameters[i].maximum : kind.parameters[i].minimum);
      EXPECT_NO_THROW(validate(kind.make(values))) << kind.id << " corner " << corner;
    }
  }
}

TEST(Catalogue, SmoothingFiltersSumToOne) {
  for (const char* spec :
       {"identity", "box", "gaussian", "binomial", "disk", "motion", "sharpen:amount=3", "unsharp:amount=2",
        "emboss:strength=2", "gaussian:radius=63", "gaussian:radius=2,sigma=0.001", "motion:length=127,angle=37",
        "disk:radius=0.5", "binomial:radius=63"})
    EXPECT_NEAR(sum(filter(spec)), 1, 1e-5) << spec;
}

TEST(Catalogue, DerivativesSumToZeroAndShowZeroAsGrey) {
  for (const char* spec : {"sobel-x", "sobel-y", "scharr-x", "scharr-y", "prewitt-x", "prewitt-y", "laplacian",
                           "laplacian:neighbours=8", "log", "log:radius=12,sigma=2.5"}) {
    EXPECT_NEAR(sum(filter(spec)), 0, 1e-6) << spec;
    EXPECT_EQ(filter(spec).bias, 0.5f) << spec;
  }
}

// A vertical or horizontal step edge answers with its own height, whichever filter shows it.
TEST(Catalogue, TheGainOfDerivativesMakesAStepItsOwnHeight) {
  for (const char* spec : {"sobel-x", "sobel-y", "scharr-x", "scharr-y", "prewitt-x", "prewitt-y", "laplacian",
                           "laplacian:neighbours=8", "log"}) {
    const Filter f = filter(spec);
    double largest = 0, left = 0, above = 0;
    for (int i = -f.rx(); i <= f.rx(); ++i) {
      for (int j = -f.ry(); j <= f.ry(); ++j) left += at(f, i, j), above += at(f, j, i);
      largest = std::max({largest, std::abs(left), std::abs(above)});
    }
    EXPECT_NEAR(f.gain * largest, 1, 1e-5) << spec;
  }
}

TEST(Catalogue, KnownWeights) {
  EXPECT_EQ(matrix_text(filter("identity")), "1");
  EXPECT_EQ(matrix_text(filter("sharpen")), "0 -1 0; -1 5 -1; 0 -1 0");
  EXPECT_EQ(matrix_text(filter("sobel-x")), "-1 0 1; -2 0 2; -1 0 1");
  EXPECT_EQ(matrix_text(filter("sobel-y")), "-1 -2 -1; 0 0 0; 1 2 1");
  EXPECT_EQ(matrix_text(filter("scharr-x")), "-3 0 3; -10 0 10; -3 0 3");
  EXPECT_EQ(matrix_text(filter("prewitt-y")), "-1 -1 -1; 0 0 0; 1 1 1");
  EXPECT_EQ(matrix_text(filter("laplacian")), "0 1 0; 1 -4 1; 0 1 0");
  EXPECT_EQ(matrix_text(filter("laplacian:neighbours=8")), "1 1 1; 1 -8 1; 1 1 1");
  EXPECT_EQ(matrix_text(filter("custom:rx=1,ry=0")), "0 1 0");
  EXPECT_EQ(at(filter("binomial:radius=2"), 0, 0), 36.0f / 256);
  EXPECT_EQ(at(filter("binomial:radius=2"), -2, 1), 4.0f / 256);
  EXPECT_EQ(at(filter("box:radius=1"), 1, 1), 1.0f / 9);
}

TEST(Catalogue, MagnitudeIsTwoFilters) {
  const Filter f = filter("sobel-magnitude");
  EXPECT_EQ(f.weights, filter("sobel-x").weights);
  EXPECT_EQ(f.weights_y, filter("sobel-y").weights);
  EXPECT_EQ(f.bias, 0);
  EXPECT_EQ(f.gain, 0.25f);
}

TEST(Catalogue, BoxMayBeAnyRectangle) {
  const Filter f = filter("box:rx=4,ry=1");
  EXPECT_EQ(f.width, 9);
  EXPECT_EQ(f.height, 3);
  EXPECT_EQ(filter("box:radius=3,ry=0").width, 7);
  EXPECT_EQ(filter("box:radius=3,ry=0").height, 1);
}

TEST(Catalogue, GaussianFollowsItsFormula) {
  const Filter f = filter("gaussian:radius=8,sigma=3");
  EXPECT_EQ(f.width, 17);
  EXPECT_NEAR(at(f, 3, -2) / at(f, 0, 0), std::exp(-(9 + 4) / 18.0), 1e-6);
  EXPECT_EQ(filter("gaussian:radius=8").weights, filter("gaussian:radius=8,sigma=4").weights);
}

// As cv2.getGaussianKernel(2 r + 1, 0, CV_64F) of OpenCV 4.14.0 and 5.0.0 printed them, from the middle.
TEST(Catalogue, SigmaOfOpenCvIsWhatOpenCvTakes) {
  const std::vector<std::vector<double>> printed{{1.0},
                                                 {0.5, 0.25},
                                                 {0.375, 0.25, 0.0625},
                                                 {0.28125, 0.21875, 0.109375, 0.03125},
                                                 {0.234375, 0.19921875, 0.1171875, 0.05078125, 0.015625},
                                                 {0.20056541423882085, 0.1769983568313557, 0.12164907301380962,
                                                  0.06511405659938269, 0.027143577143479373, 0.008812229292562288}};
  for (int radius = 0; radius < static_cast<int>(printed.size()); ++radius) {
    const Filter opencv = parse_filter("gaussian:sigma=opencv,radius=" + std::to_string(radius)).filter;
    ASSERT_EQ(opencv.rx(), radius);
    const std::vector<double>& half = printed[static_cast<std::size_t>(radius)];
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x)
        EXPECT_FLOAT_EQ(at(opencv, x, y), static_cast<float>(half[static_cast<std::size_t>(std::abs(x))] *
                                                             half[static_cast<std::size_t>(std::abs(y))]))
            << radius;
  }
  const FilterSpec spec = parse_filter("gaussian:sigma=opencv,radius=3");
  EXPECT_EQ(spec_text(spec), "gaussian:radius=3,sigma=opencv");
  EXPECT_EQ(parse_filter(spec_text(spec)), spec);
  EXPECT_EQ(spec_text(parse_filter("unsharp:sigma=opencv")), "unsharp:sigma=opencv");
  EXPECT_THROW(parse_filter("gaussian:sigma=-1"), Error) << "is how it is kept, not how it is written";
  EXPECT_THROW(parse_filter("log:sigma=opencv"), Error) << "OpenCV has none";
  EXPECT_THROW(parse_filter("gaussian:radius=opencv"), Error);
}

TEST(Catalogue, MotionRunsAlongItsAngle) {
  const Filter flat = filter("motion:length=9,angle=0");
  EXPECT_EQ(flat.width, 9);
  EXPECT_EQ(flat.height, 1);
  const Filter upright = filter("motion:length=9,angle=90");
  EXPECT_EQ(upright.width, 1);
  EXPECT_EQ(upright.height, 9);
  const Filter rising = filter("motion:length=9,angle=45");  // counter-clockwise: to the right and up
  EXPECT_GT(at(rising, 2, -2), 0.05f);
  EXPECT_EQ(at(rising, 2, 2), 0);
  EXPECT_EQ(matrix_text(filter("motion:length=1,angle=30")), "1");
}

TEST(Catalogue, DiskIsRoundWithSoftRims) {
  const Filter f = filter("disk:radius=2.5");
  EXPECT_EQ(f.width, 5);
  EXPECT_EQ(at(f, 2, 0), at(f, 0, 2));
  EXPECT_EQ(at(f, 1, 1), at(f, 0, 0));
  EXPECT_GT(at(f, 2, 2), -1e-9f);
  EXPECT_LT(at(f, 2, 2), 0.5f * at(f, 0, 0));
}

TEST(ParseFilter, ReadsKindsWithParameters) {
  const FilterSpec spec = parse_filter(" gaussian : radius = 8 , sigma=3 ");
  EXPECT_EQ(spec.kind, "gaussian");
  EXPECT_EQ(spec.values, (std::vector<double>{8, 3}));
  EXPECT_EQ(spec.filter.name, "gaussian:radius=8,sigma=3");
  EXPECT_EQ(parse_filter("gaussian:").filter, filter("gaussian"));
}

TEST(ParseFilter, GainBiasAndAbsoluteForAll) {
  const Filter f = filter("sobel-x:gain=2,bias=-1/4,absolute=1");
  EXPECT_EQ(f.gain, 2);
  EXPECT_EQ(f.bias, -0.25f);
  EXPECT_TRUE(f.absolute);
  EXPECT_FALSE(filter("sobel-x:absolute=off").absolute);
  const Filter matrix = filter("0 -1 0; -1 5 -1; 0 -1 0 : gain=0.5");
  EXPECT_EQ(matrix.gain, 0.5f);
  EXPECT_EQ(matrix.width, 3);
}

TEST(ParseFilter, ReadsMatrices) {
  EXPECT_EQ(parse_filter("0 -1 0; -1 5 -1; 0 -1 0").kind, "custom");
  EXPECT_EQ(parse_filter("1").filter.weights, (std::vector<float>{1}));
  EXPECT_EQ(parse_filter("-1,0,1").filter.width, 3);
  EXPECT_EQ(parse_filter("1/4 1/2 1/4").filter.weights[0], 0.25f);
  EXPECT_EQ(parse_filter("1 2 3").values, (std::vector<double>{1, 0}));
  const Filter magnitude = filter("-1 0 1 | 1 2 1");
  EXPECT_EQ(magnitude.weights_y, (std::vector<float>{1, 2, 1}));
}

TEST(ParseFilter, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(error(""), HasSubstr("empty"));
  EXPECT_THAT(error("gausian"), AllOf(HasSubstr("'gausian'"), HasSubstr("'gaussian'")));
  EXPECT_THAT(error("sobelx"), HasSubstr("'sobel-x'"));
  EXPECT_THAT(error("Box:radius=2"), HasSubstr("'box'"));
  EXPECT_THAT(error("magnitude"), HasSubstr("-magnitude'"));
  EXPECT_THAT(error("gaussian:radius=200"),
              AllOf(HasSubstr("radius"), HasSubstr("200"), HasSubstr("between 0 and 63")));
  EXPECT_THAT(error("gaussian:radius=-1"), HasSubstr("between 0 and 63"));
  EXPECT_THAT(error("gaussian:radius=3,radius=5"), HasSubstr("has 'radius' twice"));
  EXPECT_THAT(error("gaussian:radius=2.5"), HasSubstr("whole number"));
  EXPECT_THAT(error("gaussian:radius=x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(error("gaussian:radius="), HasSubstr("missing"));
  EXPECT_THAT(error("gaussian:radius=nan"), HasSubstr("NaN"));
  EXPECT_THAT(error("gaussian:sigma=inf"), HasSubstr("infinite"));
  EXPECT_THAT(error("gaussian:sigma=1e999"), HasSubstr("1e999"));
  EXPECT_THAT(error("gaussian:size=3"),
              AllOf(HasSubstr("'size'"), HasSubstr("radius, sigma, gain, bias and absolute")));
  EXPECT_THAT(error("identity:radius=3"), HasSubstr("it takes gain, bias and absolute"));
  EXPECT_THAT(error("gaussian:3"), HasSubstr("'3'"));
  EXPECT_THAT(error("gaussian:radius=3,,sigma=1"), HasSubstr("empty parameter"));
  EXPECT_THAT(error("laplacian:neighbours=5"),
              HasSubstr("The parameter 'neighbours' of the filter 'laplacian' is 5; it must be 4 or 8"));
  EXPECT_THAT(error("laplacian:neighbours=12"), HasSubstr("it must be 4 or 8"));
  EXPECT_THAT(error("box:absolute=maybe"), HasSubstr("'maybe'"));
  EXPECT_THAT(error("box:gain=1e60"), HasSubstr("float32"));
  EXPECT_THAT(error("1 2 3; 4 5"), HasSubstr("Row 2"));
  EXPECT_THAT(error("1 2; 3 4"), HasSubstr("odd"));
  EXPECT_THAT(error("nan 1 2; 3 4 5; 6 7 8"), HasSubstr("NaN"));
  EXPECT_THAT(error("nan 1 0"), HasSubstr("'nan' is NaN"));
  EXPECT_THAT(error("inf, 1, 0"), HasSubstr("infinite"));
  EXPECT_THAT(error("nan"), HasSubstr("There is no filter")) << "a name of its own";
  EXPECT_THAT(error("1 2 3 : radius=2"), HasSubstr("'radius'"));
  EXPECT_THAT(error("1 | 2 | 3"), HasSubstr("3 matrices"));
  EXPECT_THAT(error("1 | 1 2 3"), HasSubstr("same size"));
  EXPECT_THAT(error("/no/such/filter.json"), HasSubstr("no such file"));
  EXPECT_THAT(error("no/such/file"), HasSubstr("no such file"));
  EXPECT_LT(error(std::string(100000, 'z')).size(), 400u);
}

TEST(SpecText, ReadsBack) {
  for (const FilterKind& kind : filter_kinds()) {
    if (kind.id == "custom") continue;
    std::string text(kind.id);
    const FilterSpec plain = parse_filter(text);
    EXPECT_EQ(spec_text(plain), text);
    for (const FilterParameter& p : kind.parameters) {
      const FilterSpec spec = parse_filter(text + ":" + std::string(p.id) + "=" +
                                           std::to_string(static_cast<int>(p.maximum)) + ",gain=0.1,absolute=1");
      const FilterSpec again = parse_filter(spec_text(spec));
      EXPECT_EQ(again.kind, spec.kind);
      EXPECT_EQ(again.values, spec.values);
      EXPECT_EQ(again.filter, spec.filter) << spec_text(spec);
    }
  }
  for (const char* text : {"0 -1 0; -1 5 -1; 0 -1 0:gain=0.5,bias=0.25", "-1 0 1 | 1 2 1:absolute=1", "custom:rx=2"})
    EXPECT_EQ(parse_filter(spec_text(parse_filter(text))).filter.weights, parse_filter(text).filter.weights) << text;
}

TEST(NamedText, SaysTheNameThatWeightsHave) {
  EXPECT_EQ(named_text(parse_filter("gaussian:radius=2")), "gaussian:radius=2");
  EXPECT_EQ(named_text(parse_filter("0 -1 0; -1 5 -1; 0 -1 0")), "sharpen (0 -1 0; -1 5 -1; 0 -1 0)");
  EXPECT_EQ(named_text(parse_filter("0 -1 0; -1 6 -1; 0 -1 0")), "0 -1 0; -1 6 -1; 0 -1 0");
  FilterSpec own = parse_filter("0.25 0.5 0.25");
  own.filter.name = "my\nsoft one";
  EXPECT_EQ(named_text(own), "my soft one (0.25 0.5 0.25)");
  own.filter.name = "gaussian:radius=1";
  EXPECT_EQ(named_text(own), "custom, from gaussian:radius=1 (0.25 0.5 0.25)") << "the window has edited it";
}

}  // namespace
}  // namespace convoscope
