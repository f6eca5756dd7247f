// No run destroys what it reads, or one of its results by another; what fails leaves what was there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> offscreen_options{"--offscreen", "--backend", "cpu", "--window", "320x200"};

class Outputs : public testing::Test {
 protected:
  void SetUp() override {
    shell("cd '" + folder_.path().string() +
          "' && ffmpeg -v error -y -f lavfi -i testsrc2=s=96x64:r=25:d=0.48 -c:v libx264 -g 5 a.mkv"
          " && ffmpeg -v error -y -i a.mkv f%03d.png && cp a.mkv 'a b.mkv' && ln a.mkv hard.mkv && ln -s a.mkv soft.mkv"
          " && printf 'ffconcat version 1.0\\nfile a.mkv\\n' > list.ffconcat");
    folder_.write("f.json", R"({"width":1,"height":1,"weights":[1]})");
    before_ = contents();
  }
  std::vector<std::pair<std::string, std::string>> contents() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (const std::string name = entry.path().filename(); entry.is_regular_file() && !name.starts_with("."))
        all.emplace_back(name, folder_.read(name));
    std::sort(all.begin(), all.end());
    return all;
  }
  Outcome run(std::vector<std::string> arguments, bool window) const {
    if (window) arguments.insert(arguments.end(), offscreen_options.begin(), offscreen_options.end());
    return run_program(arguments, folder_.path());
  }
  void expect_refused(const std::vector<std::string>& arguments, bool window, const std::string& named) const {
    std::string line;
    for (const std::string& argument : arguments) line += " " + argument;
    SCOPED_TRACE("convoscope" + line);
    const Outcome outcome = run(arguments, window);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(named));
    EXPECT_TRUE(contents() == before_) << "every file is as it was, and there is no new one";
  }
  Folder folder_;
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(Outputs, AreNeverTheInput) {
  const std::string here = folder_.path();
  const std::string input = "the INPUT itself";
  for (const char* name : {"a.mkv", "./a.mkv", "hard.mkv", "soft.mkv"})
    for (const std::string& url :
         {"file://" + here + "/a.mkv", std::string("file:a.mkv"), "file://localhost" + here + "/a.mkv"})
      expect_refused({"filter", url, name}, false, input);
  expect_refused({"filter", "file://" + here + "/a%20b.mkv", "a b.mkv"}, false, input);
  expect_refused({"file://" + here + "/a.mkv", "--record", "soft.mkv"}, true, input);
  expect_refused({"file://" + here + "/a.mkv", "--stats", "hard.mkv"}, true, input);
  expect_refused({"filter", "list.ffconcat", "a.mkv"}, false, "a part of the INPUT");
  expect_refused({"filter", "concat:file://" + here + "/a.mkv|file://" + here + "/a b.mkv", "a.mkv"}, false, "INPUT");
  expect_refused({"f%03d.png", "--screenshot", "f002.png"}, true, "a part of the INPUT");
}

// The source may stand in a session instead of on the command line.
TEST_F(Outputs, AreNeverTheSourceOfASession) {
  folder_.write("session.json", R"({"convoscope":"session","panes":[{"strategy":"cpu-parallel"}],"source":")" +
                                    folder_.path().string() + R"(/a.mkv"})");
  before_ = contents();
  for (const char* name : {"--stats", "--record"})
    expect_refused({"--session", "session.json", name, "hard.mkv", "--frames", "3"}, true, "the INPUT itself");
  EXPECT_EQ(run({"f001.png", "--session", "session.json", "--stats", "a.mkv"}, true).exit_code, 0)
      << "the INPUT of the command line takes its place";
}

TEST_F(Outputs, AreNeverAFileOfANetworkInAFolder) {
  std::filesystem::create_directory(folder_.path() / "net");
  folder_.write("net/network.json", R"({"layers":[{"weights":"a"}]})");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 3, 3), }";
  header.resize(117, ' ');
  folder_.write("net/a.npy", std::string("\x93NUMPY\x01\0\x76\0", 10) + header + '\n' + std::string(54 * 4, '\0'));
  before_ = contents();
  for (const char* const name : {"net/network.json", "net/a.npy"})
    expect_refused({"pattern", "--bank", "net", "--stats", name, "--frames", "3"}, true, "--bank reads");
}

