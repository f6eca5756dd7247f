// Filters as JSON files: what is read, what is written, and the sentences for all that can be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kernels/contract/data/filter.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/text/error.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FilterFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("convoscope_filter_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "test.json") const { return (folder_ / name).string(); }
  std::string write(const std::string& text) const {
    std::ofstream(path(), std::ios::binary) << text;
    return path();
  }
  std::string error(const std::string& text) const { return load_error(write(text)); }
  static std::string load_error(const std::string& path) {
    return error_of([&] { load_filter(path); });
  }

  std::filesystem::path folder_;
};

TEST_F(FilterFile, ReadsWhatADocumentSays) {
  const Filter f = load_filter(write(
      R"({"name": "edge", "width": 3, "height": 1, "weights": [-1, 0, 1.5], "gain": 0.5, "bias": 0.25,
          "absolute": true})"));
  EXPECT_EQ(f, (Filter{"edge", 3, 1, {-1, 0, 1.5f}, {}, 0.5f, 0.25f, true}));
}

TEST_F(FilterFile, NameGainBiasAndAbsoluteMayBeLeftOut) {
  const Filter f = load_filter(write(R"({"width": 1, "height": 1, "weights": [2]})"));
  EXPECT_EQ(f, (Filter{"test", 1, 1, {2}, {}, 1, 0, false}));
}

TEST_F(FilterFile, ReadsRows) {
  EXPECT_EQ(load_filter(write(R"({"width": 3, "height": 3, "weights": [[1,2,3],[4,5,6],[7,8,9]]})")).weights[5], 6);
  EXPECT_THAT(error(R"({"width": 3, "height": 3, "weights": [[1,2,3],[4,5],[7,8,9]]})"),
              HasSubstr("row 2 of 'weights' has 2"));
}

TEST_F(FilterFile, EveryFilterOfTheCatalogueSurvives) {
  for (const FilterKind& kind : filter_kinds()) {
    const Filter filter = parse_filter(std::string(kind.id)).filter;
    save_filter(filter, path());
    EXPECT_EQ(load_filter(path()), filter) << kind.id;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "nothing is left beside the file";
}

TEST_F(FilterFile, SavesNumbersAsPeopleWriteThem) {
  save_filter(parse_matrix("0.1 0.2 0.3"), path());
  std::ifstream file(path());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("[0.1,0.2,0.3]"));
}

TEST_F(FilterFile, ErrorsNameTheFileAndTheValue) {
  EXPECT_THAT(load_error(path("missing.json")), AllOf(HasSubstr("missing.json"), HasSubstr("no such file")));
  EXPECT_THAT(load_error(folder_.string()), HasSubstr("folder"));
  EXPECT_THAT(load_error("/dev/null"), HasSubstr("not a regular file"));
  EXPECT_THAT(error(""), AllOf(HasSubstr("test.json"), HasSubstr("empty")));
  EXPECT_THAT(error("{\"width\": 3,"), AllOf(HasSubstr("test.json"), HasSubstr("not valid JSON")));
  EXPECT_THAT(error("\x89PNG\r\n\x1a\n\0\0"), HasSubstr("not valid JSON"));
  EXPECT_THAT(error("[1, 2, 3]"), HasSubstr("one JSON object, not array"));
  EXPECT_THAT(error(R"({"height": 1, "weights": [1]})"), HasSubstr("'width' is missing"));
  EXPECT_THAT(error(R"({"width": 1, "weights": [1]})"), HasSubstr("'height' is missing"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1})"), HasSubstr("'weights' is missing"));
  EXPECT_THAT(error(R"({"width": "3", "height": 1, "weights": [1]})"),
              HasSubstr("'width' must be a whole number, not string"));
  EXPECT_THAT(error(R"({"width": 2.5, "height": 1, "weights": [1]})"), HasSubstr("'width' is 2.5"));
  EXPECT_THAT(error(R"({"width": 1e30, "height": 1, "weights": [1]})"), HasSubstr("1e+30"));
  EXPECT_THAT(error(R"({"width": 4, "height": 1, "weights": [1,2,3,4]})"),
              AllOf(HasSubstr("width is 4"), HasSubstr("odd")));
  EXPECT_THAT(error(R"({"width": -3, "height": 1, "weights": []})"), HasSubstr("-3"));
  EXPECT_THAT(error(R"({"width": 999, "height": 999, "weights": [1]})"), HasSubstr("998,001"));
  EXPECT_THAT(error(R"({"width": 3, "height": 1, "weights": [1, 2]})"),
              AllOf(HasSubstr("2 weights"), HasSubstr("needs 3")));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": 1})"), HasSubstr("'weights' must be a list"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1], "width": 1})"), HasSubstr("has 'width' twice"));
  EXPECT_THAT(error(R"({"width": 3, "height": 1, "weights": [1, null, 2]})"),
              AllOf(HasSubstr("number 2 of 'weights'"), HasSubstr("null")));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": ["1"]})"), HasSubstr("not string"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1e300]})"), HasSubstr("float32"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1e999]})"),
              HasSubstr("number that is too large, in line 1, column 39"));
  EXPECT_THAT(error("{\"width\": 3,\n \"height\" 1}"), HasSubstr("line 2, column 11"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [NaN]})"), HasSubstr("is NaN; a weight must be"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1], "gain": "big"})"),
              HasSubstr("'gain' must be a number"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1], "absolute": 1})"),
              HasSubstr("'absolute' must be true or false"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1], "name": 7})"), HasSubstr("'name' must be text"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1], "gian": 2})"), HasSubstr("'gian' is unknown"));
  EXPECT_THAT(error(R"({"width": 1, "height": 1, "weights": [1], "weights_y": []})"),
              HasSubstr("'weights_y' is empty"));
  EXPECT_THAT(error(std::string((4 << 20) + 1, ' ')), HasSubstr("4,194,305 bytes"));
  EXPECT_THAT(error(std::string(200000, '[')), HasSubstr("test.json"));
}

TEST_F(FilterFile, CannotBeWrittenWhereThereIsNoFolder) {
  EXPECT_THROW(save_filter(parse_matrix("1"), path("none/test.json")), Error);
  EXPECT_THROW(save_filter({.width = 2, .height = 1, .weights = {1, 1}}, path()), Error);
}

TEST_F(FilterFile, IsAFilterOnTheCommandLine) {
  save_filter(parse_matrix("1 2 3"), path());
  const FilterSpec spec = parse_filter(path());
  EXPECT_EQ(spec.kind, "custom");
  EXPECT_EQ(spec.filter.weights, parse_matrix("1 2 3").weights);
  EXPECT_EQ(parse_filter(path() + ":gain=2").filter.gain, 2);
  EXPECT_THROW(parse_filter(path("missing.json")), Error);
}

}  // namespace
}  // namespace convoscope
