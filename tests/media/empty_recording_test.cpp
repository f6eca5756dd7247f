// A recording that is ended before its first picture leaves nothing behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/media/write/recorder.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

RecordingSettings small_settings_for(const std::string& path) {
  RecordingSettings settings;
  settings.path = path;
  settings.width = 128;
  settings.height = 64;
  settings.rate = 25;
  return settings;
}

TEST(EmptyRecording, LeavesNoFile) {
  const std::string folder = fresh_folder("recorder-empty");
  for (const char* name : {"/a.mkv", "/a.mp4"}) {
    const auto recorder = Recorder::open(small_settings_for(folder + name));
    recorder->wait_until_open();
    recorder->finish();
    EXPECT_EQ(recorder->frames_written(), 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(EmptyRecording, LeavesAnOlderFileAsItIs) {
  const std::string folder = fresh_folder("recorder-empty-over"), path = folder + "/old.mkv";
  std::ofstream(path) << "old";
  Recorder::open(small_settings_for(path))->finish();
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
  std::filesystem::remove(path);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "no draft either";
}

}  // namespace
}  // namespace convoscope::test
