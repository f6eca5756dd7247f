// Networks as data: what fits together and what does not, in numbers, the files that they come in, and those that come
// with the program.
#include "kernels/kinds/layer_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "kernels/contract/data/half.h"
#include "kernels/convert/feature_maps.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/kinds/layer.h"
#include "tests/error_of.h"
#include "tests/network_reference.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Problem first_layer(const NetworkLayer& layer, int width, int height) {
  Problem problem{width, height, PixelFormat::gray32f, Border::zero, layer.bank, &layer_kind};
  problem.layer = {.channels = layer.bank.channels * layer.groups,
                   .maps = layer.bank.maps,
                   .stride = layer.stride,
                   .padding = layer.padding,
                   .dilation = layer.dilation,
                   .groups = layer.groups};
  return problem;
}

std::vector<LayerProblem> problems_of(const std::vector<NetworkLayer>& layers, int width, int height) {
  return layer_problems(first_layer(layers[0], width, height), layers[0].pool, std::span(layers).subspan(1));
}

std::vector<std::vector<double>> maps_made(const std::vector<NetworkLayer>& layers, std::vector<float> x, int width,
                                           int height) {
  const Tensor in = tensor_of_rows(x.data(), {{1, layers[0].bank.channels, 1, height, width}},
                                   sizeof(float) * static_cast<std::size_t>(width));
  return network_reference(problems_of(layers, width, height), in);
}

TEST(LayerNetwork, EachLayerSeesTheOneBeforePooledOrNot) {
  // 3 × 3 in, an identity, pooled to the largest of the first 2 × 2; then minus two times that, plus a bias.
  NetworkLayer one = padded_layer({.width = 1, .height = 1, .weights = {1}, .maps = 1, .channels = 1}, false, true);
  NetworkLayer two =
      padded_layer({.width = 1, .height = 1, .weights = {-2, 0.5f}, .maps = 2, .channels = 1, .biases = {9, -9}}, true);
  const auto made = maps_made({one, two}, {1, 2, 30, -4, 3, 30, 30, 30, 30}, 3, 3);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_THAT(made[0], ElementsAre(1, 2, 30, -4, 3, 30, 30, 30, 30));
  EXPECT_THAT(made[1], ElementsAre(3, 0)) << "9 − 2 · 3, and ReLU of 1.5 − 9";
  const std::vector<LayerProblem> layers = problems_of({one, two}, 3, 3);
  EXPECT_EQ(largest_input(std::span(layers).first(0)), 1);
  EXPECT_EQ(largest_input(layers), 11) << "2 · 1 + 9";
}

TEST(LayerNetwork, PoolingTakesTheLargestOfTwoByTwo) {
  std::vector<float> maps{1, 2, 9, 4, 3, 9, 9, 9, 9, -5, -6, 9, -7, -8, 9, 9, 9, 9}, out(2);
  const Tensor from = tensor_of_rows(maps.data(), {{1, 2, 1, 3, 3}}, 12);
  const Tensor to = tensor_of_rows(out.data(), pooled(from.shape), 4);
  pool_maps(Backend::cpu, from, to, {});
  EXPECT_THAT(out, ElementsAre(4, -5));
  maps[3] = NAN;
  pool_maps(Backend::cpu, from, to, {});
  EXPECT_TRUE(std::isnan(out[0]));
}

