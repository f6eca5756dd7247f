// Inputs that are cut off, full disks, signals, limits of the system: the program says what happened, leaves what
// plays, and its exit code says so, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <sstream>

#include "app/files/sentence.h"
#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// --- inputs that end early ---

TEST(CutInput, IsFilteredAsFarAsItGoesWithCode3) {
  const Folder folder;
  ffmpeg(folder,
         "-f lavfi -i testsrc2=s=160x120:r=25:d=4 -c:v libx264 -preset ultrafast -movflags +faststart whole.mp4");
  ffmpeg(folder, "-i whole.mp4 -c copy whole.mkv");
  ffmpeg(folder, "-i whole.mp4 -c copy -movflags +frag_keyframe+empty_moov fragments.mp4");
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25 -frames:v 10 -c:v mjpeg whole.avi");
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25 -frames:v 10 whole.y4m");
  for (const char* name : {"whole.mp4", "whole.mkv", "fragments.mp4", "whole.avi", "whole.y4m"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(convoscope(folder, std::string("filter ") + name + " out.mkv --filter identity"), 0)
        << folder.read("err");
    const std::size_t all = times(folder / "out.mkv").size();
    const std::string whole = folder.read(name), cut = std::string("cut-") + name;
    const bool y4m = std::string(name).ends_with("y4m");
    folder.write(cut, whole.substr(0, y4m ? whole.size() - 10'000 : whole.size() * 2 / 3));
    EXPECT_EQ(convoscope(folder, "filter " + cut + " out.mkv --filter identity"), 3) << folder.read("err");
    EXPECT_THAT(folder.read("err"), HasSubstr("'" + cut + "' is cut off"));
    EXPECT_GT(times(folder / "out.part.mkv").size(), 0u);
    EXPECT_LT(times(folder / "out.part.mkv").size(), all);
    EXPECT_EQ(times(folder / "out.mkv").size(), all) << "is that of the run before";
    EXPECT_EQ(convoscope(folder, cut + offscreen + "--record r.mkv --stats s.json"), 3) << folder.read("err");
    EXPECT_THAT(folder.read("err"), HasSubstr("is cut off"));
    EXPECT_THAT(folder.read("s.json"), HasSubstr("\"cut_short\": true"));
    EXPECT_FALSE(fs::exists(folder / "r.mkv")) << "the next job would take it for whole";
    EXPECT_THAT(folder.read("err"), HasSubstr("r.part.mkv' ("));
    EXPECT_EQ(convoscope(folder, cut + offscreen + "--record r.mkv --frames 2"), 0) << "all that was asked for";
    EXPECT_EQ(times(folder / "r.mkv").size(), 2u);
    fs::remove(folder / "r.mkv");
  }
  EXPECT_EQ(bash(folder.path(), "head -c 280000 whole.y4m | \"$CONVOSCOPE\" filter - out.mkv 2>err"), 3);
  EXPECT_THAT(folder.read("err"), HasSubstr("cut off"));
}

// It loops, so the number of frames comes about all the same.
TEST(CutInput, IsToldByTheBenchOfAFrame) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 8 whole.y4m");
  const std::string whole = folder.read("whole.y4m");
  folder.write("cut.y4m", whole.substr(0, whole.size() - 2'000));
  const std::string options = " --frames 20 --backend cpu --filter identity --json b.json";
  EXPECT_EQ(convoscope(folder, "bench --frame whole.y4m" + options), 0) << folder.read("err");
  EXPECT_THAT(folder.read("b.json"), HasSubstr("\"cut_short\": false"));
  EXPECT_EQ(convoscope(folder, "bench --frame cut.y4m" + options), 3) << folder.read("err");
  EXPECT_THAT(folder.read("b.json"), HasSubstr("\"cut_short\": true"));
  EXPECT_EQ(convoscope(folder, "cut.y4m" + offscreen + "--frames 20"), 0) << "all that was asked for is shown";
  EXPECT_THAT(folder.read("err"), HasSubstr("is cut off"));
  ASSERT_EQ(convoscope(folder, "help"), 0);
  EXPECT_THAT(folder.read("out"), HasSubstr("frames of --frames were shown,\nthe code is 0"));
}

// An edit that leaves out the beginning is no cut.
TEST(CutInput, AFileThatIsEditedIsWhole) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=8 -c:v libx264 -preset ultrafast -g 50 whole.mp4");
  ffmpeg(folder, "-ss 1.3 -i whole.mp4 -c copy edited.mp4");
  EXPECT_EQ(convoscope(folder, "filter edited.mp4 out.mkv --filter identity"), 0) << folder.read("err");
  EXPECT_EQ(convoscope(folder, "edited.mp4" + offscreen), 0) << folder.read("err");
}

TEST(CutInput, AFileThatIsTruncatedWhileItIsRead) {
  const Folder folder;
  ffmpeg(folder,
         "-f lavfi -i testsrc2=s=640x480:r=25:d=20 -c:v libx264 -preset ultrafast -movflags +faststart long.mp4");
  // When the output has begun, the input is in the middle of being read.
  EXPECT_EQ(
      bash(folder.path(),
           "\"$CONVOSCOPE\" filter long.mp4 out.y4m --filter gaussian:radius=2 --strategy cpu-direct --backend cpu "
           "2>err & while [ ! -s out.part.y4m ]; do sleep 0.02; done; truncate -s 100000 long.mp4; wait $!"),
      3)
      << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("is cut off"));
}

TEST(CutInput, AFileThatIsTruncatedWhileItIsRecorded) {
  const Folder folder;
  ffmpeg(folder,
         "-f lavfi -i testsrc2=s=640x480:r=25:d=20 -c:v libx264 -preset ultrafast -movflags +faststart long.mp4");
  EXPECT_EQ(bash(folder.path(), "\"$CONVOSCOPE\" long.mp4 --record r.mkv --stats s.json" + offscreen +
                                    "2>err & while [ ! -s r.part.mkv ]; do sleep 0.02; done; truncate -s 100000 "
                                    "long.mp4; "
                                    "wait $!"),
            3)
      << folder.read("err");
  EXPECT_THAT(folder.read("err"), HasSubstr("is cut off"));
  EXPECT_GT(times(folder / "r.part.mkv").size(), 0u);
  EXPECT_LT(times(folder / "r.part.mkv").size(), 500u);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.mkv")) << "it lacks what was cut off";
  EXPECT_THAT(folder.read("s.json"), HasSubstr("\"cut_short\": true"));
}

// --- disks and limits ---

TEST(FullDisk, IsAnErrorOfARecordingOffscreen) {
  const Folder folder;
  for (const char* name : {"full.mkv", "full.mp4"}) {
    EXPECT_EQ(convoscope(folder,
                         "pattern --size 640x480 --window 640x480 --offscreen --backend cpu --frames 600 --record " +
                             std::string(name) + " --stats s.json",
                         "ulimit -f 120; "),
              2);
    EXPECT_THAT(folder.read("err"), HasSubstr("File too large"));
    EXPECT_GT(times(folder / part_of(name)).size(), 5u) << "what was written plays";
    EXPECT_FALSE(std::filesystem::exists(folder / name));
    EXPECT_THAT(folder.read("s.json"), HasSubstr("frames_recorded"));
  }
}

TEST(FullDisk, OfResultsOnStandardOutputIsAnError) {
  const Folder folder;
  const std::string verify = "verify --small --strategy cpu-direct --filter identity --border zero --backend cpu";
  const std::vector<std::string> whats{
      "list filters", "list strategies --json", "--help", "--version",
      "doctor",       "doctor --json",          verify,   verify + " --json --verbose"};
  for (const std::string& what : whats) {
    EXPECT_EQ(bash(folder.path(), "\"$CONVOSCOPE\" " + what + " 2>err >/dev/full"), 2) << what;
    EXPECT_THAT(folder.read("err"), HasSubstr("standard output: No space left on device")) << what;
  }
}

TEST(Limits, AreToldInASentence) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 in.mp4");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int file_limits[] = {8, 10, 12, 16};  // the sanitizers open files themselves, to look at an object's type
#else
  constexpr int file_limits[] = {4, 5, 6, 8, 10, 12, 16};
#endif
  for (const int files : file_limits) {
    SCOPED_TRACE(std::to_string(files) + " files");
    // What the shell that runs the tests keeps open is inherited, and would count.
    const int code =
        convoscope(folder, "filter in.mp4 out.mkv",
                   "for fd in 3 4 5 6 7 8 9; do eval \"exec $fd>&-\"; done; ulimit -n " + std::to_string(files) + "; ");
    EXPECT_THAT(code, testing::AnyOf(0, 2, 127)) << folder.read("err");  // 127: not even loaded
    EXPECT_THAT(folder.read("err"), Not(HasSubstr("unexpected failure")));
  }
}

// Where an address space is no more than this, a sanitizer has no room for itself: its allocator and a preloaded `new`
// refuse whatever is larger instead, here a picture of 8 MB and what its encoder needs.
// What is asked for softly may be raised; a hard limit of the stack is told before anything is put on it.
TEST(Limits, OfTheStackAreRaisedOrTold) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 5 -c:v libx264 in.mp4");
  const std::string lines[] = {"filter in.mp4 out.mkv --backend cpu", "in.mp4 --frames 2" + offscreen};
  for (const std::string& line : lines) {
    EXPECT_EQ(convoscope(folder, line, "ulimit -S -s 64; "), 0) << folder.read("err");
    EXPECT_EQ(convoscope(folder, line, "ulimit -s 256; "), 0) << folder.read("err");
    EXPECT_EQ(convoscope(folder, line, "ulimit -s 64; "), 2) << folder.read("err");
    EXPECT_THAT(folder.read("err"), HasSubstr("a stack of 64 KB (ulimit -s)"));
  }
}

