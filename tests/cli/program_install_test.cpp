// make install and make uninstall: everything that belongs to the program, and nothing stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(folder).string());
  return files;
}

TEST(Install, PutsEverythingInItsPlaceAndTakesItAwayAgain) {
  const Folder folder;
  const std::string destination = folder / "a place";  // as packagers do it, and with a space
  ASSERT_EQ(bash(folder.path(), "DESTDIR=\"" + destination +
                                    "\" cmake --install " CONVOSCOPE_BUILD " --prefix /usr/local > said 2>&1"),
            0)
      << folder.read("said");
  EXPECT_THAT(
      files_in(destination),
      testing::UnorderedElementsAre(
          "usr/local/bin/convoscope", "usr/local/share/applications/convoscope.desktop",
          "usr/local/share/bash-completion/completions/convoscope", "usr/local/share/doc/convoscope/copyright",
          "usr/local/share/fish/vendor_completions.d/convoscope.fish",
          "usr/local/share/icons/hicolor/scalable/apps/convoscope.svg", "usr/local/share/man/man1/convoscope.1.gz",
          "usr/local/share/mime/packages/convoscope.xml", "usr/local/share/zsh/site-functions/_convoscope"));
  EXPECT_EQ(bash(folder.path(),
                 "\"$PWD/a place/usr/local/bin/convoscope\" --version > said && "
                 "zcat a\\ place/usr/local/share/man/man1/convoscope.1.gz | mandoc -T lint -W warning && "
                 "bash -n a\\ place/usr/local/share/bash-completion/completions/convoscope"),
            0);
  EXPECT_EQ(bash(folder.path(), "make -s -C " CONVOSCOPE_SOURCE " uninstall DESTDIR=\"" + destination +
                                    "\" INSTALLED=" CONVOSCOPE_BUILD "/install_manifest.txt > said 2>&1"),
            0)
      << folder.read("said");
  EXPECT_THAT(files_in(destination), testing::IsEmpty());
}

TEST(Install, SaysThatNothingIsThereToTakeAway) {
  const Folder folder;
  EXPECT_NE(bash(folder.path(), "make -s -C " CONVOSCOPE_SOURCE " uninstall INSTALLED=$PWD/none > said 2>&1"), 0);
  EXPECT_THAT(folder.read("said"), testing::HasSubstr("Nothing has been installed"));
}

}  // namespace
}  // namespace convoscope
