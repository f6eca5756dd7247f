// Banks as files, JSON and numpy's: what is read, what is written, and the sentences for all that can be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/text/error.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// As numpy writes them: `version` 1 has two bytes for the header's length, 2 has four.
std::string npy(const std::string& header, const std::string& numbers, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0', static_cast<char>(header.size()), '\0'};
  if (version == 2) bytes += {'\0', '\0'};
  return bytes + header + numbers;
}

std::string dictionary(const std::string& shape, const std::string& type = "<f4", const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }     \n";
}

const std::string one_to_three("\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0", 12);  // 1, 2, −3

class BankFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("convoscope_bank_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string load_error(const std::string& path) {
    return error_of([&] { load_bank(path); });
  }
  std::string json_error(const std::string& text) const { return load_error(write("test.json", text)); }
  std::string npy_error(const std::string& bytes) const { return load_error(write("test.npy", bytes)); }

  std::filesystem::path folder_;
};

TEST_F(BankFile, EveryBankSurvives) {
  for (const BankKind& kind : bank_kinds()) {
    Filter bank = kind.make(5, 3, 3);
    bank.name = "test";  // of a .npy its name is the file's
    for (const char* name : {"test.json", "test.npy"}) {
      save_bank(bank, path(name));
      EXPECT_EQ(load_bank(path(name)), bank) << kind.id << " " << name;
    }
    bank.name = "own";
    bank.biases = {0, 0.1f, -1, 2, 1e-30f};
    bank.relu = true;
    save_bank(bank, path("test.json"));
    EXPECT_EQ(load_bank(path("test.json")), bank) << kind.id;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2) << "nothing is left beside the files";
}