TEST(LayerNetwork, WhatDoesNotFitIsNamedWithItsNumbers) {
  const auto layer = [](int maps, int channels, int size) {
    return padded_layer(random_bank(maps, channels, size), true);
  };
  const auto why = [](const std::vector<NetworkLayer>& layers) { return error_of([&] { validate_network(layers); }); };
  EXPECT_EQ(why({layer(8, 3, 3), layer(4, 8, 5)}), "no error");
  EXPECT_EQ(why({layer(8, 3, 3), layer(4, 16, 3)}), "Layer 2 takes 16 channels, but layer 1 makes 8 maps");
  EXPECT_THAT(why({}), HasSubstr("0 layers"));
  EXPECT_THAT(why(std::vector(9, layer(3, 3, 1))), AllOf(HasSubstr("9 layers"), HasSubstr("1 to 8")));
  EXPECT_EQ(why(std::vector(8, layer(3, 3, 1))), "no error");
  NetworkLayer bad = layer(4, 8, 3);
  bad.bank.weights[8 * 9 + 9 + 5] = NAN;
  EXPECT_THAT(why({layer(8, 3, 3), bad}),
              AllOf(HasSubstr("Layer 2"), HasSubstr("row 2, column 3 of map 2, channel 2"), HasSubstr("NaN")));
  bad = layer(4, 2, 3);
  bad.groups = 4;
  EXPECT_EQ(why({layer(8, 3, 3), bad}), "no error");
  bad.groups = 3;
  EXPECT_THAT(why({layer(6, 3, 3), bad}), AllOf(HasSubstr("4 maps"), HasSubstr("3 groups")));
  bad = layer(4, 8, 3);
  bad.stride = 0;
  EXPECT_THAT(why({layer(8, 3, 3), bad}), AllOf(HasSubstr("Layer 2"), HasSubstr("stride is 0")));

  const auto of_size = [](std::vector<NetworkLayer> layers, int side) {
    return error_of([&] { problems_of(layers, side, side); });
  };
  NetworkLayer unpadded = layer(2, 8, 7), pooled_one = layer(8, 3, 3);
  unpadded.padding = 0;
  pooled_one.pool = true;
  EXPECT_EQ(of_size({pooled_one, unpadded}, 14), "no error");
  EXPECT_THAT(of_size({pooled_one, unpadded}, 13),
              AllOf(HasSubstr("Layer 2 does not fit 8 maps of 6 × 6"), HasSubstr("spans 7 rows")));
  EXPECT_THAT(of_size({pooled_one, unpadded}, 1),
              AllOf(HasSubstr("Layer 1"), HasSubstr("8 maps of 1 × 1"), HasSubstr("halved")));
  EXPECT_THAT(of_size({layer(8, 3, 3), layer(2, 4, 3)}, 20),
              AllOf(HasSubstr("Layer 2 takes 4 channels"), HasSubstr("8 maps of 20 × 20")));
}

class NetworkFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("convoscope_network_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "net");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  void write_npy(const std::string& name, const std::vector<int>& shape, float value = 1) const {
    std::size_t count = 1;
    for (const int extent : shape) count *= static_cast<std::size_t>(extent);
    write("net/" + name, npy_bytes(shape, std::vector<float>(count, value)));
  }
  static std::string safetensors(const std::string& header, const std::string& data) {
    std::string length(8, '\0');
    for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(header.size() >> 8 * i & 255);
    return length + header + data;
  }
  static std::string why_not(const std::string& path) {
    return error_of([&] { load_network(path); });
  }
  std::string why_not_safetensors(const std::string& header, const std::string& data) const {
    return why_not(write("test.safetensors", safetensors(header, data)));
  }

  std::filesystem::path folder_;
};

TEST_F(NetworkFile, WhatIsSavedIsReadAgainAsItIs) {
  for (const NetworkKind& kind : network_kinds()) {
    std::vector<NetworkLayer> layers = kind.make();
    layers.back().bank.weights[0] = 0.1f;
    const std::string folder = path(std::string(kind.id));
    save_network(layers, folder);
    std::vector<NetworkLayer> read = load_network(folder);
    ASSERT_EQ(read.size(), layers.size());
    for (std::size_t i = 0; i < read.size(); ++i) read[i].bank.name = layers[i].bank.name;  // their files'
    EXPECT_EQ(read, layers) << kind.id;
  }
  EXPECT_THAT(error_of([&] { save_network(network_kinds()[0].make(), path("none/net")); }),
              HasSubstr("cannot be made"));
}

TEST_F(NetworkFile, AFolderIsReadInTheOrderOfItsNames) {
  write_npy("conv10.weight.npy", {1, 2, 1, 1}, 10);
  write_npy("conv2.weight.npy", {2, 4, 3, 3}, 2);
  write_npy("conv2.bias.npy", {2}, 0.5f);
  write_npy("conv1.weight.npy", {4, 3, 5, 5});
  const std::vector<NetworkLayer> layers = load_network(path("net"));
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0].bank.width, 5);
  EXPECT_EQ(layers[0].padding, 2);
  EXPECT_TRUE(layers[0].bank.relu);
  EXPECT_TRUE(layers[0].bank.biases.empty());
  EXPECT_THAT(layers[1].bank.biases, ElementsAre(0.5f, 0.5f));
  EXPECT_EQ(layers[2].bank.name, "conv10.weight");
  EXPECT_FALSE(layers[2].bank.relu) << "the last one may go below zero";
}

