// convoscope filter on real files: nothing of the input is lost but what the filter changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/files/sentence.h"
#include "tests/cli/program/runs_in_folder.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

void run_ffmpeg(const Folder& folder, const std::string& arguments) {
  shell("cd '" + folder.path().string() + "' && ffmpeg -v error -y " + arguments);
}

// Of all packets, or of those from time 0 on.
std::string sound_hash(const std::string& file, bool from_0 = false) {
  return output_of("ffmpeg -v error -i '" + file + "' -map 0:a -c copy " +
                   (from_0 ? "-bsf:a 'noise=drop=lt(pts\\,0)' " : "") + "-f streamhash -");
}

// The number of a "psnr" report's average, in dB; infinity for equal pictures.
double psnr(const std::string& a, const std::string& b) {
  const std::string text =
      output_of("ffmpeg -hide_banner -nostats -i '" + a + "' -i '" + b + "' -lavfi 'psnr' -f null - 2>&1");
  const std::size_t at = text.find("average:");
  if (at == std::string::npos) throw std::runtime_error("no psnr in: " + text);
  return std::stod(text.substr(at + 8));
}

Outcome filter(const Folder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "filter");
  Outcome outcome = run_program(arguments, folder.path(), false);
  for (const char* sign : {"AddressSanitizer", "runtime error", "unexpected failure"})
    EXPECT_THAT(outcome.err, Not(HasSubstr(sign)));
  return outcome;
}

void expect_times(const std::string& in, const std::string& out, double tolerance) {
  const std::vector<double> expected = times(in), actual = times(out);
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(actual.size(), expected.size()) << out;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << out << " frame " << i;
}

// B-frames, two sounds of which the second begins late and ends after the picture.
void make_clip(const Folder& folder, const std::string& name, const std::string& video = "") {
  run_ffmpeg(
      folder,
      "-f lavfi -i testsrc2=s=160x120:r=30000/1001:d=2 -f lavfi -i sine=f=440:d=2.5 -f lavfi -i sine=f=880:d=1 " +
          video + " -map 0:v -map 1:a -map 2:a -c:v libx264 -bf 2 -g 15 -pix_fmt yuv420p -c:a aac " + name);
}

TEST(FilteredFile, KeepsFramesTimesAndSound) {
  const Folder folder;
  make_clip(folder, "in.mp4");
  make_clip(folder, "in.mkv");
  for (const char* in : {"in.mp4", "in.mkv"})
    for (const char* out : {"out.mp4", "out.mov", "out.mkv"}) {
      SCOPED_TRACE(std::string(in) + " to " + out);
      if (std::string(out) == "out.mov" && std::string(in) != "in.mp4") continue;  // written as out.mp4 is
      const Outcome outcome = filter(folder, {in, out, "--filter", "gaussian:radius=2"});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("2 sound streams copied"));
      EXPECT_THAT(outcome.err, HasSubstr("60 frames"));
      const bool exact = std::string(out) != "out.mkv";
      expect_times(folder / in, folder / out, exact ? 2e-6 : 1.1e-3);
      // Readers of Matroska play all of the sound later by what is before 0 there.
      EXPECT_EQ(sound_hash(folder / out), sound_hash(folder / in, !exact));
      EXPECT_THAT(sound_hash(folder / in), HasSubstr("SHA256="));
    }
}

