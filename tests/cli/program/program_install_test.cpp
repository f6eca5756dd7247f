// make install and make uninstall: everything that belongs to the program, and nothing stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(folder).string());
  return files;
}

// make install and uninstall of this build, whose list of files is kept in `folder`, so that tests run side by side.
class Install : public testing::Test {
 protected:
  void make_tree(const std::string& program) {
    std::string script = content_of(CONVOSCOPE_BUILD "/cmake_install.cmake");
    for (const auto& [there, here] : {std::pair{std::string("\"" CONVOSCOPE_BUILD "/${CMAKE_INSTALL_MANIFEST}\""),
                                                "\"" + folder_ / "tree" + "/${CMAKE_INSTALL_MANIFEST}\""},
                                      std::pair{std::string("\"" CONVOSCOPE_PROGRAM "\""), "\"" + program + "\""}}) {
      const std::size_t at = script.find(there);
      ASSERT_NE(at, std::string::npos) << there << " is not in the script";
      script.replace(at, there.size(), here);
    }
    fs::create_directory(folder_ / "tree");
    folder_.write("tree/cmake_install.cmake", script);
  }
  void make(const std::string& what) {
    ASSERT_EQ(bash(folder_.path(), "PATH=\"$PWD/tools:$PATH\" make -s -C " CONVOSCOPE_SOURCE " -o release " + what +
                                       " BUILD=\"$PWD/tree\" > said 2>&1"),
              0)
        << folder_.read("said");
  }
  static std::string content_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  const Folder folder_;
};

TEST_F(Install, PutsEverythingInItsPlaceAndTakesItAwayAgain) {
  make_tree(CONVOSCOPE_PROGRAM);
  const std::string destination = folder_ / "a place";  // as packagers do it, and with a space
  make("install DESTDIR=\"" + destination + "\"");
  EXPECT_THAT(
      files_in(destination),
      testing::UnorderedElementsAre(
          "usr/local/bin/convoscope", "usr/local/share/applications/convoscope.desktop",
          "usr/local/share/bash-completion/completions/convoscope", "usr/local/share/doc/convoscope/copyright",
          "usr/local/share/fish/vendor_completions.d/convoscope.fish",
          "usr/local/share/icons/hicolor/scalable/apps/convoscope.svg", "usr/local/share/man/man1/convoscope.1.gz",
          "usr/local/share/mime/packages/convoscope.xml", "usr/local/share/zsh/site-functions/_convoscope"));
  EXPECT_EQ(bash(folder_.path(),
                 "\"$PWD/a place/usr/local/bin/convoscope\" --version > said && "
                 "zcat a\\ place/usr/local/share/man/man1/convoscope.1.gz | mandoc -T lint -W warning && "
                 "bash -n a\\ place/usr/local/share/bash-completion/completions/convoscope"),
            0);
  make("uninstall DESTDIR=\"" + destination + "\"");
  EXPECT_THAT(files_in(destination), testing::IsEmpty());
  EXPECT_FALSE(fs::exists(destination + "/usr/local")) << "a folder of ours, and empty";
}

// Tools that leave what the desktop's own do, and say what they were asked.
constexpr const char* tool = "#!/bin/bash\necho \"${0##*/} $*\" >> \"${0%/*}/../asked\"\nfor folder; do :; done\n";

TEST_F(Install, TellsTheDesktopAndLeavesNoTableBehind) {
  make_tree("/bin/true");  // soon copied
  fs::create_directory(folder_ / "tools");
  folder_.write("tools/update-desktop-database", std::string(tool) + "echo x > $folder/mimeinfo.cache\n");
  folder_.write("tools/update-mime-database",
                std::string(tool) + "touch $folder/{globs2,magic,mime.cache}; mkdir -p $folder/video\n");
  folder_.write("tools/gtk-update-icon-cache", std::string(tool) + "touch $folder/icon-theme.cache\n");
  ASSERT_EQ(bash(folder_.path(), "chmod +x tools/*; mkdir -p mine/share/man"), 0);
  make("install PREFIX=\"$PWD/mine\"");
  EXPECT_EQ(folder_.read("asked"), "update-desktop-database -q applications\nupdate-mime-database " +
                                       folder_ / "mine/share/mime" +
                                       "\n"
                                       "gtk-update-icon-cache -qtf icons/hicolor\n");
  make("install PREFIX=\"$PWD/mine\"");  // once more: what was ours remains ours
  make("uninstall");                     // it is known where
  EXPECT_THAT(files_in(folder_ / "mine"), testing::IsEmpty());
  EXPECT_TRUE(fs::exists(folder_ / "mine/share/man")) << "it was there before";
  EXPECT_FALSE(fs::exists(folder_ / "mine/bin"));
  EXPECT_FALSE(fs::exists(folder_ / "mine/share/mime"));
}

// Where other programs are, their tables are made anew without ours.
TEST_F(Install, LeavesWhatOthersHave) {
  make_tree("/bin/true");
  ASSERT_EQ(bash(folder_.path(),
                 "mkdir -p mine/share/{applications,mime/packages,icons/hicolor/scalable/apps} && cd mine/share && "
                 "touch applications/other.desktop mime/packages/other.xml icons/hicolor/scalable/apps/other.svg && "
                 "mkdir -p ../../tools && for t in update-desktop-database update-mime-database gtk-update-icon-cache; "
                 "do cp /bin/true ../../tools/$t; done; "
                 "touch applications/mimeinfo.cache mime/globs2 icons/hicolor/icon-theme.cache"),
            0);
  const std::vector<std::string> before = files_in(folder_ / "mine");
  make("install PREFIX=\"$PWD/mine\"");
  EXPECT_EQ(files_in(folder_ / "mine").size(), before.size() + 9);
  make("uninstall");  // it is known where
  EXPECT_THAT(files_in(folder_ / "mine"), testing::UnorderedElementsAreArray(before));
}

TEST_F(Install, SaysThatNothingIsThereToTakeAway) {
  EXPECT_NE(bash(folder_.path(), "make -s -C " CONVOSCOPE_SOURCE " uninstall INSTALLED=$PWD/none > said 2>&1"), 0);
  EXPECT_THAT(folder_.read("said"), testing::HasSubstr("Nothing has been installed"));
}

}  // namespace
}  // namespace convoscope
