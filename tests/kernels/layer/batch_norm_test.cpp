// Batch normalisation of PyTorch's files becomes a part of the convolution before it: the maps are those of both one
// after the other, in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"
#include "tests/error_of.h"
#include "tests/kernels/filter/array_files.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int norm_maps = 4, norm_channels = 3, norm_size = 3;
constexpr double norm_epsilon = 1e-5;

struct Values {
  std::string type;
  std::vector<int> shape;
  std::vector<float> numbers;
};
using State = std::map<std::string, Values>;  // as a state_dict

// Odd numbers that repeat late, none of which float32 has exactly.
std::vector<float> some(std::size_t count, double least, double most, unsigned seed) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(least + (most - least) * (seed >> 8) / 0x1p24));
  }
  return numbers;
}

void add_norm(State& state, const std::string& name, int count) {
  const auto each = static_cast<std::size_t>(count);
  state[name + ".weight"] = {"F32", {count}, some(each, 0.5, 1.5, 3)};
  state[name + ".bias"] = {"F32", {count}, some(each, -1, 1, 5)};
  state[name + ".running_mean"] = {"F32", {count}, some(each, -2, 2, 7)};
  state[name + ".running_var"] = {"F32", {count}, some(each, 1e-4, 3, 9)};
  state[name + ".num_batches_tracked"] = {"I64", {}, {}};
}

State network(const std::string& first, const std::string& norm, const std::string& second) {
  State state;
  state[first + ".weight"] = {"F32",
                              {norm_maps, norm_channels, norm_size, norm_size},
                              some(norm_maps * norm_channels * norm_size * norm_size, -1, 1, 1)};
  add_norm(state, norm, norm_maps);
  state[second + ".weight"] = {"F32", {3, norm_maps, 1, 1}, some(3 * norm_maps, -1, 1, 2)};
  return state;
}

class BatchNorm : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("convoscope_norm_" + std::to_string(getpid()) + ".safetensors");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::vector<NetworkLayer> load(const State& state, const std::string& options = {}) {
    std::string header = options.empty() ? "{" : R"({"__metadata__": {"convoscope": ")" + options + "\"}", data;
    for (const auto& [name, values] : state) {
      std::string shape;
      for (const int extent : values.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
      const std::string bytes = values.type == "I64" ? std::string(8, '\1') : test::bytes_of(values.numbers);
      header += (header.size() > 1 ? ", \"" : "\"") + name + "\": {\"dtype\": \"" + values.type + "\", \"shape\": [" +
                shape + "], \"data_offsets\": [" + std::to_string(data.size()) + ", " +
                std::to_string(data.size() + bytes.size()) + "]}";
      data += bytes;
    }
    std::ofstream(path_, std::ios::binary) << test::safetensors_file(header + "}", data);
    remarks_.clear();
    return load_network(path_.string(), &remarks_);
  }
  std::string why_not(const State& state, const std::string& options = {}) {
    return error_of([&] { load(state, options); });
  }

  std::filesystem::path path_;
  std::vector<std::string> remarks_;
};

// One output, of what the filter lies on: the sum, the bias and, where there is one, the normalisation.
double output(const std::vector<float>& weights, double bias, const std::vector<float>& input, std::size_t map,
              double* most = nullptr) {
  double sum = bias, sizes = std::abs(bias);
  for (std::size_t i = 0; i < input.size(); ++i) {
    const double product = static_cast<double>(weights[map * input.size() + i]) * input[i];
    sum += product;
    sizes += std::abs(product);
  }
  if (most) *most = sizes;
  return sum;
}

TEST_F(BatchNorm, TheMapsAreThoseOfBothOneAfterTheOther) {
  for (const bool biased : {false, true})
    for (const bool affine : {true, false}) {
      State state = network("conv1", "bn1", "conv2");
      if (biased) state["conv1.bias"] = {"F32", {norm_maps}, some(norm_maps, -1, 1, 11)};
      if (!affine) state.erase("bn1.weight"), state.erase("bn1.bias");
      const std::vector<NetworkLayer> layers = load(state);
      ASSERT_EQ(layers.size(), 2u);
      EXPECT_TRUE(layers[0].bank.relu) << "behind the normalisation";
      EXPECT_TRUE(layers[1].bank.biases.empty());
      EXPECT_THAT(remarks_, ElementsAre(AllOf(HasSubstr("folded: 'bn1' into 'conv1.weight'."),
                                              HasSubstr("ε = 1e-05 was taken, which the file does not hold"))));
      const auto input = some(norm_channels * norm_size * norm_size, 0, 1, 13);
      const auto of = [&](const std::string& name, std::size_t map, double otherwise) {
        const auto found = state.find(name);
        return found == state.end() ? otherwise : static_cast<double>(found->second.numbers[map]);
      };
      for (std::size_t map = 0; map < norm_maps; ++map) {
        const double sum = output(state["conv1.weight"].numbers, of("conv1.bias", map, 0), input, map);
        const double wanted = (sum - of("bn1.running_mean", map, 0)) /
                                  std::sqrt(of("bn1.running_var", map, 1) + norm_epsilon) * of("bn1.weight", map, 1) +
                              of("bn1.bias", map, 0);
        double sizes = 0;
        const double found = output(layers[0].bank.weights, layers[0].bank.biases[map], input, map, &sizes);
        EXPECT_NEAR(found, wanted, sizes * 0x1p-24) << "each weight and bias is rounded once";
      }
    }
}

