// The end that a signal asks for comes soon, whatever the program is in the middle of; and a reader of standard output
// that takes nothing, or has gone, is told of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// A signal after so many seconds; its exit code, 137 where it has not ended five seconds later.
int signalled(const Folder& folder, const std::string& arguments, const std::string& signal, double after,
              const std::string& to = ">out") {
  return bash(folder.path(), "rm -f full; mkfifo full; exec 3<>full; head -c 65536 /dev/zero >&3; \"$CONVOSCOPE\" " +
                                 arguments + " " + to + " 2>err & p=$!; sleep " + std::to_string(after) + "; kill -" +
                                 signal +
                                 " $p; for i in $(seq 250); do kill -0 $p 2>/dev/null || break; sleep 0.02; done; "
                                 "kill -KILL $p 2>/dev/null; wait $p");
}

const std::string full_pipe = ">&3";  // whose reader is there and takes nothing

TEST(StandardOutput, ThatNobodyTakesDoesNotHoldUpTheEnd) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=25:d=2 -c:v libx264 -preset ultrafast in.mp4");
  EXPECT_EQ(signalled(folder, "filter in.mp4 - --backend cpu", "TERM", 2, full_pipe), 143);
  EXPECT_THAT(folder.read("err"), HasSubstr("Stopped by SIGTERM. The program that reads the output takes nothing. The "
                                            "output is not complete: 0 frames were filtered until then."));
  const std::string told = "The results on standard output are not complete: the program that reads them took nothing";
  EXPECT_EQ(signalled(folder, "list strategies", "TERM", 1, full_pipe), 143);
  EXPECT_THAT(folder.read("err"), HasSubstr(told + " after SIGTERM."));
  EXPECT_EQ(signalled(folder, "verify --small --verbose --kind signal --backend cpu", "INT", 3, full_pipe), 130);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("Stopped by SIGINT."), HasSubstr(told + " after SIGINT.")));
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("Interrupted system call")));
  EXPECT_EQ(signalled(folder, "--frames 2 --stats -" + offscreen, "TERM", 5, full_pipe), 143);
  EXPECT_THAT(folder.read("err"), HasSubstr(told));
}

// Halfway through a picture: the pipe holds less than one.
TEST(StandardOutput, IsLeftInTheMiddleOfAPicture) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=640x480:r=25:d=2 -c:v libx264 -preset ultrafast in.mp4");
  EXPECT_EQ(signalled(folder, "filter in.mp4 - --backend cpu", "TERM", 2, "> >(sleep 20)"), 143);
  EXPECT_THAT(folder.read("err"), HasSubstr("The output is not complete: "));
}

// Of texts the end is the usual one, by SIGPIPE.
TEST(StandardOutput, WhoseReaderHasGoneIsNoFaultOfTheDisk) {
  const Folder folder;
  const auto without_reader = [&](const std::string& arguments) {
    bash(folder.path(), "{ sleep 0.2; \"$CONVOSCOPE\" " + arguments + " 2>err; echo $? > code; } | true");
    return folder.read("code");
  };
  EXPECT_EQ(without_reader("--frames 2 --stats -" + offscreen), "3\n");
  EXPECT_THAT(folder.read("err"), HasSubstr("The results on standard output are not complete: the program that reads "
                                            "them has stopped reading."));
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("Make room")));
  for (const char* line : {"list strategies", "--help", "doctor", "bench --size 8x8 --radius 1 --backend cpu"})
    EXPECT_EQ(without_reader(line), "141\n") << line;
  ASSERT_EQ(convoscope(folder, "--help"), 0);
  EXPECT_THAT(folder.read("out"), HasSubstr("SIGPIPE"));
}

// A file that was deleted takes all that is written, and nobody ever sees it again. The whole takes minutes.
TEST(LongFiles, AreNotFilteredOnWhereTheirOutputIsGone) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=640x480:r=25:d=20 -c:v libx264 -preset ultrafast in.mp4");
  for (const std::string name : {"out.y4m", "out.mkv"})
    for (const std::string& gone : {std::string("rm "), std::string("mv -t folder ")}) {
      shell("mkdir -p '" + folder / "folder" + "'");
      EXPECT_EQ(
          bash(folder.path(), "timeout 40 \"$CONVOSCOPE\" filter in.mp4 " + name +
                                  " --filter gaussian:radius=2 --strategy cpu-direct --backend cpu 2>err & "
                                  "while [ ! -s " +
                                  part_of(name) + " ]; do sleep 0.02; done; " + gone + part_of(name) + "; wait $!"),
          2)
          << gone << name;
      EXPECT_THAT(folder.read("err"), HasSubstr("its folder was deleted, moved away or replaced meanwhile"));
    }
}

// One row of a signal takes minutes, and so does one picture of the largest filter; and who computes neither asks nor
// prints while it fills memory.
TEST(LargeProblems, AreGivenUpHalfWay) {
  const Folder folder;
  for (const char* line : {"bench --kind signal --samples 16777216 --taps 1025 --backend cpu",
                           "bench --size 4096x4096 --radius 63 --format rgba8 --backend cpu",
                           "verify --kind layer --shape 1,16,2048,2048,16,31 --backend cpu"}) {
    EXPECT_EQ(signalled(folder, line, "TERM", 3), 143) << line;
    EXPECT_THAT(folder.read("err"), HasSubstr("Stopped by SIGTERM")) << line;
  }
}

}  // namespace
}  // namespace convoscope
