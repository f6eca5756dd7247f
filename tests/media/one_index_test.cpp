// A finished .mp4 or .mov has one index at its front, whichever way it came about, and is as it was where that fails.
#include "app/media/write/one_index.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/media/write/muxed_output.h"
#include "app/media/write/whole_file.h"
#include "tests/media/recorder_test.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint64_t big_endian(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
  return number;
}

// The names of its outermost boxes, "ftyp moov free mdat".
std::string boxes(const std::string& path) {
  const std::string bytes = bytes_of_file(path);
  std::string names;
  for (std::size_t at = 0; at + 8 <= bytes.size();) {
    const std::uint64_t size = big_endian(bytes, at, 4);
    names += (names.empty() ? "" : " ") + bytes.substr(at + 4, 4);
    at += size == 1 ? big_endian(bytes, at + 8, 8) : std::max<std::uint64_t>(size, 8);
  }
  return names;
}

// Of all edit lists, the shortest; in the movie's units.
std::uint64_t shortest_edit(const std::string& path) {
  const std::string bytes = bytes_of_file(path);
  std::uint64_t shortest = UINT64_MAX;
  for (std::size_t at = bytes.find("elst"); at != std::string::npos; at = bytes.find("elst", at + 4))
    shortest = std::min(shortest, big_endian(bytes, at + 12, 4));
  return shortest;
}

RecordingSettings settings_in(const std::string& folder, const std::string& name) {
  RecordingSettings settings = settings_for(folder + "/" + name, 64, 48);
  settings.metadata = {{"title", "An index"}, {"encoder_settings", "convoscope box"}};
  return settings;
}

void add_pictures(MuxedOutput& output, const RecordingSettings& settings, int count) {
  std::vector<std::uint8_t> bytes(std::size_t{64} * 48 * 4);
  const Image image{bytes.data(), 64, 48, 256, PixelFormat::rgba8};
  const std::int64_t tick = settings.tick_denominator / 25;
  for (int i = 0; i < count; ++i) {
    std::fill(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(i * 5));
    output.add(image, i * tick, tick);
  }
}

// Where it lies until it is whole.
std::string part_of(const std::string& path) {
  const std::filesystem::path name = path;
  const std::filesystem::path part = name.parent_path() / (name.stem().string() + ".part" + name.extension().string());
  return std::filesystem::exists(part) ? part.string() : path;
}

const std::string with_one_index = "ftyp moov free free mdat";  // the second free holds the place of a longer number

TEST(OneIndex, IsAtTheFrontOfWhatIsFinished) {
  const std::string folder = fresh_folder("one-index");
  for (const char* const name : {"a.mp4", "a.mov"})
    for (const MuxedOutput::Header header : {MuxedOutput::Header::with_first_piece, MuxedOutput::Header::at_once}) {
      SCOPED_TRACE(name);
      const RecordingSettings settings = settings_in(folder, name);
      MuxedOutput output(settings, {}, {25, 1}, header);
      add_pictures(output, settings, 50);
      EXPECT_THAT(boxes(part_of(settings.path)), HasSubstr("moof")) << "plays whenever writing ends";
      EXPECT_TRUE(output.finish(true));
      EXPECT_EQ(output.note(), "");
      EXPECT_TRUE(std::filesystem::exists(settings.path));
      EXPECT_THAT(boxes(settings.path),
                  testing::AnyOf("ftyp moov free mdat", with_one_index, "ftyp moov free wide mdat"));
      EXPECT_EQ(probe(settings.path, "stream=nb_frames,duration"), "2.000000,50");
      EXPECT_EQ(probe(settings.path, "stream=nb_read_frames"), "50");
      EXPECT_THAT(output_of("ffprobe -v error -show_entries format_tags '" + settings.path + "'"),
                  testing::AllOf(HasSubstr("TAG:title=An index"), HasSubstr("TAG:encoder_settings=convoscope box")));
      EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 1);
      std::filesystem::remove(settings.path);
    }
}