TEST_F(BatchNorm, TheNamesSayWhatItFollows) {
  for (const auto& [first, norm, second] : {std::array{"0", "1", "3"},
                                            {"features.9", "features.10", "features.12"},
                                            {"stem.conv", "stem.bn", "last.conv"},
                                            {"conv1_2", "bn1_2", "conv2_2"},
                                            {"block1.conv", "block1.norm", "block2.conv"},
                                            {"layer.conv2d_1", "layer.batch_norm_1", "layer.conv2d_2"}}) {
    EXPECT_EQ(why_not(network(first, norm, second)), "no error") << norm;
    EXPECT_THAT(remarks_, ElementsAre(HasSubstr("'" + std::string(first) + ".weight'"))) << norm;
  }
  // Between 0 and 2 may be a ReLU, which no file of weights tells of.
  for (const auto& [first, norm, second] :
       {std::array{"0", "2", "3"}, {"1", "0", "3"}, {"a", "n1", "b"}, {"conv", "bn", "last"}, {"c", "m.n", "d"}})
    EXPECT_THAT(why_not(network(first, norm, second)), AllOf(HasSubstr("do not say"), HasSubstr("\"norm\""))) << norm;
  State both = network("conv1", "bn1", "conv2");
  add_norm(both, "norm1", norm_maps);
  EXPECT_THAT(why_not(both), HasSubstr("'bn1' and 'norm1' both follow 'conv1.weight'"));
}

TEST_F(BatchNorm, TheMetadataCanSayIt) {
  const std::string said =
      R"({\"layers\": [{\"weights\": \"0.weight\", \"norm\": \"2\", \"epsilon\": 0.001, \"relu\": true}]})";
  const State state = network("0", "2", "3");
  const std::vector<NetworkLayer> layers = load(state, said);
  const double spread = state.at("2.running_var").numbers[0] + 1e-3;
  EXPECT_FLOAT_EQ(layers[0].bank.weights[0], static_cast<float>(state.at("0.weight").numbers[0] *
                                                                (state.at("2.weight").numbers[0] / std::sqrt(spread))));
  EXPECT_THAT(remarks_, ElementsAre("Batch normalisation was folded: '2' into '0.weight' with ε = 0.001."));
  const auto with = [&](const std::string& more) {
    return why_not(state, R"({\"layers\": [{\"weights\": \"0.weight\", )" + more + "}]}");
  };
  EXPECT_THAT(with(R"(\"norm\": \"1\")"), HasSubstr("no tensor '1.running_mean'"));
  EXPECT_THAT(with(R"(\"norm\": \"2\", \"epsilon\": -1)"), HasSubstr("'epsilon' is -1"));
}

TEST_F(BatchNorm, WhatDoesNotFitSaysWhy) {
  State state = network("conv1", "bn1", "conv2");
  state["bn1.running_var"].numbers[1] = -1;
  EXPECT_THAT(why_not(state), AllOf(HasSubstr("number 2"), HasSubstr("'bn1.running_var'"), HasSubstr("no variance")));
  state = network("conv1", "bn1", "conv2");
  add_norm(state, "bn1", norm_maps + 1);
  EXPECT_THAT(why_not(state), AllOf(HasSubstr("shape 5"), HasSubstr("'conv1.weight'"), HasSubstr("has 4 maps")));
  state = network("conv1", "bn1", "conv2");
  state["conv1.weight"].type = "I64";
  state["conv1.weight"].shape = {1, 1, 1, 1};
  EXPECT_THAT(why_not(state), AllOf(HasSubstr("'conv1.weight'"), HasSubstr("'I64'"), HasSubstr("F64")));
}

}  // namespace
}  // namespace convoscope