TEST_F(NetworkFile, WhatAFolderSaysGoes) {
  write_npy("a.npy", {4, 3, 3, 3});
  write_npy("b.npy", {4, 1, 3, 3});
  write_npy("shift.npy", {4}, -1);
  write("net/network.json", R"({"name": "mine", "layers": [
      {"weights": "a", "relu": true, "pool": true},
      {"weights": "b", "biases": "shift", "groups": 4, "stride": 2, "dilation": 2}]})");
  const std::vector<NetworkLayer> layers = load_network(path("net"));
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_TRUE(layers[0].pool);
  EXPECT_FALSE(layers[1].bank.relu);
  EXPECT_EQ(layers[1].groups, 4);
  EXPECT_EQ(layers[1].padding, 2) << "as large as it was, also with dilation";
  EXPECT_THAT(layers[1].bank.biases, ElementsAre(-1, -1, -1, -1));

  write("net/network.json", R"({"layers": [{"weights": "c"}]})");
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("/net"), HasSubstr("no tensor"), HasSubstr("c")));
  write("net/network.json", R"({"layers": [{"weights": "a", "kernel": 3}]})");
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("kernel"), HasSubstr("unknown")));
  write("net/network.json", R"({"layers": [{"weights": "a", "biases": "a"}]})");
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("4 × 3 × 3 × 3"), HasSubstr("needs 4 biases")));
  write("net/network.json", "[1]");
  EXPECT_THAT(why_not(path("net")), HasSubstr("one JSON object"));
  write("net/network.json", "{");
  EXPECT_THAT(why_not(path("net")), HasSubstr("network.json"));
}

TEST_F(NetworkFile, AFolderThatIsNoNetworkSaysWhy) {
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("/net"), HasSubstr("no weights")));
  write_npy("1.weight.npy", {8, 3, 3, 3});
  write_npy("2.weight.npy", {4, 16, 3, 3});
  EXPECT_THAT(why_not(path("net")), HasSubstr("Layer 2 takes 16 channels, but layer 1 makes 8 maps"));
  write_npy("2.weight.npy", {4, 8, 3, 3}, NAN);
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("Layer 2"), HasSubstr("NaN")));
  write_npy("2.weight.npy", {4, 8, 3, 3});
  EXPECT_EQ(why_not(path("net")), "no error");
  write_npy("1.bias.npy", {7});
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("shape 7;"), HasSubstr("needs 8 biases")));
  write_npy("1.bias.npy", {8});
  write_npy("fc.weight.npy", {10, 512});
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("fc.weight"), HasSubstr("10 × 512")));
  write("net/fc.weight.npy", "nonsense");
  EXPECT_THAT(why_not(path("net")), AllOf(HasSubstr("fc.weight.npy"), HasSubstr("does not begin")));
  EXPECT_THAT(why_not(path("none.safetensors")), AllOf(HasSubstr("none.safetensors"), HasSubstr("no such file")));
  EXPECT_TRUE(is_network_path(path("net")));
  EXPECT_TRUE(is_network_path("X.SafeTensors"));
  EXPECT_FALSE(is_network_path("edges.json"));
}

const std::string ones("\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f", 12);