// Else the program's own words would go into the file that takes a closed stream's number.
TEST_F(Outputs, AreNeverWhatIsClosed) {
  const std::string filter = "\"$CONVOSCOPE\" filter a.mkv ", options = " --backend cpu --filter identity ";
  for (const char* closed : {">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    ASSERT_EQ(bash(folder_.path(), filter + "whole.y4m" + options + "2>err"), 0) << folder_.read("err");
    EXPECT_EQ(bash(folder_.path(), filter + "closed.y4m" + options + closed), 0) << closed;
    EXPECT_TRUE(folder_.read("closed.y4m") == folder_.read("whole.y4m")) << closed;
  }
  for (const auto& [line, words] : {std::pair{"filter a.mkv - --backend cpu 2>err >&-", "Standard output is closed."},
                                    {"list filters 2>err >&-", "Standard output is closed, so there are no results."},
                                    {"filter - b.mkv 2>err <&-", "Standard input is closed."},
                                    {"filter - b.mkv 2>err </dev/null", "There is nothing on standard input"}}) {
    EXPECT_EQ(bash(folder_.path(), std::string("\"$CONVOSCOPE\" ") + line), 2) << line;
    EXPECT_THAT(folder_.read("err"), AllOf(HasSubstr(words), Not(HasSubstr("Make room")))) << line;
  }
}

TEST_F(Outputs, NamesDoNotSteerTheTerminal) {
  const std::string name = "esc\x1b[31m\nred.mkv";
  folder_.write(name, folder_.read("a.mkv"));
  before_ = contents();
  expect_refused({"filter", name, name}, false, "esc?[31m?red.mkv");
}

TEST_F(Outputs, AreToldInALineAlsoOfALargeMatrix) {
  const Outcome outcome =
      run({"filter", "a.mkv", "b.mkv", "--backend", "cpu", "--filter", "custom:rx=63,ry=63"}, false);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_LT(outcome.err.size(), 300u);
  EXPECT_THAT(outcome.err, HasSubstr("0 … 0"));
}

// A shell's < and >> make a file of standard input and output.
TEST_F(Outputs, AreNeverTheInputThroughAPipeThatIsAFile) {
  shell("cd '" + folder_.path().string() + "' && ffmpeg -v error -y -i a.mkv a.y4m");
  before_ = contents();
  for (const char* line :
       {"\"$CONVOSCOPE\" filter - a.y4m --backend cpu < a.y4m", "\"$CONVOSCOPE\" filter a.y4m - --backend cpu >> a.y4m",
        "\"$CONVOSCOPE\" filter a.mkv - --backend cpu 1<> a.mkv",
        "\"$CONVOSCOPE\" filter - - --backend cpu < a.y4m >> a.y4m"}) {
    EXPECT_EQ(bash(folder_.path(), line), 2) << line;
    EXPECT_TRUE(contents() == before_) << line;
  }
  EXPECT_EQ(bash(folder_.path(), "\"$CONVOSCOPE\" filter - - --backend cpu < a.y4m > b.y4m"), 0);
  EXPECT_TRUE(fs::exists(folder_ / "b.y4m"));
}

// Pictures that are read one after another, however they are named.
TEST_F(Outputs, AreNeverAPictureOfTheInput) {
  for (const char* input : {".", "f0*.png", "./f00?.png", "f%03d.png"})
    expect_refused({input, "--screenshot", "f002.png"}, true, "a part of the INPUT");
  fs::create_hard_link(folder_ / "f003.png", folder_ / "linked.mkv");
  fs::create_symlink("f004.png", folder_ / "soft.json");
  before_ = contents();
  for (const char* input : {".", "f0*.png", "f%03d.png"}) {
    expect_refused({"filter", input, "linked.mkv"}, false, "a part of the INPUT");
    expect_refused({input, "--record", "linked.mkv"}, true, "a part of the INPUT");
    expect_refused({input, "--stats", "soft.json"}, true, "a part of the INPUT");
  }
}

TEST_F(Outputs, AreNeverPipesThatWaitForAReader) {
  for (const char* name : {"pipe.mkv", "pipe.png", "pipe"}) ASSERT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0);
  const std::string pipe = "is a named pipe";
  expect_refused({"filter", "a.mkv", "pipe.mkv"}, false, pipe);
  expect_refused({"a.mkv", "--record", "pipe.mkv"}, true, pipe);
  expect_refused({"a.mkv", "--screenshot", "pipe.png"}, true, pipe);
  expect_refused({"a.mkv", "--stats", "pipe"}, true, pipe);
  EXPECT_EQ(bash(folder_.path(),
                 "\"$CONVOSCOPE\" a.mkv --frames 2 --stats >(cat > read) --offscreen --backend cpu"
                 " --window 320x200 2>err"),
            0)
      << "that of a shell has a reader";
}

