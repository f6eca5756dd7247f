// What killed runs leave does not pile up, whatever they wrote.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels/files/output_file.h"
#include "kernels/files/part_mark.h"
#include "tests/cli/folder.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

class OutputParts : public testing::Test {
 protected:
  void SetUp() override {
    begin_part(Descriptor(::open((folder_ / "marked").c_str(), O_RDWR | O_CREAT, 0600)));
    if (!is_marked("marked")) GTEST_SKIP() << "the file system keeps no attributes";
    fs::remove(folder_ / "marked");
  }
  bool is_marked(const std::string& name) const {
    return ::getxattr((folder_ / name).c_str(), "user.convoscope.part", nullptr, 0) >= 0;
  }
  // A program that is killed has no time to remove anything.
  void begin_and_die(const std::string& name, OutputFile::Use use) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const OutputFile file(folder_ / name, use);
      std::ofstream(file.draft()) << "half";
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }
  const Folder folder_;
};

TEST_F(OutputParts, OfKilledRunsAreOneAName) {
  for (const OutputFile::Use use : {OutputFile::Use::whole_or_nothing, OutputFile::Use::part_until_whole}) {
    for (int i = 0; i < 3; ++i) begin_and_die("a.png", use);
    EXPECT_FALSE(fs::exists(folder_ / "a.png"));
    EXPECT_EQ(files(), 1);
    write_file(folder_ / "a.png", "whole", use);
    EXPECT_EQ(folder_.read("a.png"), "whole");
    EXPECT_EQ(files(), 1) << "nothing is left beside it";
    fs::remove(folder_ / "a.png");
  }
}

// It is no whole result before it has its name, and the next run would leave it for ever.
TEST_F(OutputParts, BearTheirMarkInABetterFormToo) {
  OutputFile file(folder_ / "a.mp4", OutputFile::Use::part_until_whole);
  folder_.write("better", "second");
  ASSERT_TRUE(file.take_in(Descriptor(::open((folder_ / "better").c_str(), O_RDWR)), folder_ / "better"));
  EXPECT_TRUE(is_marked("a.part.mp4"));
  EXPECT_FALSE(remove_left_part(folder_ / "a.part.mp4")) << "it is being written";
  file.keep();
  EXPECT_FALSE(is_marked("a.mp4"));
}

}  // namespace
}  // namespace convoscope
