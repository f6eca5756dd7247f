// Where the window saves of its own accord.
#include "app/files/user_folders.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/files/paths.h"

namespace convoscope::test {
namespace {

namespace fs = std::filesystem;

class UserFoldersTest : public testing::Test {
 protected:
  UserFoldersTest() {
    for (const char* const name : {"HOME", "XDG_CONFIG_HOME"})
      if (const char* const value = std::getenv(name)) before_.emplace_back(name, value);
    fs::create_directories(home_);
    setenv("HOME", home_.c_str(), 1);
    setenv("XDG_CONFIG_HOME", (home_ / "config").c_str(), 1);
  }
  ~UserFoldersTest() override {
    for (const char* const name : {"HOME", "XDG_CONFIG_HOME"}) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
    fs::remove_all(home_);
  }
  void name_folders(const std::string& text) {
    fs::create_directories(home_ / "config");
    std::ofstream(home_ / "config" / "user-dirs.dirs") << text;
  }
  const fs::path home_ = fs::temp_directory_path() / ("user-folders-" + std::to_string(getpid()));

 private:
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(UserFoldersTest, AreThoseThatTheDesktopNames) {
  fs::create_directories(home_ / "Bilder \"neu\"");
  fs::create_directories(home_ / "films");
  name_folders("# a comment\nXDG_PICTURES_DIR=\"$HOME/Bilder \\\"neu\\\"\"\nXDG_VIDEOS_DIR=\"" +
               (home_ / "films").string() + "\"\n");
  const UserFolders found = user_folders("/started");
  EXPECT_EQ(found.pictures, home_ / "Bilder \"neu\"");
  EXPECT_EQ(found.videos, home_ / "films");
}

TEST_F(UserFoldersTest, AreTheUsualOnesElseHomeElseWhereItStarted) {
  fs::create_directories(home_ / "Videos");
  name_folders("XDG_VIDEOS_DIR=\"$HOME/gone\"\nXDG_PICTURES_DIR=\nnonsense\n");
  EXPECT_EQ(user_folders("/started").videos, home_ / "Videos") << "the one that is named is not there";
  EXPECT_EQ(user_folders("/started").pictures, home_);
  setenv("HOME", "/nowhere/at/all", 1);
  EXPECT_EQ(user_folders("/started").pictures, "/started");
}

TEST(SourceName, IsTheFilesAndNotThePaths) {
  EXPECT_EQ(source_name("/a/very/long/way/clip.mp4"), "clip.mp4");
  EXPECT_EQ(source_name("shots/"), "shots");
  EXPECT_EQ(source_name("shots/*.png"), "*.png");
  EXPECT_EQ(source_name("rtsp://host/stream"), "rtsp://host/stream");
  EXPECT_EQ(source_name("camera:0"), "camera:0");
  EXPECT_EQ(source_name("/"), "/");
}

}  // namespace
}  // namespace convoscope::test