TEST_F(Outputs, AreNeverAFilterOrEachOther) {
  expect_refused({"a.mkv", "--filter", "f.json", "--stats", "f.json"}, true, "--stats");
  expect_refused({"a.mkv", "--compare", "source,cpu-parallel@f.json", "--stats", "f.json"}, true, "--stats");
  expect_refused({"a.mkv", "--record", "r.mkv", "--stats", "r.mkv"}, true, "--record writes, too");
  expect_refused({"a.mkv", "--record", "hard.mkv", "--stats", "./new.json", "--screenshot", "s.png"}, true, "INPUT");
  expect_refused({"a.mkv", "--screenshot", "s.png", "--stats", "./s.png"}, true, "--screenshot writes, too");
  expect_refused({"bench", "--filter", "f.json", "--json", "f.json"}, false, "--json");
  EXPECT_EQ(run({"a.mkv", "--frames", "2", "--stats", "/dev/null"}, true).exit_code, 0);
}

// Neither empty nor a draft.
TEST_F(Outputs, ThatFailLeaveNoNewFile) {
  for (const char* line : {"a.mkv --stats new.json --offscreen --backend cpu --window 320x200",
                           "a.mkv --screenshot new.png --offscreen --backend cpu --window 320x200",
                           "bench --strategy cpu-direct --backend cpu --radius 1 --size 64x64 --json new.json"}) {
    SCOPED_TRACE(line);
    // Less than the results are long, and enough for what is said about it.
    EXPECT_EQ(bash(folder_.path(), "ulimit -f 1; \"$CONVOSCOPE\" " + std::string(line) + " >/dev/null 2>.err"), 2);
    EXPECT_THAT(folder_.read(".err"), HasSubstr("File too large"));
    EXPECT_TRUE(contents() == before_) << "there is a new file";
  }
}

TEST_F(Outputs, ThatFailLeaveWhatWasThere) {
  for (const char* name : {"old.png", "old.json", "old.mkv", "old.y4m"}) folder_.write(name, "old");
  const std::string program = "ulimit -f 2; \"$CONVOSCOPE\" ",
                    line = " --offscreen --backend cpu --window 320x200 2>err";
  EXPECT_EQ(bash(folder_.path(), program + "a.mkv --screenshot old.png" + line), 2);
  EXPECT_EQ(bash(folder_.path(), program + "a.mkv --stats old.json" + line), 2);
  EXPECT_EQ(bash(folder_.path(), program + "a.mkv --record old.mkv" + line), 2);
  EXPECT_EQ(bash(folder_.path(), "ulimit -f 50; \"$CONVOSCOPE\" filter a.mkv old.y4m 2>err"), 2);  // five pictures
  EXPECT_THAT(folder_.read("err"), HasSubstr("old.part.y4m"));
  for (const char* name : {"old.png", "old.json", "old.mkv", "old.y4m"}) EXPECT_EQ(folder_.read(name), "old") << name;
}