// The place of an older file is taken by what has the index.
TEST(OneIndex, IsInWhatTakesTheNameOfAnOlderFile) {
  const RecordingSettings settings = settings_in(fresh_folder("one-index-older"), "a.mp4");
  std::ofstream(settings.path) << "older";
  std::filesystem::permissions(settings.path, std::filesystem::perms(0640));
  MuxedOutput output(settings, {}, {25, 1}, MuxedOutput::Header::at_once);
  add_pictures(output, settings, 10);
  EXPECT_TRUE(output.finish(true));
  EXPECT_EQ(boxes(settings.path).find("moof"), std::string::npos);
  EXPECT_EQ(std::filesystem::status(settings.path).permissions(), std::filesystem::perms(0640));
}

TEST(OneIndex, IsNotMadeOfWhatIsNotWhole) {
  const RecordingSettings settings = settings_in(fresh_folder("one-index-part"), "a.mp4");
  MuxedOutput output(settings, {}, {25, 1}, MuxedOutput::Header::at_once);
  add_pictures(output, settings, 10);
  output.finish(false);
  EXPECT_EQ(output.note(), "");
}

// As where the disk has no room: what was written stays, is said to, and plays.
TEST(OneIndex, WhereNoFileCanBeMadeThePiecesStay) {
  const std::string folder = fresh_folder("one-index-none");
  const RecordingSettings settings = settings_in(folder, "a.mp4");
  MuxedOutput output(settings, {}, {25, 1}, MuxedOutput::Header::at_once);
  add_pictures(output, settings, 50);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit no_more{3, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &no_more);
  const bool kept = output.finish(true);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(kept);
  EXPECT_THAT(output.note(), HasSubstr("its index stays in pieces, so that some programs misjudge its length"));
  EXPECT_THAT(boxes(settings.path), HasSubstr("moof"));
  EXPECT_EQ(probe(settings.path, "stream=nb_read_frames"), "50");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 1);
}

TEST(OneIndex, WhereTheDiskIsFullThePiecesStay) {
  const std::string folder = fresh_folder("one-index-disk");
  if (run("mount -t tmpfs -o size=400k tmpfs '" + folder + "' 2>/dev/null") != 0)
    GTEST_SKIP() << "may not mount a small disk";
  RecordingSettings settings = settings_for(folder + "/a.mp4");
  {
    Lender lender(settings);
    lender.noisy = true;
    const auto recorder = Recorder::open(settings);
    recorder->wait_until_open();
    for (int i = 0; i < 1000 && std::filesystem::file_size(part_of(settings.path)) < 200'000; ++i)
      lender.lend(*recorder, i, i / 25.0);
    recorder->finish();
    EXPECT_THAT(recorder->note(), HasSubstr("there is no room for a copy with one index"));
    EXPECT_THAT(boxes(settings.path), HasSubstr("moof"));
    EXPECT_EQ(probe(settings.path, "stream=nb_read_frames"), std::to_string(recorder->frames_written()));
  }
  run("umount '" + folder + "'");
}

// Older readers play what comes before time 0 where the list that cuts it away lasts for no time.
TEST(OneIndex, SaysHowLongTheSoundLasts) {
  const std::string folder = fresh_folder("one-index-sound");
  for (const std::string codec : {"aac", "libmp3lame"})
    for (const std::string name : {"/a.mp4", "/a.mov"}) {
      SCOPED_TRACE(codec + name);
      if (!has_encoder(codec)) continue;
      ASSERT_EQ(run("ffmpeg -nostdin -v error -y -f lavfi -i color=size=64x48:rate=25:duration=0.4 -f lavfi -i "
                    "sine=sample_rate=48000:duration=0.4 -c:v mpeg4 -c:a " +
                    codec + " '" + folder + "/in.mp4'"),
                0);
      WholeFileSettings settings;
      settings.input = folder + "/in.mp4";
      settings.output = folder + name;
      Interrupt interrupt;
      const auto whole = WholeFile::open(settings, interrupt);
      std::vector<std::uint8_t> black(std::size_t{4} * 64 * 48);
      PictureMoment moment;
      for (VideoFrame frame; whole->read(frame, moment);)
        whole->write({black.data(), 64, 48, 256, PixelFormat::rgba8}, moment);
      whole->finish(true);
      EXPECT_NEAR(static_cast<double>(shortest_edit(settings.output)), 0.4 * 90'000, 100);
    }
}

}  // namespace
}  // namespace convoscope::test