TEST_F(BankFile, JsonMayHaveRowsAndNeitherNameNorBiases) {
  const Filter bank = load_bank(write("mine.json", R"({"maps": 1, "channels": 2, "width": 3, "height": 3,
      "weights": [[1, 2, 3], [4, 5, 6], [7, 8, 9], [-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]})"));
  EXPECT_EQ(bank.name, "mine");
  EXPECT_EQ(bank.maps, 1);
  EXPECT_EQ(bank.channels, 2);
  EXPECT_EQ(bank.weights[14], 2);
  EXPECT_EQ(bank.weights[5], 6);
  EXPECT_TRUE(bank.biases.empty());
  EXPECT_FALSE(bank.relu);
}

TEST_F(BankFile, ReadsWhatNumpyWrites) {
  for (const int version : {1, 2}) {
    const Filter bank = load_bank(write("mine.npy", npy(dictionary("(3, 1, 1, 1)"), one_to_three, version)));
    EXPECT_EQ(bank.name, "mine");
    EXPECT_EQ(bank.maps, 3);
    EXPECT_EQ(bank.channels, 1);
    EXPECT_EQ(bank.width, 1);
    EXPECT_THAT(bank.weights, ElementsAre(1, 2, -3));
  }
  const std::string other = R"({"shape":(1,3,1,1),"fortran_order":False,"descr":"<f4"})";
  EXPECT_THAT(load_bank(write("OTHER.NPY", npy(other, one_to_three))).channels, 3);
}

TEST_F(BankFile, WritesWhatNumpyReads) {
  save_bank({.name = "x", .width = 1, .height = 1, .weights = {1, 2, -3}, .maps = 3, .channels = 1}, path("x.npy"));
  const std::string bytes = read("x.npy");
  ASSERT_EQ(bytes.size(), 128u + 12u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_TRUE(bytes.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1, 1, 1), }"));
  EXPECT_EQ(bytes[127], '\n') << "the numbers begin at a multiple of 64";
  EXPECT_EQ(bytes.substr(128), one_to_three);
  EXPECT_THAT(npy_bytes(std::vector{3}, std::vector{1.0f, 2.0f, -3.0f}), HasSubstr("'shape': (3, ), }"));
}

TEST_F(BankFile, NumpyFilesThatAreNoBankSayWhy) {
  const auto file = [](const std::string& shape, const std::string& type = "<f4", const std::string& order = "False") {
    return npy(dictionary(shape, type, order), one_to_three);
  };
  EXPECT_EQ(npy_error(file("(3, 1, 1, 1)")), "no error");
  EXPECT_THAT(load_error(path("missing")), HasSubstr("no such file"));
  EXPECT_THAT(load_error(path("missing.npy")), AllOf(HasSubstr("missing.npy"), HasSubstr("no such file")));
  EXPECT_THAT(npy_error(""), AllOf(HasSubstr("test.npy"), HasSubstr("does not begin")));
  EXPECT_THAT(npy_error("{\"width\": 3}"), AllOf(HasSubstr("test.npy"), HasSubstr("does not begin")));
  EXPECT_THAT(npy_error(file("(3, 1, 1, 1)", "<f8")),
              AllOf(HasSubstr("test.npy"), HasSubstr("12 bytes of numbers, but its shape needs 24")));
  EXPECT_THAT(npy_error(file("(3, 1, 1, 1)", "<c8")), AllOf(HasSubstr("test.npy"), HasSubstr("'<c8'")));
  EXPECT_THAT(npy_error(file("(3, 1, 1, 1)", "|O")), HasSubstr("'|O'"));
  EXPECT_THAT(npy_error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }\n", one_to_three)),
              HasSubstr("a list of fields"));
  EXPECT_THAT(npy_error(file("(3,)")), HasSubstr("its shape has 1 number; a bank's has four"));
  EXPECT_THAT(npy_error(file("(3, 1, 1, 1, 1)")), HasSubstr("its shape has 5 numbers"));
  EXPECT_THAT(npy_error(npy(dictionary("()"), one_to_three.substr(0, 4))), HasSubstr("its shape has 0 numbers"));
  EXPECT_THAT(npy_error(npy(dictionary("(0, 1, 1, 1)"), "")), HasSubstr("number of maps is 0"));
  EXPECT_THAT(npy_error(file("(1, 1, 1, 3)")), HasSubstr("must be square; these are 3 × 1"));
  EXPECT_EQ(npy_error(npy(dictionary("(1, 1, 2, 2)"), one_to_three + one_to_three.substr(0, 4))), "no error")
      << "an even size is one";
  EXPECT_THAT(npy_error(npy(dictionary("(1, 1, 1, 1)"), std::string("\0\0\xc0\x7f", 4))), HasSubstr("is NaN"));
  EXPECT_THAT(npy_error(npy(dictionary("(1, 1, 1, 1)"), std::string("\0\0\x80\xff", 4))), HasSubstr("is infinite"));
  EXPECT_THAT(npy_error(file("(3, 1, 3, 3)")), HasSubstr("12 bytes of numbers, but its shape needs 108"));
  EXPECT_THAT(npy_error(file("(2, 1, 1, 1)")), HasSubstr("12 bytes of numbers, but its shape needs 8"));
  EXPECT_THAT(npy_error(file("(2000000000, 2000000000, 2000000000, 2000000000)")), HasSubstr("its shape needs"));
  EXPECT_THAT(npy_error(file("(99999999999, 1, 1, 1)")), HasSubstr("too large"));
  for (const char* shape : {"(-3, 1, 1, 1)", "(3 1 1 1)", "(3, 1, 1, 1", "[3, 1, 1, 1]", "(3., 1, 1, 1)", "(,)"})
    EXPECT_THAT(npy_error(file(shape)), HasSubstr("not one that numpy writes")) << shape;
  for (const char* header : {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4", "{'descr': 7}", "{'more': 'x', }",
                             "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}"})
    EXPECT_THAT(npy_error(npy(header, "")), HasSubstr("not one that numpy writes")) << header;
}

TEST_F(BankFile, NumpyFilesThatEndTooSoonSaySo) {
  for (const int version : {1, 2}) {
    const std::string whole = npy(dictionary("(3, 1, 1, 1)"), one_to_three, version);
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_THAT(npy_error(whole.substr(0, length)), AllOf(HasSubstr("test.npy"), HasSubstr("cannot be used")))
          << length;
  }
  EXPECT_THAT(npy_error(npy(dictionary("(3, 1, 1, 1)"), one_to_three, 3)), HasSubstr("version 3.0"));
}