TEST_F(NetworkFile, SafetensorsAreReadInThreeTypes) {
  const std::string path = write("two.safetensors", safetensors(R"({"__metadata__": {"format": "pt"},
        "2.weight": {"dtype": "F16", "shape": [1, 1, 1, 1], "data_offsets": [12, 14]},
        "2.bias": {"dtype": "BF16", "shape": [1], "data_offsets": [14, 16]},
        "1.weight": {"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [0, 12]}})",
                                                                ones + std::string("\0\xc0\x40\xc0", 4)));
  const std::vector<NetworkLayer> layers = load_network(path);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_THAT(layers[0].bank.weights, ElementsAre(1, 1, 1));
  EXPECT_THAT(layers[1].bank.weights, ElementsAre(-2));
  EXPECT_THAT(layers[1].bank.biases, ElementsAre(-3));
}

TEST_F(NetworkFile, TheMetadataOfASafetensorsFileSaysTheLayers) {
  const std::vector<NetworkLayer> layers = load_network(
      write("said.safetensors",
            safetensors(R"({"__metadata__": {"convoscope": "{\"layers\": [{\"weights\": \"w\", \"pool\": true}]}"},
        "w": {"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [0, 12]}})",
                        ones)));
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_TRUE(layers[0].pool);
}

TEST_F(NetworkFile, SafetensorsThatAreNoNetworkSayWhy) {
  const auto of = [&](const std::string& tensor) { return why_not_safetensors("{\"w\": " + tensor + "}", ones); };
  EXPECT_EQ(of(R"({"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [0, 12]})"), "no error");
  EXPECT_THAT(of(R"({"dtype": "I8", "shape": [1, 3, 1, 1], "data_offsets": [0, 3]})"),
              AllOf(HasSubstr("test.safetensors"), HasSubstr("I8"), HasSubstr("F32")));
  EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [0, 16]})"),
              AllOf(HasSubstr("0 to 16"), HasSubstr("has 12")));
  EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [8, 4]})"), HasSubstr("8 to 4"));
  EXPECT_THAT(
      of(R"({"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [18446744073709551603, 18446744073709551615]})"),
      HasSubstr("18,446,744,073,709,551,603 to 18,446"));
  for (const char* offsets : {"[0, 12, 1]", "[0.0, 12.0]", "[12]", "7", "[-12, 0]"})
    EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": )" + std::string(offsets) + "}"),
                HasSubstr("first and the one behind its last"))
        << offsets;
  EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1.0, 3, 1, 1], "data_offsets": [0, 12]})"), HasSubstr("extent 1.0"));
  EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1, 3, 3, 3], "data_offsets": [0, 12]})"),
              AllOf(HasSubstr("12 bytes"), HasSubstr("1 × 3 × 3 × 3"), HasSubstr("108")));
  EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1, -3, 1, 1], "data_offsets": [0, 12]})"), HasSubstr("-3"));
  EXPECT_THAT(of(R"({"dtype": "F32", "shape": [1, 3, 1, 1]})"), HasSubstr("no type, shape and place"));
  EXPECT_THAT(of("7"), HasSubstr("no type, shape and place"));
  EXPECT_THAT(why_not_safetensors("[1]", ""), HasSubstr("no JSON object"));
  const std::string broken = why_not_safetensors("{", "");
  EXPECT_THAT(broken, HasSubstr("cannot be used: its header is not valid JSON"));
  EXPECT_EQ(broken.find("test.safetensors"), broken.rfind("test.safetensors")) << "it is named once: " << broken;
  EXPECT_THAT(why_not(write("short.safetensors", "abc")), HasSubstr("does not begin"));
  EXPECT_THAT(why_not(write("long.safetensors", std::string(8, '\xff') + "{}")), HasSubstr("does not begin"));
}

// Before each of its tensors is held against all of them, which takes minutes for as many as a file can name.
TEST_F(NetworkFile, TooManyLayersAreRefusedFirst) {
  std::string header = R"({"stray": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]})";
  for (int i = 0; i < 9; ++i)
    header += ", \"" + std::to_string(i) + R"(.weight": {"dtype": "F32", "shape": [1, 1, 1, 1], "data_offsets": [)" +
              std::to_string(4 * i + 4) + ", " + std::to_string(4 * i + 8) + "]}";
  EXPECT_THAT(why_not_safetensors(header + "}", std::string(40, '\0')), AllOf(HasSubstr("9 layers"), HasSubstr("8")));
}

// A header takes a time that grows as its length does, not as its square: minutes for as many as these. Of the
// processor, since a busy machine must not count.
TEST_F(NetworkFile, ManyTensorsAreRefusedSoon) {
  const auto seconds_for = [this](int layers) {
    std::string header = "{";
    for (int i = 0; i < layers; ++i)
      header += (i ? ", \"" : "\"") + std::to_string(i) +
                R"(.weight": {"dtype": "F32", "shape": [1, 1, 1, 1], "data_offsets": [0, 4]})";
    const std::clock_t began = std::clock();
    EXPECT_THAT(why_not_safetensors(header + "}", std::string(4, '\0')), HasSubstr(std::to_string(layers) + " layers"));
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  };
  const double few = seconds_for(2'000);
  EXPECT_LT(seconds_for(20'000), 40 * few) << "10 times as many; their square is 100";
}

// Each would be read by itself: a thousand names of the same bytes would take a thousand times their memory.
TEST_F(NetworkFile, TensorsThatShareBytesAreRefused) {
  const auto file = [](const std::string& of_biases) {
    return R"({"1.weight": {"dtype": "F32", "shape": [2, 1, 1, 1], "data_offsets": [4, 12]},
               "1.bias": {"dtype": "F32", "shape": [2], "data_offsets": )" +
           of_biases + "}}";
  };
  EXPECT_EQ(why_not_safetensors(file("[12, 20]"), std::string(20, '\0')), "no error");
  for (const char* const place : {"[0, 8]", "[4, 12]", "[8, 16]"})
    EXPECT_THAT(why_not_safetensors(file(place), std::string(20, '\0')),
                AllOf(HasSubstr("'1.weight'"), HasSubstr("'1.bias'"), HasSubstr("lie in the same bytes")))
        << place;
}

TEST_F(NetworkFile, HeadersAreBounded) {
  EXPECT_THAT(why_not_safetensors("{" + std::string(5 << 20, ' ') + "}", ""), HasSubstr("the most is 4,194,304"));
  const std::string deep = R"({"__metadata__": )" + std::string(1000, '[') + std::string(1000, ']') + "}";
  EXPECT_THAT(why_not_safetensors(deep, ""), AllOf(HasSubstr("1,001 deep"), HasSubstr("the most is 64")));
}

// Every network with batch normalisation has a counter, and other tensors may have types that are not of our time.
TEST_F(NetworkFile, ATensorThatNobodyUsesMayBeOfAnyType) {
  const std::string header =
      R"({"__metadata__": {"convoscope": "{\"layers\": [{\"weights\": \"w\"}]}"},
          "w": {"dtype": "F64", "shape": [1, 1, 1, 1], "data_offsets": [0, 8]},
          "steps": {"dtype": "I64", "shape": [], "data_offsets": [8, 16]},
          "other": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [16, 19]}})";
  const std::string path =
      write("test.safetensors", safetensors(header, std::string("\0\0\0\0\0\0\0\xc0", 8) + std::string(11, '\1')));
  std::vector<std::string> remarks;
  EXPECT_THAT(load_network(path, &remarks)[0].bank.weights, ElementsAre(-2));
  EXPECT_THAT(remarks, ElementsAre(HasSubstr("(float64)")));
}