TEST(FilteredFile, KeepsVariableFrameTimes) {
  const Folder folder;
  // Every third frame dropped, and a hole.
  run_ffmpeg(folder,
             "-f lavfi -i testsrc2=s=160x120:r=25:d=3 -vf \"select='mod(n,3)*not(between(n,20,40))'\" -vsync vfr "
             "-c:v libx264 -pix_fmt yuv420p -video_track_timescale 90000 vfr.mp4");
  const std::vector<double> expected = times(folder / "vfr.mp4");
  ASSERT_GT(expected.size(), 30u);
  double longest = 0;
  for (std::size_t i = 1; i < expected.size(); ++i) longest = std::max(longest, expected[i] - expected[i - 1]);
  ASSERT_GT(longest, 0.5);
  for (const char* out : {"out.mp4", "out.mkv"}) {
    const Outcome outcome = filter(folder, {"vfr.mp4", out, "--filter", "identity"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_times(folder / "vfr.mp4", folder / out, std::string(out) == "out.mp4" ? 2e-6 : 1.1e-3);
  }
}

// Converters would leave out what comes faster than a rate that the file names; y4m has no times, so that pictures are
// repeated, as many as fill them.
TEST(FilteredFile, OfVariableTimesNamesNoRateAndY4mFillsThem) {
  const Folder folder;
  run_ffmpeg(folder,
             "-f lavfi -i testsrc2=s=64x48:r=30:d=6 -vf \"select='if(lt(t,5),not(mod(n,30)),1)'\" -vsync vfr "
             "-c:v libx264 -pix_fmt yuv420p -video_track_timescale 90000 vfr.mp4");
  ASSERT_EQ(times(folder / "vfr.mp4").size(), 35u);
  EXPECT_EQ(filter(folder, {"vfr.mp4", "vfr.mkv", "--filter", "identity"}).exit_code, 0);
  run_ffmpeg(folder, "-i vfr.mkv -c:v mpeg4 vfr.avi");
  EXPECT_EQ(times(folder / "vfr.avi").size(), 35u);
  const Outcome outcome = filter(folder, {"vfr.mp4", "vfr.y4m", "--filter", "identity"});
  EXPECT_THAT(outcome.err, HasSubstr("; for a constant 30 frames a second 145 repetitions were added"));
  EXPECT_EQ(times(folder / "vfr.y4m").size(), 180u);
  EXPECT_EQ(probe(folder / "vfr.y4m", "-show_entries stream=r_frame_rate"), "30/1\n");
}

TEST(FilteredFile, KeepsAStartThatIsNotZero) {
  const Folder folder;
  make_clip(folder, "in.ts");
  ASSERT_GT(times(folder / "in.ts").at(0), 1);
  for (const char* out : {"out.mp4", "out.mkv"}) {
    const Outcome outcome = filter(folder, {"in.ts", out, "--filter", "identity"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_times(folder / "in.ts", folder / out, 1.1e-3);
  }
}

TEST(FilteredFile, IdentityIsNearlyLossless) {
  const Folder folder;
  run_ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=10:d=1 -vf scale=161:119 -c:v ffv1 -pix_fmt bgr0 rgb.mkv");
  for (const char* strategy : {"cpu-parallel", "cpu-separable"}) {
    const Outcome outcome = filter(folder, {"rgb.mkv", "out.mkv", "--filter", "identity", "--lossless", "--strategy",
                                            strategy, "--backend", "cpu"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(probe(folder / "out.mkv", "-show_entries stream=codec_name,width,height"), HasSubstr("ffv1,161,119"));
    EXPECT_EQ(psnr(folder / "rgb.mkv", folder / "out.mkv"), std::numeric_limits<double>::infinity());
  }
  const Outcome blurred = filter(folder, {"rgb.mkv", "blur.mkv", "--filter", "box:radius=4", "--lossless"});
  EXPECT_EQ(blurred.exit_code, 0) << blurred.err;
  EXPECT_LT(psnr(folder / "rgb.mkv", folder / "blur.mkv"), 35);
  const Outcome grey =
      filter(folder, {"rgb.mkv", "grey.mkv", "--filter", "identity", "--lossless", "--format", "gray32f"});
  EXPECT_EQ(grey.exit_code, 0) << grey.err;
  run_ffmpeg(folder, "-i grey.mkv -vf format=gray,format=bgr0 -c:v ffv1 same.mkv");
  EXPECT_GT(psnr(folder / "grey.mkv", folder / "same.mkv"), 45);
}

TEST(FilteredFile, AppliesRotationAndKeepsPixelAspect) {
  const Folder folder;
  run_ffmpeg(folder, "-f lavfi -i testsrc2=s=160x120:r=10:d=1 -vf setsar=4/3 -c:v libx264 -pix_fmt yuv420p flat.mp4");
  run_ffmpeg(folder, "-i flat.mp4 -c copy -metadata:s:v:0 rotate=90 turned.mp4");
  const Outcome outcome = filter(folder, {"turned.mp4", "out.mp4", "--filter", "identity"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(probe(folder / "out.mp4", "-show_entries stream=width,height,sample_aspect_ratio"),
              HasSubstr("120,160,3:4"));
  EXPECT_THAT(probe(folder / "out.mp4", "-show_entries stream_side_data=rotation"), Not(HasSubstr("90")));
  run_ffmpeg(folder, "-i turned.mp4 -c:v libx264 -crf 10 upright.mp4");
  run_ffmpeg(folder, "-i upright.mp4 -vf hflip,vflip -c:v libx264 -crf 10 wrong.mp4");
  // Not closer: psnr compares code values, and ours are BT.709 where the small source's are BT.601.
  EXPECT_GT(psnr(folder / "upright.mp4", folder / "out.mp4"), 20);
  EXPECT_LT(psnr(folder / "wrong.mp4", folder / "out.mp4"), 15);
}

TEST(FilteredFile, StandsInAPipe) {
  const Folder folder;
  make_clip(folder, "in.mp4");
  const std::string convoscope = "\"$CONVOSCOPE\"";
  EXPECT_EQ(
      bash(folder.path(), "ffmpeg -v error -i in.mp4 -f yuv4mpegpipe - | " + convoscope +
                              " filter - - --filter identity 2>err | ffmpeg -v error -y -i - -c:v ffv1 piped.mkv"),
      0)
      << folder.read("err");
  const std::size_t frames = times(folder / "in.mp4").size();
  EXPECT_EQ(times(folder / "piped.mkv").size(), frames);
  const std::string wrote = "Wrote " + frames_text(static_cast<std::int64_t>(frames)) + " to ";
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr(wrote + "standard output in "), EndsWith(".\n")));
  for (const char* before : {"' in ", "', in place of an older file, in "}) {
    EXPECT_EQ(bash(folder.path(), convoscope + " filter in.mp4 twice.mkv --filter identity 2>err"), 0);
    EXPECT_THAT(folder.read("err"), HasSubstr(wrote + "'twice.mkv" + before));
  }
  expect_times(folder / "in.mp4", folder / "piped.mkv", 1.1e-3);
  // testsrc2 has colours outside RGB: no further from it than ffmpeg's own way through RGB. A colour inside is exact.
  run_ffmpeg(folder, "-i in.mp4 -vf format=gbrp,format=yuv420p -c:v ffv1 through_rgb.mkv");
  EXPECT_GT(psnr(folder / "in.mp4", folder / "piped.mkv"), psnr(folder / "in.mp4", folder / "through_rgb.mkv") - 0.5);
  run_ffmpeg(folder, "-f lavfi -i color=0x4080c0:s=160x120:r=10:d=1 -f yuv4mpegpipe plain.y4m");
  EXPECT_EQ(bash(folder.path(), convoscope + " filter plain.y4m same.y4m --filter identity 2>err"), 0);
  EXPECT_GT(psnr(folder / "plain.y4m", folder / "same.y4m"), 45);

  // A file at one end only, and 4:4:4.
  EXPECT_EQ(bash(folder.path(), convoscope + " filter in.mp4 out.y4m --filter identity --lossless 2>err"), 0);
  EXPECT_THAT(probe(folder / "out.y4m", "-show_entries stream=width,height,pix_fmt"), HasSubstr("yuv444p"));
  EXPECT_EQ(bash(folder.path(), "cat out.y4m | " + convoscope + " filter - again.mp4 2>err"), 0) << folder.read("err");
  expect_times(folder / "in.mp4", folder / "again.mp4", 1e-4);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr(wrote + "'again.mp4' in "), EndsWith(".\n")));

  // Who reads may leave.
  EXPECT_EQ(bash(folder.path(), "(" + convoscope + " filter in.mp4 - 2>err; echo $? > code) | head -c 1000 > head"), 0);
  EXPECT_EQ(folder.read("code"), "3\n");
  EXPECT_THAT(folder.read("err"), HasSubstr("has stopped reading. The output is not complete: "));
}

TEST(FilteredFile, AMeanOfColoursIsOneOfLumaAndChroma) {
  const Folder folder;
  const std::string colours = "-f lavfi -i gradients=s=161x119:c0=0x4060a0:c1=0xb08040:n=2:r=10:d=1 ";
  run_ffmpeg(folder, colours + "-pix_fmt yuv420p -f yuv4mpegpipe in.y4m");
  run_ffmpeg(folder, "-i in.y4m -c:v ffv1 -pix_fmt bgr0 -sws_flags accurate_rnd+full_chroma_int rgb.mkv");
  const auto filtered = [&](const std::string& in, const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), {in, out, "--backend", "cpu"});
    const Outcome outcome = filter(folder, more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.err;
  };
  const std::string unconverted = " on Y, U and V, as y4m";
  for (const char* strategy : {"cpu-separable-int16", "cpu-parallel"}) {
    const std::vector<std::string> mean{"--filter", "gaussian:radius=2", "--strategy", strategy};
    EXPECT_THAT(filtered("in.y4m", "out.y4m", mean), HasSubstr(std::string(strategy) + unconverted));
    EXPECT_THAT(filtered("rgb.mkv", "through.y4m", mean), Not(HasSubstr(unconverted)));
    EXPECT_GT(psnr(folder / "out.y4m", folder / "through.y4m"), 45);
  }
  EXPECT_THAT(filtered("in.y4m", "full.y4m", {"--filter", "box:radius=1", "--lossless"}), HasSubstr(unconverted));

  // What is not the same there goes through RGB.
  run_ffmpeg(folder, colours + "-pix_fmt yuv420p -c:v ffv1 -colorspace bt709 hd.mkv");
  run_ffmpeg(folder, colours + "-pix_fmt yuvj420p -c:v mjpeg wide.mkv");
  run_ffmpeg(folder, colours + "-pix_fmt yuv420p10 -c:v ffv1 ten.mkv");
  for (const char* in : {"hd.mkv", "wide.mkv", "ten.mkv"})
    EXPECT_THAT(filtered(in, "out.y4m", {"--filter", "gaussian:radius=2"}), Not(HasSubstr(unconverted))) << in;
  EXPECT_THAT(filtered("in.y4m", "out.y4m", {"--filter", "unsharp"}), Not(HasSubstr(unconverted)));
  EXPECT_THAT(filtered("in.y4m", "out.y4m", {"--filter", "box:radius=1", "--border", "zero"}),
              Not(HasSubstr(unconverted)));
  EXPECT_THAT(filtered("in.y4m", "out.y4m", {"--filter", "box:radius=1", "--format", "gray32f"}),
              Not(HasSubstr(unconverted)));
  EXPECT_THAT(filtered("in.y4m", "out.mkv", {"--filter", "box:radius=1"}), Not(HasSubstr("on Y, U and V")));
}

// Pictures that went through RGB lie where the others do, from one side to the other.
TEST(FilteredFile, OddSidesLeaveChromaInItsPlace) {
  const Folder folder;
  run_ffmpeg(folder, "-f lavfi -i testsrc=s=129x65:r=5:d=1 -pix_fmt yuv444p -strict -1 -f yuv4mpegpipe in.y4m");
  run_ffmpeg(folder, "-i in.y4m -c:v ffv1 -pix_fmt bgr0 -sws_flags accurate_rnd+full_chroma_int rgb.mkv");
  for (const char* in : {"in.y4m", "rgb.mkv"}) {
    const Outcome outcome =
        filter(folder, {in, std::string(in) + ".out.y4m", "--backend", "cpu", "--filter", "gaussian:radius=2"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_GT(psnr(folder / "in.y4m.out.y4m", folder / "rgb.mkv.out.y4m"), 42);
}

TEST(FilteredFile, BadInputsAreToldInASentence) {
  const Folder folder;
  make_clip(folder, "in.mp4");
  run_ffmpeg(folder, "-f lavfi -i sine=d=1 sound.wav");
  run_ffmpeg(folder, "-i in.mp4 -map 0:v -map 0:a:0 -c:v copy -c:a pcm_s16le pcm.mkv");
  run_ffmpeg(folder, "-f lavfi -i testsrc2=s=64x48:d=1 -f yuv4mpegpipe whole.y4m");
  folder.write("text.mp4", std::string(5000, 'x'));
  folder.write("read-only.mp4", "x");
  std::filesystem::permissions(folder / "read-only.mp4", std::filesystem::perms::owner_read);
  struct Bad {
    std::vector<std::string> arguments;
    std::string named;
  };
  const std::vector<Bad> all{
      {{}, "INPUT"},
      {{"in.mp4"}, "OUTPUT"},
      {{"in.mp4", "a.mp4", "b.mp4"}, "b.mp4"},
      {{"none.mp4", "out.mp4"}, "none.mp4"},
      {{"in.mp4", "in.mp4"}, "INPUT itself"},
      {{"in.mp4", "./in.mp4"}, "INPUT itself"},
      {{"in.mp4", "out.xyz"}, "out.xyz"},
      {{"in.mp4", "nowhere/out.mp4"}, "nowhere"},
      {{"in.mp4", "read-only.mp4"}, "read-only.mp4"},
      {{"in.mp4", "out.mp4", "--lossless"}, ".mkv"},
      {{"in.mp4", "out.mp4", "--filter", "blurr"}, "blurr"},
      {{"in.mp4", "out.mp4", "--strategy", "none"}, "none"},
      {{"in.mp4", "out.mp4", "--strategy", "source"}, "source"},
      {{"in.mp4", "out.mp4", "--tune", "threads=1"}, "--strategy"},
      {{"in.mp4", "out.mp4", "--strategy", "constant", "--backend", "cpu"}, "constant"},
      {{"in.mp4", "out.mp4", "--filter", "disk:radius=3", "--strategy", "cpu-separable", "--backend", "cpu"},
       "cpu-separable"},
      {{"text.mp4", "out.mp4"}, "text.mp4"},
      {{"sound.wav", "out.mp4"}, "'sound.wav' has sound alone"},
      {{"sound.wav", "out.wav"}, "--record out.mkv"},
      {{"pcm.mkv", "out.mp4"}, "pcm_s16le"},
      {{"pattern", "out.mp4"}, "no end"},
      {{"-", "out.mp4"}, "on standard input"},  // the tests' own has no y4m, or nothing at all
      {{"in.mp4", "/dev/full"}, "/dev/full"},
  };
  for (const Bad& bad : all) {
    SCOPED_TRACE(bad.named);
    const Outcome outcome = filter(folder, bad.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(bad.named));
    EXPECT_LT(outcome.err.size(), 600u);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.mp4")) << "a refused run leaves nothing";
  }
  EXPECT_EQ(bash(folder.path(), "\"$CONVOSCOPE\" filter whole.y4m - 2>err >/dev/full"), 2);
  EXPECT_THAT(folder.read("err"), AllOf(HasSubstr("No space left"), Not(HasSubstr("plays")))) << "there is nothing";
}

TEST(FilteredFile, AFullDiskLeavesWhatWasWrittenPlayable) {
  const Folder folder;
  run_ffmpeg(folder,
             "-f lavfi -i testsrc2=s=160x120:r=25:d=8 -f lavfi -i sine=d=8 -c:v libx264 -preset ultrafast in.mp4");
  for (const char* out : {"out.mp4", "out.mkv"}) {
    const Outcome whole = filter(folder, {"in.mp4", out, "--filter", "identity"});
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    const auto kilobytes = std::filesystem::file_size(folder / out) / 1024 / 2;
    std::filesystem::remove(folder / out);
    EXPECT_EQ(bash(folder.path(), "ulimit -f " + std::to_string(kilobytes) + "; \"$CONVOSCOPE\" filter in.mp4 " + out +
                                      " --filter identity 2>err"),
              2);
    EXPECT_THAT(folder.read("err"), HasSubstr("What was written plays and is in "));
    EXPECT_THAT(folder.read("err"), HasSubstr(part_of(out) + "'"));
    EXPECT_GT(times(folder / part_of(out)).size(), 50u) << out;
    EXPECT_FALSE(std::filesystem::exists(folder / out)) << "the next job would take it for done";
  }
}

TEST(FilteredFile, AFullDiskBeforeTheFirstPictureIsWholeLeavesNothingThatPlays) {
  const Folder folder;
  run_ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=25:d=2 -c:v libx264 -preset ultrafast in.mp4");
  for (const char* out : {"out.mp4", "out.mkv", "out.y4m"}) {
    SCOPED_TRACE(out);
    EXPECT_EQ(bash(folder.path(),
                   std::string("ulimit -f 6; \"$CONVOSCOPE\" filter in.mp4 ") + out + " --filter identity 2>err"),
              2);
    EXPECT_THAT(folder.read("err"),
                AllOf(HasSubstr("File too large"), HasSubstr("so there is no file"), Not(HasSubstr("plays"))));
    EXPECT_FALSE(std::filesystem::exists(folder / out));
    EXPECT_FALSE(std::filesystem::exists(folder / part_of(out)));
  }
}

TEST(FilteredFile, AnInterruptLeavesAnOlderFileAsItWas) {
  const Folder folder;
  run_ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=25:d=60 -c:v libx264 -preset ultrafast in.mp4");
  for (const std::string ending : {"mp4", "y4m"}) {
    const std::string out = "out." + ending, part = "out.part." + ending;
    std::ofstream(folder / out) << "mine";
    EXPECT_EQ(bash(folder.path(), "\"$CONVOSCOPE\" filter in.mp4 " + out + " --filter box:radius=3 2>err & for i in " +
                                      "$(seq 2000); do [ -s " + part + " ] || ! kill -0 $! 2>/dev/null && break; " +
                                      "sleep 0.05; done; kill -INT $!; wait $!; echo $? > code"),
              0);
    EXPECT_EQ(folder.read("code"), "130\n");
    EXPECT_THAT(folder.read("err"), HasSubstr(part + "'; '" + out + "' is as it was."));
    EXPECT_EQ(folder.read(out), "mine");
    EXPECT_GT(times(folder / part).size(), 0u);
  }
}

TEST(FilteredFile, AnInterruptLeavesAPartThatPlays) {
  const Folder folder;
  run_ffmpeg(folder, "-f lavfi -i testsrc2=s=320x240:r=25:d=60 -c:v libx264 -preset ultrafast in.mp4");
  EXPECT_EQ(bash(folder.path(),
                 "\"$CONVOSCOPE\" filter in.mp4 out.mp4 --filter box:radius=3 2>err & "
                 "for i in $(seq 2000); do [ -s out.part.mp4 ] || ! kill -0 $! 2>/dev/null && break; sleep 0.05; done; "
                 "kill -INT $!; wait $!; echo $? > code"),
            0);
  EXPECT_EQ(folder.read("code"), "130\n");
  EXPECT_THAT(folder.read("err"), HasSubstr("Stopped by SIGINT after"));
  EXPECT_THAT(folder.read("err"), HasSubstr("out.part.mp4'; there is no 'out.mp4'."));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.mp4"));
  const std::size_t frames = times(folder / "out.part.mp4").size();
  EXPECT_GT(frames, 0u);
  EXPECT_LT(frames, 1500u);
  EXPECT_THAT(folder.read("err"),
              HasSubstr("Stopped by SIGINT after " + frames_text(static_cast<std::int64_t>(frames))));
}

}  // namespace
}  // namespace convoscope