// Where nothing can be written beside the old one, it is not written over.
TEST_F(Outputs, LeaveWhatIsInAFolderThatTakesNoNewFile) {
  fs::create_directory(folder_ / "closed");
  for (const char* name : {"closed/old.png", "closed/old.json", "closed/old.mkv", "closed/old.y4m"})
    folder_.write(name, "old");
  folder_.write("closed/empty.json", "");
  fs::permissions(folder_ / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const auto as_a_user = [&](std::vector<std::string> arguments, bool window) {
    if (window) arguments.insert(arguments.end(), offscreen_options.begin(), offscreen_options.end());
    return run_program(arguments, folder_.path(), false);
  };
  for (const auto& [option, name] :
       {std::pair{"--screenshot", "closed/old.png"}, {"--stats", "closed/old.json"}, {"--record", "closed/old.mkv"}}) {
    const Outcome outcome = as_a_user({"a.mkv", "--frames", "2", option, name}, true);
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("its folder takes no new file")) << option;
    EXPECT_EQ(folder_.read(name), "old") << option;
  }
  EXPECT_EQ(as_a_user({"filter", "a.mkv", "closed/old.y4m", "--backend", "cpu"}, false).exit_code, 2);
  EXPECT_EQ(folder_.read("closed/old.y4m"), "old");
  EXPECT_EQ(as_a_user({"a.mkv", "--frames", "2", "--stats", "closed/empty.json"}, true).exit_code, 0)
      << "nothing is lost";
  EXPECT_THAT(folder_.read("closed/empty.json"), HasSubstr("frames_shown"));
  fs::permissions(folder_ / "closed", fs::perms::owner_all);
}

// The one that failed does not take the others with it.
TEST_F(Outputs, AFailedScreenshotLeavesTheRecordingAndTheStatistics) {
  const Outcome outcome =
      run({"a.mkv", "--screenshot", "/dev/full.png", "--record", "r.mkv", "--stats", "s.json", "--frames", "4"}, true);
  EXPECT_EQ(outcome.exit_code, 2);
  fs::create_symlink("/dev/full", folder_ / "full.png");
  EXPECT_EQ(run({"a.mkv", "--screenshot", "full.png", "--record", "r.mkv", "--stats", "s.json", "--frames", "4"}, true)
                .exit_code,
            2);
  EXPECT_EQ(times(folder_ / "r.mkv").size(), 4u);
  EXPECT_THAT(folder_.read("s.json"), HasSubstr("\"frames_shown\": 4"));
}

TEST_F(Outputs, TakeTheNameOfAnOlderOneWhenTheyAreWhole) {
  folder_.write("old.mp4", "old");
  EXPECT_EQ(run({"filter", "a.mkv", "old.mp4"}, false).exit_code, 0);
  EXPECT_EQ(times(folder_ / "old.mp4").size(), 12u);
  EXPECT_EQ(run({"a.mkv", "--record", "old.mp4", "--frames", "5"}, true).exit_code, 0);
  EXPECT_EQ(times(folder_ / "old.mp4").size(), 5u);
  EXPECT_FALSE(fs::exists(folder_ / "old.part.mp4"));
}

// Without a display the program writes into a folder of its own choice, which may hold what is shown.
TEST_F(Outputs, OfARunWithoutADisplayAreNotWhatIsShown) {
  fs::create_directory(folder_ / "convoscope-output");
  fs::copy_file(folder_ / "a.mkv", folder_ / "convoscope-output/recording.mp4");
  const Outcome outcome = run_program(
      {"convoscope-output/recording.mp4", "--frames", "3", "--backend", "cpu", "--window", "320x200"}, folder_.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folder_.read("convoscope-output/recording.mp4"), folder_.read("a.mkv"));
  EXPECT_EQ(times(folder_ / "convoscope-output-2/recording.mp4").size(), 3u);
}

