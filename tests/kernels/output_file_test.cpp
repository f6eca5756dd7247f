// What is under a name stays until something whole takes its place.
#include "kernels/files/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "kernels/files/part_mark.h"
#include "kernels/text/error.h"
#include "tests/error_of.h"

namespace {
enum class FileSystem { of_linux, with_links, simple } file_system = FileSystem::of_linux;

int refuse(int problem) {
  errno = problem;
  return -1;
}
}  // namespace

// Instead of the C library's.
extern "C" int renameat2(int from, const char* old_name, int to, const char* new_name, unsigned flags) noexcept {
  if (file_system != FileSystem::of_linux) return refuse(EINVAL);
  return static_cast<int>(::syscall(SYS_renameat2, from, old_name, to, new_name, flags));
}
extern "C" int link(const char* from, const char* to) noexcept {
  if (file_system == FileSystem::simple) return refuse(EPERM);
  return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Output : public testing::Test {
 protected:
  Output() {
    std::string name = (fs::temp_directory_path() / "convoscope-output-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Output() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  std::string folder_;
};

// Nothing larger than `bytes` can be written while it lives.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int) = nullptr;
};

TEST_F(Output, AFailureLeavesWhatWasThere) {
  put(path("old"), "old");
  {
    const SmallFiles limit(100);
    EXPECT_THROW(write_file(path("old"), std::string(1000, 'x')), Error);
    EXPECT_THROW(write_file(path("new"), std::string(1000, 'x')), Error);
  }
  EXPECT_EQ(text(path("old")), "old");
  EXPECT_FALSE(fs::exists(path("new")));
  EXPECT_EQ(files(), 1) << "and no draft";
  write_file(path("old"), "new");
  EXPECT_EQ(text(path("old")), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, ANameThatNoFileCanHaveLeavesNothing) {
  EXPECT_THROW(write_file(path(std::string(300, 'y')), "text"), Error);
  EXPECT_EQ(files(), 0);
}

TEST_F(Output, RightsAndLinksStay) {
  put(path("file"), "old");
  fs::permissions(path("file"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text(path("file")), "new");
  EXPECT_EQ(fs::status(path("file")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Output, APipeThatWouldWaitForItsReaderIsRefused) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", path("link"));
  EXPECT_THROW(write_file(path("pipe"), "x"), Error);
  EXPECT_THROW(OutputFile(path("link"), OutputFile::Use::part_until_whole), Error);
  EXPECT_FALSE(is_named_pipe("/dev/stdout"));
}

TEST_F(Output, DevicesAreWrittenToAsTheyAre) {
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
  EXPECT_THROW(write_file("/dev/full", "x"), Error);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file(folder_, "x"), Error);
  EXPECT_THROW(write_file(path("none/file"), "x"), Error);
}

TEST_F(Output, AVideoDoesNotTouchAnOlderOneUntilItIsWhole) {
  put(path("a.mkv"), "old");
  {
    const OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
    EXPECT_EQ(file.where_left(), "'" + fs::canonical(folder_).string() + "/a.part.mkv'");
    put(file.draft(), "half");
  }
  EXPECT_EQ(text(path("a.mkv")), "old");
  EXPECT_EQ(text(path("a.part.mkv")), "half");
  OutputFile again(path("a.mkv"), OutputFile::Use::part_until_whole);
  put(again.draft(), "whole");
  again.keep();
  EXPECT_EQ(text(path("a.mkv")), "whole");
  EXPECT_EQ(files(), 1) << "what an earlier run of ours has left is gone";
}

// Whoever looks for the name finds a whole file, or none.
TEST_F(Output, AResultHasItsNameOnlyWhenItIsWhole) {
  {
    const OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
    put(file.draft(), "half");
    EXPECT_FALSE(fs::exists(path("a.mkv")));
    EXPECT_EQ(file.where_left(), "'" + fs::canonical(folder_).string() + "/a.part.mkv'");
  }
  EXPECT_FALSE(fs::exists(path("a.mkv"))) << "the program was killed";
  EXPECT_EQ(text(path("a.part.mkv")), "half");
  {
    OutputFile file(path("b.mkv"), OutputFile::Use::part_until_whole);
    put(file.draft(), "half");
    EXPECT_FALSE(file.keep_if(false));
    EXPECT_EQ(file.where_left(), "'" + fs::canonical(folder_).string() + "/b.part.mkv'");
  }
  EXPECT_EQ(text(path("b.part.mkv")), "half");
  { const OutputFile nothing(path("c.mkv"), OutputFile::Use::part_until_whole); }
  EXPECT_EQ(files(), 2) << "nothing was written to the third";
}

TEST_F(Output, TheNextRunOverwritesNoPartButItsOwn) {
  { put(OutputFile(path("a.mkv"), OutputFile::Use::part_until_whole).draft(), "left"); }
  if (::getxattr(path("a.part.mkv").c_str(), "user.convoscope.part", nullptr, 0) < 0)
    GTEST_SKIP() << "the file system keeps no attributes";
  const std::optional<Descriptor> reader = read_part(path("a.part.mkv"));
  ASSERT_TRUE(reader) << "which may be the input";
  {
    OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
    EXPECT_EQ(fs::path(file.draft()).filename(), "a.part-2.mkv") << "somebody reads the first";
    put(file.draft(), "running");
    const OutputFile other(path("a.mkv"), OutputFile::Use::part_until_whole);
    EXPECT_EQ(fs::path(other.draft()).filename(), "a.part-3.mkv") << "somebody writes the second";
  }
  EXPECT_EQ(text(path("a.part.mkv")), "left");
  ::close(const_cast<Descriptor&>(*reader).release());
  OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
  EXPECT_EQ(fs::path(file.draft()).filename(), "a.part.mkv") << "nobody else's";
  put(file.draft(), "whole");
  file.keep();
  EXPECT_EQ(text(path("a.mkv")), "whole");
  EXPECT_LT(::getxattr(path("a.mkv").c_str(), "user.convoscope.part", nullptr, 0), 0);

  put(path("b.part.mkv"), "of somebody else");
  fs::create_symlink("b.part.mkv", path("b.part-2.mkv"));
  OutputFile beside(path("b.mkv"), OutputFile::Use::part_until_whole);
  EXPECT_EQ(fs::path(beside.draft()).filename(), "b.part-3.mkv");
  fs::rename(path("a.mkv"), path("c.part.mkv"));
  EXPECT_EQ(fs::path(OutputFile(path("c.mkv"), OutputFile::Use::part_until_whole).draft()).filename(), "c.part-2.mkv")
      << "what is whole is nobody's to overwrite";
}

// Where somebody has written under its name meanwhile, what lies beside it is whole.
TEST_F(Output, AWholeResultThatCouldNotTakeItsNameIsOverwrittenByNobody) {
  {
    OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
    put(file.draft(), "whole");
    put(path("a.mkv"), "another");
    EXPECT_THAT(error_of([&] { file.keep(); }), HasSubstr("a.part.mkv'"));
  }
  const OutputFile again(path("a.mkv"), OutputFile::Use::part_until_whole);
  EXPECT_NE(fs::path(again.draft()).filename(), "a.part.mkv");
  EXPECT_EQ(text(path("a.part.mkv")), "whole");
}

TEST_F(Output, APictureThatIsNoWholeResultKeepsTheNameOfAPart) {
  EXPECT_EQ(write_part(path("a.png"), "half"), "'" + fs::canonical(folder_).string() + "/a.part.png'");
  EXPECT_EQ(text(path("a.part.png")), "half");
  EXPECT_FALSE(fs::exists(path("a.png")));
  {
    const SmallFiles limit(100);
    EXPECT_THAT(error_of([&] { write_file(path("b.png"), std::string(1000, 'x'), OutputFile::Use::part_until_whole); }),
                HasSubstr("b.png' cannot be written"));
  }
  EXPECT_EQ(files(), 1) << "half of a picture's file is worth nothing";
}

TEST_F(Output, AVideoLeavesTheOneThatAnotherProgramWritesUnderItsName) {
  for (const bool first_ends_first : {true, false}) {
    const std::string name = path(first_ends_first ? "a.mkv" : "b.mkv");
    OutputFile first(name, OutputFile::Use::part_until_whole);
    OutputFile second(name, OutputFile::Use::part_until_whole);
    put(first.draft(), "first");
    put(second.draft(), "second");
    OutputFile &sooner = first_ends_first ? first : second, &later = first_ends_first ? second : first;
    sooner.keep();
    const std::string error = error_of([&] { later.keep(); });
    EXPECT_THAT(error, HasSubstr("has been written by somebody else meanwhile"));
    EXPECT_THAT(error, HasSubstr(later.where_left()));
    EXPECT_EQ(text(name), first_ends_first ? "first" : "second");
    EXPECT_EQ(text(later.draft()), first_ends_first ? "second" : "first");
  }
}

TEST_F(Output, APictureLeavesTheOneThatHasComeUnderItsName) {
  for (const FileSystem each : {FileSystem::of_linux, FileSystem::with_links, FileSystem::simple}) {
    file_system = each;
    const std::string name = "shot" + std::to_string(static_cast<int>(each));
    std::optional<OutputFile> file(std::in_place, path(name + ".png"), OutputFile::Use::whole_or_nothing);
    put(file->draft(), "mine");
    put(path(name + ".png"), "another");
    put(path(name + "-2.png"), "a third");
    EXPECT_THAT(error_of([&] { file->keep(); }), HasSubstr(name + "-3.png"));
    file.reset();
    EXPECT_EQ(text(path(name + ".png")), "another");
    EXPECT_EQ(text(path(name + "-2.png")), "a third");
    EXPECT_EQ(text(path(name + "-3.png")), "mine");
  }
  file_system = FileSystem::of_linux;
  EXPECT_EQ(files(), 9) << "and no drafts";
}

TEST_F(Output, AnOlderFileThatIsGoneOrReplacedMeanwhileIsNotWhatWasToBeReplaced) {
  put(path("a.json"), "old");
  OutputFile over_another(path("a.json"), OutputFile::Use::whole_or_nothing);
  put(over_another.draft(), "mine");
  put(path("other"), "new");  // as long, and maybe of the same moment
  fs::rename(path("other"), path("a.json"));
  EXPECT_THROW(over_another.keep(), Error);
  EXPECT_EQ(text(path("a.json")), "new");
  EXPECT_EQ(text(path("a-2.json")), "mine");

  OutputFile over_none(path("a.json"), OutputFile::Use::whole_or_nothing);
  put(over_none.draft(), "mine");
  fs::remove(path("a.json"));
  over_none.keep();
  EXPECT_EQ(text(path("a.json")), "mine");
}

TEST_F(Output, AVideoThatIsGoneOrReplacedMeanwhileIsNotSaidToBeThere) {
  const auto take_away = [&](const std::string& how, const std::string& file) {
    if (how == "replaced") put(path("other"), "another"), fs::rename(path("other"), file);
    if (how == "deleted") fs::remove(file);
    if (how == "moved with its folder") fs::rename(path("films"), path("elsewhere"));
  };
  for (const bool older : {false, true}) {
    for (const std::string how : {"replaced", "deleted", "moved with its folder"}) {
      fs::create_directory(path("films"));
      const std::string name = path("films/a.mkv");
      if (older) put(name, "old");
      {
        OutputFile file(name, OutputFile::Use::part_until_whole);
        put(file.draft(), "mine");
        take_away(how, file.draft());
        EXPECT_EQ(file.where_left(), "") << how;
        EXPECT_EQ(file.what_is_left(), "") << how;
        EXPECT_FALSE(file.is_there()) << how;
        EXPECT_THROW(file.keep_if(false), Error) << how;
        const std::string error = error_of([&] { file.keep(); });
        EXPECT_THAT(error, HasSubstr("deleted, moved away or replaced meanwhile")) << how;
        EXPECT_THAT(error, HasSubstr("'" + name + "'")) << how;
        EXPECT_EQ(text(file.draft()), how == "replaced" ? "another" : "");
      }
      EXPECT_TRUE(!older || how == "moved with its folder" || text(name) == "old") << how;
      fs::remove_all(path("films"));
      fs::remove_all(path("elsewhere"));
    }
  }
}

TEST_F(Output, WhatIsGivenUpRemovesNoFileOfOthers) {
  for (const bool told : {false, true}) {
    std::optional<OutputFile> file(std::in_place, path("a.png"), OutputFile::Use::whole_or_nothing);
    const std::string draft = file->draft();
    fs::remove(draft);
    put(draft, "another");
    if (told) file->discard();
    file.reset();
    EXPECT_EQ(text(draft), "another");
    fs::remove(draft);
  }
}

// What was written is written again in a better form, and is kept as what was written first would have been.
TEST_F(Output, ABetterFormTakesThePlaceOfADraft) {
  for (const bool older : {false, true}) {
    SCOPED_TRACE(older ? "over an older file" : "under a new name");
    if (older) {
      put(path("a.mkv"), "older");
      fs::permissions(path("a.mkv"), fs::perms(0640));
    }
    OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
    put(file.draft(), "first");
    put(path("better"), "second");
    EXPECT_TRUE(file.take_in(Descriptor(::open(path("better").c_str(), O_RDWR)), path("better")));
    EXPECT_TRUE(file.is_there());
    EXPECT_EQ(text(file.draft()), "second");
    file.keep();
    EXPECT_EQ(text(path("a.mkv")), "second");
    if (older) {
      EXPECT_EQ(fs::status(path("a.mkv")).permissions(), fs::perms(0640));
    }
    EXPECT_EQ(files(), 1);
    fs::remove(path("a.mkv"));
  }
}

TEST_F(Output, ABetterFormTakesThePlaceOfNoFileOfOthers) {
  OutputFile file(path("a.mkv"), OutputFile::Use::part_until_whole);
  put(path("better"), "second");
  fs::remove(file.draft());
  put(file.draft(), "another");
  EXPECT_FALSE(file.take_in(Descriptor(::open(path("better").c_str(), O_RDWR)), path("better")));
  EXPECT_EQ(text(file.draft()), "another");
  EXPECT_EQ(text(path("better")), "second");
}

TEST_F(Output, ALinkToAFileThatIsYetToComeIsWrittenThrough) {
  fs::create_directory(path("films"));
  fs::create_symlink("films/second", path("first"));
  fs::create_symlink("../a.mkv", path("films/second"));
  for (const OutputFile::Use use : {OutputFile::Use::part_until_whole, OutputFile::Use::whole_or_nothing}) {
    OutputFile file(path("first"), use);
    put(file.draft(), "mine");
    file.keep();
    EXPECT_EQ(text(path("a.mkv")), "mine");
    EXPECT_TRUE(fs::is_symlink(path("first")) && fs::is_symlink(path("films/second")));
    fs::remove(path("a.mkv"));
  }
  fs::create_symlink("none/a.mkv", path("nowhere"));
  EXPECT_THAT(error_of([&] { write_file(path("nowhere"), "x"); }), HasSubstr("Check that the folder exists"));
}

TEST_F(Output, LinksInACircleAreRefusedBeforeTheWork) {
  fs::create_symlink("b.mkv", path("a.mkv"));
  fs::create_symlink("a.mkv", path("b.mkv"));
  for (const OutputFile::Use use : {OutputFile::Use::part_until_whole, OutputFile::Use::whole_or_nothing})
    EXPECT_THAT(error_of([&] { const OutputFile file(path("a.mkv"), use); }), HasSubstr("lead in a circle"));
  EXPECT_THAT(error_of([&] { check_can_be_replaced(path("a.mkv")); }), HasSubstr("lead in a circle"));
  EXPECT_EQ(files(), 2);
}

}  // namespace
}  // namespace convoscope