TEST(Limits, OfMemoryAreToldInASentence) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=1920x1080:r=25:d=0.2 -c:v libx264 -preset ultrafast in.mp4");
#if defined(__SANITIZE_ADDRESS__)
  const std::string filter = "filter in.mp4 out.mkv --backend cpu",
                    record = "in.mp4 --frames 2 --record r.mkv" + offscreen;
  const testing::Matcher<int> fails = 2, works = 0, either = testing::AnyOf(0, 2);
  const struct {
    int megabytes;
    std::string line;
    testing::Matcher<int> ends;
  } runs[] = {{1, filter, fails}, {1, record, fails}, {4, filter, fails}, {8, filter, either}, {64, filter, works}};
  for (const auto& [megabytes, line, ends] : runs) {
    SCOPED_TRACE(std::to_string(megabytes) + " MB at once: " + line);
    const int code = convoscope(
        folder, line,
        "export MOST_BYTES_AT_ONCE=" + std::to_string(megabytes << 20) +
            " LD_PRELOAD=" LITTLE_MEMORY
            " ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1"
            ":max_allocation_size_mb=" +
            std::to_string(megabytes) + "; ");
    EXPECT_THAT(code, ends) << folder.read("err");
    if (code == 2) {
      EXPECT_THAT(folder.read("err"),
                  testing::ContainsRegex("not enough memory|Cannot allocate memory.*[Cc]lose other programs"));
    }
  }