TEST_F(Outputs, OfASecondRunWithoutADisplayHaveNamesOfTheirOwn) {
  for (const char* const frames : {"3", "5"}) {
    const Outcome outcome =
        run_program({"a.mkv", "--frames", frames, "--backend", "cpu", "--window", "320x200"}, folder_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_EQ(times(folder_ / "convoscope-output/recording.mp4").size(), 3u);
  EXPECT_EQ(times(folder_ / "convoscope-output-2/recording.mp4").size(), 5u);
  EXPECT_TRUE(fs::exists(folder_ / "convoscope-output-2/screenshot.png"));
}

TEST_F(Outputs, StatisticsGoToStandardOutput) {
  const Outcome outcome = run({"a.mkv", "--stats", "-", "--frames", "4"}, true);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("{")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\"frames_shown\": 4"));
  EXPECT_FALSE(fs::exists(folder_ / "-"));
}

// Who finds the file later looks for a name, not for weights.
TEST_F(Outputs, SayByWhichFilterTheyWereMade) {
  folder_.write("soft.json", R"({"name":"my soft one","width":3,"height":1,"weights":[0.25,0.5,0.25]})");
  for (const auto& [filter, named] :
       {std::pair{"unsharp", "convoscope unsharp, border"},
        {"0 -1 0; -1 5 -1; 0 -1 0", "convoscope sharpen (0 -1 0; -1 5 -1; 0 -1 0), border"},
        {"soft.json", "convoscope my soft one (0.25 0.5 0.25), border"}}) {
    EXPECT_EQ(run({"filter", "a.mkv", "by.mkv", "--backend", "cpu", "--filter", filter}, false).exit_code, 0);
    EXPECT_THAT(probe(folder_ / "by.mkv", "-show_entries format_tags"), HasSubstr(named));
  }
  EXPECT_EQ(run({"a.mkv", "--frames", "2", "--filter", "soft.json", "--record", "r.mkv"}, true).exit_code, 0);
  EXPECT_THAT(probe(folder_ / "r.mkv", "-show_entries format_tags=comment"), HasSubstr("my soft one (0.25 0.5 0.25)"));
  EXPECT_EQ(run({"a.mkv", "--frames", "2", "--bank", "gabor", "--maps", "4", "--record", "r.mkv"}, true).exit_code, 0);
  EXPECT_THAT(probe(folder_ / "r.mkv", "-show_entries format_tags=comment"), HasSubstr("gabor 4×3×"));
}

// What plays is what is said to play.
TEST_F(Outputs, OfASessionWhoseSourceIsGoneNameWhatPlays) {
  folder_.write("session.json",
                R"({"convoscope":"session","panes":[{"strategy":"cpu-parallel"}],"source":"/nowhere/gone.mp4"})");
  const Outcome of_input = run({"a.mkv", "--session", "session.json", "--frames", "2"}, true);
  EXPECT_EQ(of_input.exit_code, 0) << of_input.err;
  EXPECT_THAT(of_input.err, AllOf(HasSubstr("is not there, so 'a.mkv' plays."), Not(HasSubstr("test pattern"))));
  EXPECT_THAT(run({"--session", "session.json", "--frames", "2"}, true).err,
              HasSubstr("is not there, so the test pattern plays."));
}

TEST(BadNames, AreToldWithWhatHelps) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v libx264 in.mp4");
  EXPECT_EQ(convoscope(folder, "filter in.mp4 " + std::string(300, 'x') + ".mkv"), 2);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("Choose a shorter name."), Not(HasSubstr("Check that the folder"))));
  EXPECT_EQ(convoscope(folder, "filter in.mp4 -x.mkv"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("There is no option '-x.mkv'. If it is a file, write './-x.mkv'."));
  EXPECT_EQ(convoscope(folder, "filter in.mp4 -x"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("There is no option '-x'. See --help"));
  for (const char* line : {"../in.mp4 --frames 1 --offscreen", "filter ../in.mp4 ../z.mkv"}) {
    EXPECT_EQ(bash(folder.path(), "mkdir gone; cd gone; rmdir ../gone; \"$CONVOSCOPE\" " + std::string(line) +
                                      " --backend cpu 2>../err"),
              2);
    EXPECT_THAT(folder.read("err"), HasSubstr("was deleted, so that '../in.mp4' leads nowhere")) << line;
  }
}

}  // namespace
}  // namespace convoscope