TEST_F(BankFile, JsonThatIsNoBankSaysWhy) {
  const auto with = [](const std::string& more) {
    return R"({"maps": 2, "channels": 1, "width": 1, "height": 1)" + more + "}";
  };
  EXPECT_EQ(json_error(with(R"(, "weights": [1, 2])")), "no error");
  EXPECT_THAT(json_error(""), AllOf(HasSubstr("test.json"), HasSubstr("bank file"), HasSubstr("empty")));
  EXPECT_THAT(json_error("{\"maps\": 3,\n \"x\" 1}"),
              AllOf(HasSubstr("not valid JSON"), HasSubstr("line 2, column 6")));
  EXPECT_THAT(json_error(std::string(200000, '[')), HasSubstr("not valid JSON"));
  EXPECT_THAT(json_error("{\"weights\": " + std::string(100, '[') + std::string(100, ']') + "}"),
              AllOf(HasSubstr("101 deep"), HasSubstr("the most is 64")));
  EXPECT_THAT(json_error("{\"name\": \"\\\"" + std::string(100, '[') + "\"}"), HasSubstr("'maps' is missing"));
  EXPECT_THAT(json_error("[1]"), HasSubstr("one JSON object, not array"));
  EXPECT_THAT(json_error(R"({"width": 1, "height": 1, "weights": [1]})"), HasSubstr("'maps' is missing"));
  EXPECT_THAT(json_error(with("")), HasSubstr("'weights' is missing"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, 2], "gain": 2)")),
              AllOf(HasSubstr("'gain' is unknown"), HasSubstr("biases and relu")));
  EXPECT_THAT(json_error(with(R"(, "weights": [1])")), HasSubstr("has 1 weight; for 2 maps of 1 channel"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, null])")), HasSubstr("number 2 of 'weights'"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, 1e300])")), HasSubstr("float32"));
  EXPECT_THAT(json_error("{\"weights\":\n [1, NaN]}"),
              AllOf(HasSubstr("test.json"), HasSubstr("the number in line 2, column 6 is NaN;")));
  EXPECT_THAT(json_error("{\"weights\": [-Infinity]}"), HasSubstr("is Infinity; a weight must be a finite number"));
  EXPECT_THAT(json_error("{\"weights\": [1, Nine]}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, 1e999])")), HasSubstr("number that is too large"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, 2], "biases": [1])")), HasSubstr("1 bias for 2 maps"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, 2], "relu": 1)")), HasSubstr("'relu' must be true or false"));
  EXPECT_THAT(json_error(with(R"(, "weights": [1, 2], "name": 1)")), HasSubstr("'name' must be text"));
  EXPECT_THAT(json_error(R"({"maps": 1.5, "channels": 1, "width": 1, "height": 1, "weights": [1]})"),
              AllOf(HasSubstr("'maps' is 1.5"), HasSubstr("whole number up to 1048576")));
  EXPECT_EQ(json_error(R"({"maps": 1, "channels": 1, "width": 2, "height": 2, "weights": [1, 2, 3, 4]})"), "no error");
}

TEST_F(BankFile, OtherFilesAreNotTouched) {
  const Filter bank = find_bank_kind("blur")->make(2, 1, 3);
  EXPECT_THAT(load_error(write("bank.txt", "1")), AllOf(HasSubstr("bank.txt"), HasSubstr(".json or .npy")));
  EXPECT_THROW(save_bank(bank, path("bank.txt")), Error);
  EXPECT_EQ(read("bank.txt"), "1");
  EXPECT_THROW(save_bank(bank, path("none/bank.npy")), Error);
  EXPECT_THROW(save_bank({.width = 3, .height = 3, .maps = 1, .channels = 1}, path("bank.npy")), Error);
  EXPECT_FALSE(std::filesystem::exists(path("bank.npy")));
  std::filesystem::create_directories(path("folder.npy"));
  EXPECT_THAT(load_error(path("folder.npy")), HasSubstr("it is a folder"));
  write("large.npy", "");
  std::filesystem::resize_file(path("large.npy"), (std::uintmax_t{1} << 29) + 65537);  // sparse
  EXPECT_THAT(load_error(path("large.npy")), HasSubstr("the most is 536,936,448"));
}

}  // namespace
}  // namespace convoscope