#elif !defined(__SANITIZE_THREAD__)
  for (const int megabytes : {150, 250, 400, 700}) {
    SCOPED_TRACE(std::to_string(megabytes) + " MB");
    const int code =
        convoscope(folder, "filter in.mp4 out.mkv", "ulimit -v " + std::to_string(megabytes * 1024) + "; ");
    EXPECT_THAT(code, testing::AnyOf(0, 2, 127)) << folder.read("err");
    EXPECT_THAT(folder.read("err"), Not(HasSubstr("unexpected failure")));
  }
#endif
}

TEST(Limits, AFolderThatTakesNothingIsToldBeforeAnythingIsDone) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=1 -c:v libx264 in.mp4");
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"filter", "in.mp4", "closed/out.mkv"},
                                                    {"in.mp4", "--offscreen", "--record", "closed/r.mkv"},
                                                    {"bench", "--json", "closed/b.json"}}) {
    const Outcome outcome = run_program(arguments, folder.path(), false);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("permission"));
  }
  fs::permissions(folder / "closed", fs::perms::owner_all);
}

TEST(Seek, BeyondTheEndIsTold) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -c:v libx264 in.mp4");
  convoscope(folder, "in.mp4 --seek 1:30 --frames 1" + offscreen);
  EXPECT_THAT(folder.read("err"), HasSubstr("--seek 1:30 is beyond the end of 'in.mp4', which lasts 2 seconds."));
  EXPECT_EQ(convoscope(folder, "in.mp4 --seek 1:30" + offscreen), 2) << "there is nothing to show";
  EXPECT_THAT(folder.read("err"), HasSubstr("beyond the end"));
  EXPECT_EQ(convoscope(folder, "in.mp4 --seek 1 --frames 1" + offscreen), 0) << folder.read("err");
  EXPECT_THAT(folder.read("err"), Not(HasSubstr("beyond the end")));
}

