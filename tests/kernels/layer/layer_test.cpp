// Layers: the index maps, the reference against finite differences, what is refused, what strategies say of themselves.
#include "kernels/kinds/layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <set>

#include "kernels/check/verify.h"
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/kinds/frames.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& emulated_layer_strategy(const char* id) { return *find_strategy(Backend::emulated, id, layer_kind); }
Cost cost_of(const char* id, const std::string& shape, Pass pass, const Tuning& tuning = {}) {
  return emulated_layer_strategy(id).model(layer_problem(shape, pass), tuning);
}
std::string refusal(const char* id, const std::string& shape, Pass pass, const Tuning& tuning = {}) {
  return emulated_layer_strategy(id).unsupported(layer_problem(shape, pass), make_compute(Backend::emulated)->device(),
                                                 tuning);
}
std::string shape_error(const std::string& shape) {
  try {
    layer_problem(shape, Pass::forward);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// A tensor with its values, without padding.
struct TensorValues {
  Shape shape;
  std::vector<float> values;
  Tensor tensor() { return tensor_of_rows(values.data(), shape, shape.row_bytes()); }
};
TensorValues values_of(const Shape& shape, unsigned seed) {
  TensorValues result{shape, {}};
  std::minstd_rand random(seed);
  for (std::size_t i = 0; i < shape.elements(); ++i)
    result.values.push_back(static_cast<float>(random() >> 8 & 255) / 64.0f - 2.0f);
  return result;
}
double dot(const std::vector<double>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

constexpr const char* gradient_shapes[] = {"1,1,4,4,1,2",
                                           "2,3,5,6,2,3,padding=1",
                                           "1,2,7,8,3,3,stride=2,padding=1",
                                           "1,2,8,7,2,2,stride=3",
                                           "1,4,6,6,6,3,groups=2,padding=2",
                                           "2,3,5,5,3,3,groups=3,stride=2",
                                           "1,2,9,9,2,3,dilation=3,padding=1",
                                           "1,2,8,9,2,3,stride=2,dilation=2,padding=3"};

TEST(LayerIndices, ToTheInputAreTheInverseOfForward) {
  for (const int stride : {1, 2, 3})
    for (const int padding : {0, 1, 4})
      for (const int dilation : {1, 2, 3}) {
        Problem problem = layer_problem("1,1,17,17,1,3", Pass::forward);
        problem.layer.stride = stride;
        problem.layer.padding = padding;
        problem.layer.dilation = dilation;
        const LayerExtents e = layer_extents(problem);
        for (int tap = 0; tap < e.filter; ++tap)
          for (int input = -padding; input < e.height + padding; ++input) {
            int expected = -1;
            for (int output = 0; output < e.out_height; ++output)
              if (e.input_index(output, tap) == input) expected = output;
            EXPECT_EQ(e.output_index(input, tap, e.out_height), expected)
                << "stride " << stride << ", padding " << padding << ", dilation " << dilation << ", tap " << tap;
          }
      }
}

TEST(LayerIndices, FindEachGroupsChannelsAndMaps) {
  const LayerExtents e = layer_extents(layer_problem("1,6,5,5,4,3,groups=2", Pass::forward));
  EXPECT_EQ(e.group_channels(), 3);
  EXPECT_EQ(e.group_maps(), 2);
  EXPECT_EQ(e.first_channel(1), 0);
  EXPECT_EQ(e.first_channel(2), 3);
  EXPECT_EQ(e.first_map(2), 0);
  EXPECT_EQ(e.first_map(5), 2);
  EXPECT_EQ(e.weight_index(3, 5, 2, 1), ((3 * 3 + 2) * 3 + 2) * 3 + 1);
}

TEST(LayerExtents, CountTheOutputs) {
  const auto outputs_of = [](const char* shape) { return layer_kind.outputs(layer_problem(shape, Pass::forward))[0]; };
  EXPECT_EQ(outputs_of("2,3,34,40,5,3").extent, (std::array{2, 5, 1, 32, 38}));
  EXPECT_EQ(outputs_of("1,1,8,9,1,3,stride=2").extent, (std::array{1, 1, 1, 3, 4}));
  EXPECT_EQ(outputs_of("1,1,7,7,1,3,padding=1").extent, (std::array{1, 1, 1, 7, 7}));
  EXPECT_EQ(outputs_of("1,1,9,9,1,3,dilation=4").extent, (std::array{1, 1, 1, 1, 1}));
  const Problem gradient = layer_problem("2,4,9,9,6,3,groups=2", Pass::to_weights);
  EXPECT_EQ(layer_kind.inputs(gradient).size(), 2u);
  EXPECT_EQ(layer_kind.outputs(gradient)[0].extent, (std::array{6, 2, 1, 3, 3}));
}

TEST(LayerReference, ReproducesTheWorkedExamplesOfEachPass) {
  std::set<std::pair<Pass, std::string>> seen;
  for (const Case& one : layer_kind.cases({}))
    if (!one.outputs.empty()) {
      std::vector<Tensor> in;
      std::vector<std::vector<float>> memory;
      const std::vector<Shape> shapes = layer_kind.inputs(one.problem);
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        memory.emplace_back(shapes[i].elements());
        in.push_back(tensor_of_rows(memory.back().data(), shapes[i], shapes[i].row_bytes()));
        put_numbers(in.back(), one.inputs[i]);
      }
      EXPECT_EQ(layer_kind.reference(one.problem, in), one.outputs) << layer_kind.describe(one.problem);
      seen.insert({one.problem.layer.pass, number_format(one.problem.layer)});
    }
  EXPECT_EQ(seen.size(), 3u * 6) << "each pass in each type and layout";
}

// The loss Σ Y·G is linear in each input and in each weight, so its difference quotient is the gradient but for
// rounding, whatever the step.
class LayerGradients : public testing::TestWithParam<const char*> {
 protected:
  double loss() {
    const Tensor in = x_.tensor();
    return dot(layer_kind.reference(forward_, std::span(&in, 1)), dy_.values);
  }
  // Of the value, which is put back.
  double difference_quotient(float& value) {
    const float before = value;
    value = before + 0.5f;
    const double above = loss();
    value = before - 0.5f;
    const double below = loss();
    value = before;
    return above - below;
  }

  Problem forward_ = layer_problem(GetParam(), Pass::forward);
  TensorValues x_ = values_of(layer_kind.inputs(forward_)[0], 1), dy_ = values_of(layer_kind.outputs(forward_)[0], 2);
};

TEST_P(LayerGradients, ToTheInputAreDifferenceQuotients) {
  Problem problem = forward_;
  problem.layer.pass = Pass::to_input;
  const Tensor dy = dy_.tensor();
  const std::vector<double> gradient = layer_kind.reference(problem, std::span(&dy, 1));
  ASSERT_EQ(gradient.size(), x_.values.size());
  for (std::size_t i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(gradient[i], difference_quotient(x_.values[i]), 1e-9) << "element " << i;
}

TEST_P(LayerGradients, ToTheWeightsAreDifferenceQuotients) {
  Problem problem = forward_;
  problem.layer.pass = Pass::to_weights;
  const std::array in{x_.tensor(), dy_.tensor()};
  const std::vector<double> gradient = layer_kind.reference(problem, in);
  ASSERT_EQ(gradient.size(), forward_.filter.weights.size());
  for (float& weight : forward_.filter.weights) weight = std::round(weight * 64) / 64;  // exact with the step
  for (std::size_t i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(gradient[i], difference_quotient(forward_.filter.weights[i]), 1e-9) << "weight " << i;
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayerGradients, testing::ValuesIn(gradient_shapes),
                         [](const auto& shape) { return "shape_" + std::to_string(shape.index); });

TEST(LayerEpilogue, IsOfTheForwardPass) {
  Problem problem = layer_problem("1,1,2,2,2,1", Pass::forward);
  problem.filter.weights = {1, -1};
  problem.filter.biases = {0.5f, 1.5f};
  problem.filter.relu = true;
  TensorValues x{layer_kind.inputs(problem)[0], {1, 2, 3, -4}};
  const Tensor in = x.tensor();
  EXPECT_EQ(layer_kind.reference(problem, std::span(&in, 1)), (std::vector<double>{1.5, 2.5, 3.5, 0, 0.5, 0, 0, 5.5}));

  problem.layer.pass = Pass::to_input;
  TensorValues dy{layer_kind.inputs(problem)[0], {1, 2, 3, 4, 4, 3, 2, 1}};
  const Tensor gradients = dy.tensor();
  EXPECT_EQ(layer_kind.reference(problem, std::span(&gradients, 1)), (std::vector<double>{-3, -1, 1, 3}));
}

TEST(LayerShapes, ReadBackAsTheyAreStated) {
  for (const char* shape : {"1,3,1080,1920,16,3", "2,4,9,10,6,3,stride=2,padding=1,dilation=3,groups=2"})
    EXPECT_EQ(layer_kind.shape(layer_problem(shape, Pass::to_input)), shape);
  EXPECT_EQ(layer_kind.shape(layer_problem(" 1, 3,9,9 ,groups = 3, 6,3 ", Pass::forward)), "1,3,9,9,6,3,groups=3");
  EXPECT_EQ(layer_kind.describe(layer_problem("1,1,4,4,1,2", Pass::to_weights)), "1,1,4,4,1,2 f32 nchw to-weights");
}

TEST(LayerShapes, RefuseWithNumbers) {
  EXPECT_EQ(shape_error("1,3,2,9,4,3"),
            "The filter spans 3 rows (K = 3, dilation 1), more than the 2 of the padded input (H = 2, padding 0).");
  EXPECT_THAT(shape_error("1,3,9,4,4,3,dilation=2,padding=0"), HasSubstr("5 columns (K = 3, dilation 2)"));
  EXPECT_EQ(shape_error("1,3,9,9,4,3,groups=2"), "2 groups: the number of channels must be a multiple of 2; it is 3.");
  EXPECT_EQ(shape_error("1,4,9,9,3,3,groups=2"), "2 groups: the number of maps must be a multiple of 2; it is 3.");
  EXPECT_EQ(shape_error("1,3,9,9,10,3,groups=3"),
            "Depthwise (3 groups): the number of maps must be a multiple of 3; it is 10.");
  EXPECT_THAT(shape_error("0,3,5,5,2,3"), HasSubstr("N is 0"));
  EXPECT_THAT(shape_error("1,3,5,5,2,3,stride=0"), HasSubstr("stride is 0"));
  EXPECT_THAT(shape_error("1,3,5,5,2,3,groups=0"), HasSubstr("groups is 0"));
  EXPECT_THAT(shape_error("1,3,5,5,2,3,padding=-1"), HasSubstr("padding is -1"));
  EXPECT_THAT(shape_error("1000,1000,1000,1000,3,3"), HasSubstr("input has 1e+12 elements"));
  EXPECT_THAT(shape_error("1,9000,9,9,9000,1"), HasSubstr("bank has 8.1e+07 elements"));
  EXPECT_THAT(shape_error("1,2,3"), HasSubstr("has 3 numbers"));
  EXPECT_THAT(shape_error("1,2,3,4,5,6,7"), HasSubstr("more than six"));
  EXPECT_THAT(shape_error("1,3,5,5,2,3,strid=2"), HasSubstr("'strid'"));
  EXPECT_THAT(shape_error("1,3,5,5,2.5,3"), HasSubstr("whole number"));
  EXPECT_THAT(shape_error(""), HasSubstr("number"));
}

TEST(LayerProblems, RefuseWhatIsNoBank) {
  Problem problem = layer_problem("1,4,9,9,6,3,groups=2", Pass::forward);
  EXPECT_EQ(layer_kind.invalid(problem), "");
  const auto reason = [&](auto change) {
    Problem changed = problem;
    change(changed);
    return layer_kind.invalid(changed);
  };
  EXPECT_THAT(reason([](Problem& p) { p.filter = random_filter(3, 3); }), HasSubstr("single filter of 3 × 3"));
  EXPECT_THAT(reason([](Problem& p) { p.filter = random_bank(6, 4, 3); }), HasSubstr("6 maps of 4 channels"));
  EXPECT_THAT(reason([](Problem& p) { p.filter = random_bank(1, 1, 3); }), HasSubstr("1 map of 1 channel;"));
  EXPECT_THAT(reason([](Problem& p) { p.filter.weights.pop_back(); }), HasSubstr("107 weights"));
  EXPECT_THAT(reason([](Problem& p) { p.filter.biases = {1, 2}; }), HasSubstr("2 biases for 6 maps"));
  EXPECT_THAT(reason([](Problem& p) { p.filter.height = 1; }), HasSubstr("3 × 1"));
  EXPECT_THAT(reason([](Problem& p) { p.border = Border::mirror; }), HasSubstr("mirror"));
  EXPECT_THAT(reason([](Problem& p) { p.format = PixelFormat::rgba8; }), HasSubstr("rgba8"));
  problem.layer.pass = Pass::to_weights;
  EXPECT_EQ(reason([](Problem& p) { p.filter.weights.clear(); }), "") << "they are what is asked for";
}

TEST(LayerFilters, ArePicturesFiltersInEveryPlace) {
  const Filter filter = layer_kind.parse("box:radius=1,gain=2,bias=0.25");
  const Problem problem = layer_kind.problem("1,4,9,9,3,5", Pass::forward, &filter);
  EXPECT_EQ(problem.filter.weights.size(), 3u * 4 * 9);
  for (const float weight : problem.filter.weights) EXPECT_FLOAT_EQ(weight, 2 / 9.0f / 4);
  EXPECT_EQ(problem.filter.biases, std::vector<float>(3, 0.25f));
  EXPECT_EQ(layer_kind.shape(problem), "1,4,9,9,3,3") << "the filter says K";
  EXPECT_THROW(layer_kind.parse("3e38:gain=3"), Error);
  EXPECT_THROW(layer_kind.parse("sobel-magnitude"), Error);
  EXPECT_THROW(layer_kind.parse("box:rx=1,ry=2"), Error);
  EXPECT_THROW(layer_kind.parse("sobel-x:absolute=1"), Error);
}

TEST(LayerTolerance, FollowsTermsAndMagnitudes) {
  Problem problem = layer_problem("2,3,6,7,2,2", Pass::forward);
  std::ranges::fill(problem.filter.weights, 0.5f);
  problem.filter.weights[12] = -4;  // of the second map: Σ|w| = 9.5
  EXPECT_EQ(layer_terms(problem), 12);
  EXPECT_EQ(layer_absolute_sum(problem), 9.5);
  const double gamma = 12 * 0x1p-24 / (1 - 12 * 0x1p-24);
  EXPECT_NEAR(float32_sum_bound(problem, 12), gamma * 9.5 + 0x1p-24 * 9.5, 1e-11);
  const double without = float32_sum_bound(problem, 12);
  problem.filter.biases = {0, -8};
  EXPECT_NEAR(float32_sum_bound(problem, 12) - without, 0x1p-24 * 8, 1e-11);

  problem.layer.pass = Pass::to_input;
  EXPECT_EQ(layer_terms(problem), 8);
  EXPECT_EQ(layer_absolute_sum(problem), 4 * 0.5 + 3 * 0.5 + 4) << "of the first channel, by both maps";
  problem.layer.pass = Pass::to_weights;
  EXPECT_EQ(layer_terms(problem), 2 * 5 * 6);
  EXPECT_EQ(layer_absolute_sum(problem), 60);
  EXPECT_EQ(layer_roundings(problem), 6 + 2 * 5) << "a row's outputs, then the rows";
}

TEST(LayerModels, CountTheWorkOfEachPass) {
  const char* shape = "2,3,34,34,16,3";
  const double products = 2.0 * 16 * 32 * 32 * 27;
  for (const Pass pass : all_passes) EXPECT_EQ(filter_flop(layer_problem(shape, pass)), 2 * products);
  EXPECT_EQ(cost_of("direct", shape, Pass::forward).global_loads_per_output, 27);
  EXPECT_EQ(cost_of("direct", shape, Pass::to_weights).global_loads_per_output, 2.0 * 2 * 32 * 32) << "both inputs";
  EXPECT_DOUBLE_EQ(cost_of("direct", shape, Pass::to_input).global_loads_per_output, products / (2.0 * 3 * 34 * 34));
  EXPECT_EQ(cost_of("direct", shape, Pass::forward).dram_bytes, 4.0 * (2 * 3 * 34 * 34 + 2 * 16 * 32 * 32));

  const auto per_byte = [&](const char* id, Pass pass) {
    const Problem problem = layer_problem(shape, pass);
    return flop_per_loaded_byte(problem, emulated_layer_strategy(id).model(problem, {}));
  };
  EXPECT_DOUBLE_EQ(per_byte("direct", Pass::forward), 0.25);
  EXPECT_DOUBLE_EQ(per_byte("constant", Pass::forward), 0.5);
  EXPECT_DOUBLE_EQ(per_byte("constant", Pass::to_input), 0.5);
  EXPECT_DOUBLE_EQ(per_byte("direct", Pass::to_weights), 0.25);

  EXPECT_DOUBLE_EQ(cost_of("tiled", shape, Pass::forward).global_loads_per_output, 3 * 18 * 18 / 256.0);
  EXPECT_DOUBLE_EQ(cost_of("tiled", shape, Pass::to_input, {{"tile", 8}}).global_loads_per_output, 16 * 100 / 64.0);
  const Problem problem = layer_problem(shape, Pass::forward);
  EXPECT_NEAR(load_reduction(problem, emulated_layer_strategy("tiled").model(problem, {})), 9 * 256 / 324.0, 1e-9);
  EXPECT_EQ(cost_of("atomic", shape, Pass::to_weights).global_stores_per_output, 2 * 32);
}

// The book's grid: Hₒ = Wₒ = 32 are two by two tiles.
TEST(LayerStrategies, DirectHasTheBooksGrid) {
  const Problem problem = layer_problem("3,2,34,34,5,3", Pass::forward);
  const auto compute = make_compute(Backend::emulated);
  const auto plan = emulated_layer_strategy("direct").plan(problem, compute->device(), {});
  const KernelInfo kernel = plan->kernels().at(0);
  EXPECT_EQ((std::array{kernel.grid_x, kernel.grid_y, kernel.grid_z}), (std::array{5, 4, 3}));
  EXPECT_EQ((std::array{kernel.block_x, kernel.block_y}), (std::array{16, 16}));
  const Shape out = layer_kind.outputs(problem)[0];
  EXPECT_EQ(static_cast<std::size_t>(5 * 4 * 3 * 256), out.elements()) << "N·M·Hₒ·Wₒ threads";
}

// By which a learner on a thread of its own leaves out what other plans may disturb.
TEST(LayerStrategies, SayWhichHaveConstantMemoryInTheEmulatorToo) {
  const Problem problem = layer_problem("1,3,9,9,4,5", Pass::forward);
  const auto bytes = [&](const char* id) {
    const Strategy* const strategy = find_strategy(Backend::emulated, id, layer_kind);
    return strategy->plan(problem, make_compute(Backend::emulated)->device(), {})->kernels().at(0).constant_bytes;
  };
  for (const char* id : {"constant", "register-tile"}) EXPECT_GE(bytes(id), 4u * 3 * 25 * sizeof(float)) << id;
  for (const char* id : {"direct", "implicit-gemm"}) EXPECT_EQ(bytes(id), 0u) << id;
}

TEST(LayerStrategies, RefuseWithNumbers) {
  EXPECT_THAT(refusal("constant", "1,64,9,9,64,3", Pass::forward), HasSubstr("36864 weights"));
  EXPECT_EQ(refusal("constant", "1,16,9,9,16,3", Pass::forward), "");
  EXPECT_EQ(refusal("constant", "1,64,9,9,64,3,groups=64", Pass::to_input), "") << "depthwise";
  for (const char* id : {"constant", "tiled"})
    EXPECT_THAT(refusal(id, "1,3,9,9,4,3", Pass::to_weights), HasSubstr("each of the 108 outputs"));
  EXPECT_THAT(refusal("atomic", "1,3,9,9,4,3", Pass::to_input), HasSubstr("243"));
  EXPECT_THAT(refusal("tiled", "1,1,400,400,1,300", Pass::forward), HasSubstr("bytes of shared memory"));
  EXPECT_THAT(refusal("direct", "70000,1,4,4,1,3", Pass::forward), HasSubstr("70000 blocks"));
  EXPECT_EQ(refusal("direct", "1,3,9,9,4,3", Pass::to_weights), "");
}

}  // namespace
}  // namespace convoscope