TEST_F(NetworkFile, ALayerThatIsNoObjectIsNamed) {
  EXPECT_THAT(why_not_safetensors(R"({"__metadata__": {"convoscope": "{\"layers\": [\"a.weight\"]}"},
        "a.weight": {"dtype": "F32", "shape": [1, 3, 1, 1], "data_offsets": [0, 12]}})",
                                  ones),
              AllOf(HasSubstr("layer 1 of 'layers' must be a JSON object"), HasSubstr("not string")));
}

TEST(NetworkCatalogue, EveryNetworkFitsTogether) {
  for (const NetworkKind& kind : network_kinds()) {
    const std::vector<NetworkLayer> layers = kind.make();
    EXPECT_EQ(error_of([&] { validate_network(layers); }), "no error") << kind.id;
    EXPECT_EQ(layers[0].bank.channels, 3) << kind.id;
    EXPECT_EQ(problems_of(layers, 64, 48).size(), layers.size());
    EXPECT_EQ(find_network_kind(kind.id), &kind);
    EXPECT_EQ(find_bank_kind(kind.id), nullptr) << "one name, one thing";
    EXPECT_FALSE(kind.title.empty() || kind.idea.empty());
  }
  EXPECT_EQ(find_network_kind("none"), nullptr);
}

// A white square: its corners answer, the middles of its sides do not.
TEST(NetworkCatalogue, CornersAreFoundAtTheCornersOfASquare) {
  constexpr int side = 96, from = 32, to = 64;
  std::vector<float> x;
  for (int i = 0; i < 3 * side * side; ++i) {
    const int column = i % side, row = i / side % side;
    x.push_back(column >= from && column < to && row >= from && row < to ? 1.0f : 0.0f);
  }
  const auto made = maps_made(find_network_kind("corners")->make(), x, side, side);
  ASSERT_EQ(made.size(), 4u);
  constexpr int half = side / 2, corner_map = 4;
  const auto at = [&](int column, int row) {
    return made[2][static_cast<std::size_t>((corner_map * half + row / 2) * half + column / 2)];
  };
  const double corner = at(from, from);
  EXPECT_GT(corner, 0.05);
  EXPECT_GT(at(to, to), 0.05);
  EXPECT_LT(at(48, from), corner / 100) << "an edge";
  EXPECT_LT(at(48, 48), corner / 100) << "nothing at all";
}

TEST(NetworkCatalogue, BlurAndSharpenLeaveAnEvenPictureAsItIs) {
  const auto made = maps_made(find_network_kind("blur-sharpen")->make(), std::vector<float>(3 * 31 * 31, 0.5f), 31, 31);
  EXPECT_NEAR(made[1][static_cast<std::size_t>(31 * 15 + 15)], 0.5, 1e-5);
}

}  // namespace
}  // namespace convoscope