// --- what was asked for by name ---

TEST(Devices, ThatAreNotThereAreErrorsWhereNobodyWatches) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v libx264 in.mp4");
  for (const char* line :
       {"in.mp4 --offscreen", "filter in.mp4 out.mkv", "verify --small --strategy cpu-direct --filter identity",
        "bench --strategy cpu-direct --radius 1 --size 64x64", "bench --frame in.mp4", "list strategies"}) {
    EXPECT_EQ(convoscope(folder, std::string(line) + " --device 77"), 2) << line;
    EXPECT_THAT(folder.read("err"), HasSubstr("--device '77'")) << line;
  }
  EXPECT_EQ(convoscope(folder, "in.mp4 --device 77 --backend cpu --frames 2 --offscreen"), 0) << "nothing uses it";
  if (bash(folder.path(),
           "\"$CONVOSCOPE\" list devices --json | tr -d \"\\n \" | grep -q cuda:0[^}]*available.:true") == 0)
    return;
  for (const char* line :
       {"in.mp4 --offscreen", "filter in.mp4 out.mkv", "verify --small --strategy constant --filter identity",
        "bench --strategy constant --radius 1 --size 64x64", "bench --frame in.mp4"}) {
    EXPECT_EQ(convoscope(folder, std::string(line) + " --backend cuda"), 2) << line;
    EXPECT_THAT(folder.read("err"), testing::ContainsRegex("cuda|GPU")) << line;
  }
  EXPECT_FALSE(fs::exists(folder / "out.mkv"));
}

// --- signals and kills ---

struct Signal {
  const char* name;
  int number;
};
constexpr Signal signals[] = {{"INT", 2}, {"TERM", 15}, {"HUP", 1}};

// Runs in the background until the file has something in it, then gets the signal; its exit code.
int stopped(const Folder& folder, const std::string& arguments, const std::string& file, const std::string& signal) {
  return bash(folder.path(), "\"$CONVOSCOPE\" " + arguments + " >out 2>err & for i in $(seq 3000); do [ -s " + file +
                                 " ] && break; sleep 0.02; done; kill -" + signal + " $!; wait $!");
}

TEST(Signals, FinishARecordingAndItsStatistics) {
  for (const auto& [name, number] : signals) {
    SCOPED_TRACE(name);
    const Folder folder;
    EXPECT_EQ(stopped(folder, "pattern --size 320x240 --frames 1000000 --record r.mkv --stats s.json" + offscreen,
                      "r.part.mkv", name),
              128 + number)
        << folder.read("err");
    EXPECT_GT(times(folder / "r.part.mkv").size(), 0u);
    EXPECT_FALSE(fs::exists(folder / "r.mkv")) << "it lacks the rest";
    EXPECT_THAT(folder.read("err"), testing::ContainsRegex("There is no '.*r[.]mkv'"));
    EXPECT_THAT(folder.read("s.json"), HasSubstr("frames_recorded"));
    EXPECT_THAT(folder.read("err"), HasSubstr("Recorded"));
  }
}

TEST(Signals, LeaveAPartOfAFilteredFile) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=25:d=60 -c:v libx264 -preset ultrafast in.mp4");
  for (const auto& [name, number] : signals) {
    SCOPED_TRACE(name);
    const std::string out = std::string(name) + ".y4m", part = part_of(out);
    EXPECT_EQ(stopped(folder, "filter in.mp4 " + out + " --filter box:radius=3", part, name), 128 + number);
    EXPECT_THAT(folder.read("err"), HasSubstr(std::string("Stopped by SIG") + name));
    const std::size_t frames = times(folder / part).size();
    EXPECT_THAT(folder.read("err"), HasSubstr("after " + frames_text(static_cast<std::int64_t>(frames))));
    EXPECT_FALSE(fs::exists(folder / out)) << "the next job would take it for done";
  }
}

