// Numbers of every type and order that NumPy writes, and packed files of them: what becomes float32, and what is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/filter/banks/zip_file.h"
#include "kernels/threads/stop.h"
#include "tests/error_of.h"
#include "tests/kernels/filter/array_files.h"

namespace convoscope {
namespace {

using test::bytes_of;
using test::npy_file;
using test::npy_header;
using test::zip_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NumberArrays : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("convoscope_arrays_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  Filter load(const std::string& type, const std::string& numbers, const std::string& order = "False",
              const std::string& shape = "(3, 1, 1, 1)") {
    remarks_.clear();
    return load_bank(write("bank.npy", npy_file(npy_header(shape, type, order), numbers)), &remarks_);
  }

  std::filesystem::path folder_;
  std::vector<std::string> remarks_;
};

TEST_F(NumberArrays, EveryTypeOfNumPyBecomesFloat32) {
  const auto said = [](const std::string& what) { return ElementsAre(HasSubstr("(" + what + ")")); };
  EXPECT_THAT(load("<f4", bytes_of<float>({1, -2, 0.1f})).weights, ElementsAre(1, -2, 0.1f));
  EXPECT_TRUE(remarks_.empty());
  EXPECT_THAT(load("<f8", bytes_of<double>({1, -2, 0.1})).weights, ElementsAre(1, -2, 0.1f));
  EXPECT_THAT(remarks_, ElementsAre("The file's numbers (float64) were rounded to float32."));
  EXPECT_THAT(load("<f8", bytes_of<double>({1, -2, 0.5})).weights, ElementsAre(1, -2, 0.5f));
  EXPECT_THAT(remarks_, ElementsAre(HasSubstr("none of them rounded")));
  EXPECT_THAT(load(">f8", bytes_of<double>({1, -2, 0.1}, true)).weights, ElementsAre(1, -2, 0.1f));
  EXPECT_THAT(remarks_, said("float64, big-endian"));
  EXPECT_THAT(load(">f4", bytes_of<float>({1, -2, 0.1f}, true)).weights, ElementsAre(1, -2, 0.1f));
  EXPECT_THAT(remarks_, said("float32, big-endian"));
  EXPECT_THAT(load("<f2", bytes_of<std::uint16_t>({0x3c00, 0xc000, 1})).weights, ElementsAre(1, -2, 0x1p-24f));
  EXPECT_THAT(remarks_, said("float16"));
  // NumPy has no bfloat16: those of ml_dtypes are two bytes without a type, '<V2' in older versions.
  for (const char* const type : {"|V2", "<V2"})
    EXPECT_THAT(load(type, bytes_of<std::uint16_t>({0x3f80, 0xc000, 0x3dcd})).weights, ElementsAre(1, -2, 0x1.9ap-4f));
  EXPECT_THAT(remarks_, said("bfloat16"));
  EXPECT_THAT(load("|i1", bytes_of<std::int8_t>({1, -2, -128})).weights, ElementsAre(1, -2, -128));
  EXPECT_THAT(load("|u1", bytes_of<std::uint8_t>({1, 2, 255})).weights, ElementsAre(1, 2, 255));
  EXPECT_THAT(load(">i2", bytes_of<std::int16_t>({1, -2, 300}, true)).weights, ElementsAre(1, -2, 300));
  EXPECT_THAT(load("<i8", bytes_of<std::int64_t>({1, -2, (1 << 24) + 1})).weights, ElementsAre(1, -2, 1 << 24));
  EXPECT_THAT(remarks_, ElementsAre("The file's numbers (int64) were rounded to float32."));
  EXPECT_THAT(error_of([&] {
                load("<f8", bytes_of<double>({1, 1e39, 0}));
              }),
              HasSubstr("map 2, channel 1 is infinite"));
}

TEST_F(NumberArrays, FortranOrderIsPutIntoOurs) {
  // The value says where it belongs: map, row, column.
  std::vector<float> numbers;
  for (int column = 0; column < 3; ++column)
    for (int row = 0; row < 3; ++row)
      for (int map = 0; map < 2; ++map) numbers.push_back(static_cast<float>(100 * map + 10 * row + column));
  const Filter bank = load("<f4", bytes_of(numbers), "True", "(2, 1, 3, 3)");
  for (std::size_t i = 0; i < bank.weights.size(); ++i)
    EXPECT_EQ(bank.weights[i], 100 * (i / 9) + 10 * (i / 3 % 3) + i % 3) << i;
  EXPECT_THAT(remarks_, ElementsAre(AllOf(HasSubstr("in Fortran order"), HasSubstr("none of them rounded"))));
}

TEST_F(NumberArrays, WhatHasNoFloat32SaysWhatToDo) {
  for (const char* const type : {"<c8", "|O", "<U3", "|b1", "<M8", "|V1", "<f", "f4", "<f44", "<f3", "|V8"})
    EXPECT_THAT(error_of([&] { load(type, std::string(24, '\0')); }),
                AllOf(HasSubstr(std::string("'") + type + "'"), HasSubstr("astype('float32') before it is saved")))
        << type;
}

TEST_F(NumberArrays, WeightsInAnotherOrderAreRecognised) {
  const auto why_not = [&](const std::string& shape, std::size_t count) {
    return error_of([&] { load("<f4", std::string(4 * count, '\0'), "False", shape); });
  };
  EXPECT_THAT(why_not("(3, 3, 3, 16)", 432),
              AllOf(HasSubstr("3 × 3 × 3 × 16, which looks like TensorFlow's"), HasSubstr("transpose(3, 2, 0, 1)")));
  EXPECT_THAT(why_not("(7, 7, 1, 2)", 98), HasSubstr("transpose(3, 2, 0, 1)"));
  EXPECT_THAT(why_not("(16, 5, 5, 3)", 1200),
              AllOf(HasSubstr("TensorFlow Lite's"), HasSubstr("transpose(0, 3, 1, 2)")));
  EXPECT_EQ(why_not("(3, 3, 3, 3)", 81), "no error") << "may be either";
  EXPECT_EQ(why_not("(2, 3, 4, 4)", 96), "no error") << "neither: two filters of three channels, even in size";
  EXPECT_THAT(why_not("(3, 5)", 15), HasSubstr("tile(array, (3, 1, 1, 1))"));
}

TEST_F(NumberArrays, NpzIsANetworkStoredOrDeflated) {
  for (const bool deflated : {false, true}) {
    remarks_.clear();
    const std::string path = write(
        "net.npz",
        zip_file(
            {{"conv2.weight.npy", npy_file(npy_header("(1, 2, 1, 1)", "<f8"), bytes_of<double>({3, 4})), deflated},
             {"conv1.weight.npy", npy_file(npy_header("(2, 1, 1, 1)"), bytes_of<float>({1, 2})), deflated},
             {"conv1.bias.npy", npy_file(npy_header("(2,)", "<f2"), bytes_of<std::uint16_t>({0x3c00, 0})), deflated},
             {"readme.txt", "not an array"}}));
    EXPECT_TRUE(is_network_path(path));
    const std::vector<NetworkLayer> layers = load_network(path, &remarks_);
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_THAT(layers[0].bank.weights, ElementsAre(1, 2));
    EXPECT_THAT(layers[0].bank.biases, ElementsAre(1, 0));
    EXPECT_THAT(layers[1].bank.weights, ElementsAre(3, 4));
    EXPECT_THAT(remarks_, ElementsAre(HasSubstr("(float16; float64)")));
  }
}

TEST_F(NumberArrays, ZipFilesThatLieAreRefused) {
  const std::string array = npy_file(npy_header("(1, 1, 1, 1)"), bytes_of<float>({1}));
  const std::string whole = zip_file({{"a.npy", array}, {"b.npy", array, true}});
  const auto why_not = [](const std::string& file, std::size_t most = 1000) {
    return error_of([&] {
      for (const ZipMember& member : zip_members(file, most)) unpack(member);
    });
  };
  EXPECT_EQ(why_not(whole), "no error");
  EXPECT_THAT(why_not(whole, 2 * array.size() - 1), HasSubstr("bytes together when they are unpacked"));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(why_not(whole.substr(0, length)), "no error") << length;
  std::string twice = whole;  // the second part's place in the directory becomes the first one's
  const std::size_t second = twice.rfind("PK\1\2");
  twice.replace(second + 42, 4, std::string(4, '\0'));
  EXPECT_THAT(why_not(twice), HasSubstr("share bytes"));
  std::string other = whole;
  other[other.find("NUMPY")] ^= 1;
  EXPECT_THAT(why_not(other), AllOf(HasSubstr("'a.npy'"), HasSubstr("checksum")));
  std::string encrypted = whole;
  encrypted[second + 8] |= 1;
  EXPECT_THAT(why_not(encrypted), HasSubstr("encrypted"));
  std::string packed = whole;
  packed[second + 10] = 14;
  EXPECT_THAT(why_not(packed), HasSubstr("method 14"));
  std::string larger = zip_file({{"a", std::string(100'000, '\0'), true}});
  larger.replace(larger.rfind("PK\1\2") + 24, 4, std::string("\x10\0\0\0", 4));  // says 16 bytes
  EXPECT_NE(why_not(larger), "no error") << "no more is unpacked than is said";
}

TEST_F(NumberArrays, ReadingEndsWhenItIsAskedTo) {
  const std::string bank = write("bank.npy", npy_file(npy_header("(1, 1, 1, 1)", "<f8"), bytes_of<double>({1})));
  const std::string json = write("bank.json", R"({"maps": 1, "channels": 1, "width": 1, "height": 1, "weights": [1]})");
  std::stop_source stop;
  const StopScope scope(stop.get_token());
  EXPECT_EQ(error_of([&] { load_bank(bank); }), "no error");
  stop.request_stop();
  for (const std::string& path : {bank, json})
    EXPECT_THAT(error_of([&] { load_bank(path); }), HasSubstr("given up")) << path;
  const NumberArray array{.shape = {1}, .type = find_number_type("float64"), .bytes = "12345678"};
  EXPECT_THAT(error_of([&] { numbers_of(array); }), HasSubstr("given up"));
}

}  // namespace
}  // namespace convoscope
