// Numbers as a source: typed, and of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NumbersSource : public testing::Test {
 protected:
  NumbersSource() { std::filesystem::create_directories(folder_); }
  ~NumbersSource() override { std::filesystem::remove_all(folder_); }

  std::string file(const char* name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  static std::unique_ptr<FrameReader> open(const std::string& input) {
    ReaderOptions options;
    options.source.input = input;
    static Interrupt interrupt;
    EXPECT_EQ(source_for(input).kind.id, "numbers") << input;
    return source_for(input).open(options, interrupt);
  }
  static std::vector<float> numbers_of_frame(const VideoFrame& frame) {
    const VideoFormat& format = frame.format;
    std::vector<float> numbers(static_cast<std::size_t>(format.width) * static_cast<std::size_t>(format.height));
    std::memcpy(numbers.data(), frame.planes[0], numbers.size() * sizeof(float));
    return numbers;
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("numbers-source-" + std::to_string(::getpid()));
};

TEST_F(NumbersSource, IsOnePictureThatStays) {
  const auto reader = open("numbers:8 2 5 4 1 7 3");
  EXPECT_TRUE(reader->still());
  EXPECT_TRUE(reader->describe().numbers);
  EXPECT_EQ(reader->describe().width, 7);
  EXPECT_EQ(reader->describe().height, 1);
  FrameReader::Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_THAT(numbers_of_frame(frame.picture), ElementsAre(8, 2, 5, 4, 1, 7, 3));
  EXPECT_FALSE(reader->read(frame));
  ASSERT_TRUE(reader->seek_frame(0));
  EXPECT_TRUE(reader->read(frame));
}

TEST_F(NumbersSource, PlanesAreFramesOneASecond) {
  const auto reader = open("numbers:1 2; 3 -4;; 500 6; 7 8.5");
  EXPECT_FALSE(reader->still());
  EXPECT_EQ(reader->describe().frames, 2);
  EXPECT_EQ(reader->describe().rate, 1);
  ASSERT_TRUE(reader->seek_seconds(1));
  FrameReader::Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_EQ(frame.picture.number, 1);
  EXPECT_THAT(numbers_of_frame(frame.picture), ElementsAre(500, 6, 7, 8.5f));
}

TEST_F(NumbersSource, ChannelsLieOneBelowTheOther) {
  const auto reader = open("channels:1 2; 3 4;; 5 6; 7 8;; 9 10; 11 12");
  EXPECT_TRUE(reader->still());
  FrameReader::Frame frame;
  ASSERT_TRUE(reader->read(frame));
  EXPECT_EQ(frame.picture.format.stacked, 3);
  EXPECT_EQ(frame.picture.format.height, 6);
  EXPECT_THAT(numbers_of_frame(frame.picture), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST_F(NumbersSource, ANumberOutlivesItsReader) {
  FrameReader::Frame frame;
  ASSERT_TRUE(open("numbers:1 2 3")->read(frame));
  EXPECT_THAT(numbers_of_frame(frame.picture), ElementsAre(1, 2, 3));
}

TEST_F(NumbersSource, FilesAreTakenByWhatTheyHold) {
  FrameReader::Frame frame;
  ASSERT_TRUE(open(file("a.csv", "1,2,3\n4,5,6\n"))->read(frame));
  EXPECT_EQ(frame.picture.format.height, 2);
  EXPECT_THAT(numbers_of_frame(frame.picture), ElementsAre(1, 2, 3, 4, 5, 6));
  ASSERT_TRUE(open(file("b.txt", "7 8\n"))->read(frame));
  EXPECT_NE(source_for(file("list.txt", "file 'a.mp4'\n")).kind.id, "numbers");
  EXPECT_NE(source_for((folder_ / "missing.csv").string()).kind.id, "numbers");
  EXPECT_THAT(source_for(file("c.csv", "1\n")).files((folder_ / "c.csv").string()), ElementsAre(folder_ / "c.csv"));
}

TEST_F(NumbersSource, WhatIsNoneIsRefusedWithItsReason) {
  const auto why = [](const std::string& input) {
    SourceSettings settings;
    settings.input = input;
    return why_not_opened(settings);
  };
  EXPECT_EQ(why("numbers:1 2; 3 4"), "");
  EXPECT_THAT(why("numbers:"), HasSubstr("has no numbers"));
  EXPECT_THAT(why("numbers:1 2; 3"), HasSubstr("1 numbers in row 2"));
  EXPECT_THAT(why("numbers:1 two"), HasSubstr("two"));
  std::string wide = "numbers:";
  for (int i = 0; i < 16385; ++i) wide += "1 ";
  EXPECT_THAT(why(wide), HasSubstr("16,384 a side"));
  EXPECT_THROW(open(file("bad.npy", "no array")), Error);
  EXPECT_THROW(open(file("words.csv", "a,b\n1,2\n")), Error);
}

}  // namespace
}  // namespace convoscope