TEST(Signals, EndTheOtherCommandsInOrder) {
  const Folder folder;
  EXPECT_EQ(stopped(folder, "verify --json --strategy cpu-direct --backend cpu", "out", "TERM"), 143);
  EXPECT_THAT(folder.read("out"), testing::EndsWith("]\n")) << "JSON that can be read";
  folder.write("err", "");
  EXPECT_EQ(stopped(folder, "bench --strategy cpu-direct --backend cpu", "err", "INT"), 130);
  EXPECT_THAT(folder.read("err"), HasSubstr("Stopped by SIGINT"));
}

// Nobody waits for a picture that takes minutes.
TEST(Signals, GiveUpAPictureHalfWay) {
  const Folder folder;
  ffmpeg(folder, "-f lavfi -i testsrc2=s=4000x4000 -frames:v 1 in.png");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(
      bash(folder.path(),
           "\"$CONVOSCOPE\" filter in.png out.mkv --backend emulated --strategy global --filter gaussian:radius=30 "
           "2>err & sleep 6; kill -TERM $!; wait $!"),
      143)
      << folder.read("err");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(40));
  EXPECT_THAT(folder.read("err"), HasSubstr("out.mkv' was not written"));
}

// One check of this layer takes minutes; nobody waits for it.
TEST(Signals, EndACheckHalfWay) {
  const Folder folder;
  EXPECT_EQ(bash(folder.path(),
                 "\"$CONVOSCOPE\" verify --kind layer --backend cpu --shape 32,64,112,112,64,3 >out 2>err & p=$!; "
                 "for i in $(seq 3000); do [ -s err ] && break; sleep 0.02; done; sleep 3; kill -TERM $p; "
                 "for i in $(seq 1500); do kill -0 $p || break; sleep 0.02; done; kill -KILL $p; wait $p"),
            143)
      << folder.read("err");
  EXPECT_THAT(folder.read("out"), HasSubstr("0 failed")) << "half a check says nothing";
}

// A source that says nothing must not hold the end up, and a second signal waits for nothing at all.
TEST(Signals, EndWhatWaits) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(bash(folder.path(),
                 "sleep 60 > pipe & w=$!; \"$CONVOSCOPE\" filter - out.mkv < pipe 2>err & p=$!; "
                 "for i in $(seq 500); do grep -q \"^0 0x0 \" /proc/$p/syscall && break; sleep 0.02; done; "
                 "kill -TERM $p; wait $p; code=$?; kill $w; exit $code"),
            143);
}

// Recorded by the clock and killed so many seconds after the file has begun; how many of them are not in it.
double lost_by_a_kill(const Folder& folder, const std::string& name, double after) {
  fs::remove(folder / part_of(name));
  bash(folder.path(), "\"$CONVOSCOPE\" pattern --size 320x240 --rate 25 --realtime --frames 100000 --record " + name +
                          offscreen + "2>err & for i in $(seq 3000); do [ -s " + part_of(name) +
                          " ] && break; sleep 0.01; done; begin=$EPOCHREALTIME; sleep " + std::to_string(after) +
                          "; kill -9 $!; echo $begin $EPOCHREALTIME > took; wait $! 2>/dev/null");
  std::istringstream took(folder.read("took"));
  double begin = 0, end = 0;
  took >> begin >> end;
  const std::vector<double> shown = times(folder / part_of(name));
  return shown.empty() ? end - begin : end - begin - shown.back();
}

// At moments that lie differently to the pieces that the file is written in. A machine that does other things too may
// be late with a picture, so each has three attempts.
TEST(Kill, OfARecordingLosesAtMostTheLastSecond) {
  constexpr double most = 1, margin = 0.15;
  const Folder folder;
  for (const char* name : {"killed.mkv", "killed.mp4"})
    for (const double after : {2.3, 3.6}) {
      double lost = most + margin + 1;
      for (int attempt = 0; attempt < 3 && lost > most + margin; ++attempt) lost = lost_by_a_kill(folder, name, after);
      EXPECT_LE(lost, most + margin) << name << " killed after " << after << " s";
      EXPECT_EQ(bash(folder.path(), "ffmpeg -nostdin -v error -i " + part_of(name) + " -f null - 2>/dev/null"), 0);
    }
}

}  // namespace
}  // namespace convoscope
