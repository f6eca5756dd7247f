// Everything that a user can get wrong ends in a plain sentence and exit code 2, with the sanitizers watching.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::Not;

struct BadInput {
  std::vector<std::string> arguments;
  std::string named;  // what the sentence must name
};

void expect_plain_sentence(const Outcome& outcome, const std::string& named) {
  EXPECT_EQ(outcome.exit_code, 2) << "signal " << outcome.signal;
  const auto lines = std::count(outcome.err.begin(), outcome.err.end(), '\n');
  EXPECT_GE(lines, 1);
  EXPECT_LE(lines, 2);
  EXPECT_LT(outcome.err.size(), 600u);
  EXPECT_THAT(outcome.err, HasSubstr(named));
  for (const char* sign :
       {"AddressSanitizer", "runtime error", "terminate", "what()", "unexpected failure", "Assert", "std::", "#0"})
    EXPECT_THAT(outcome.err, Not(HasSubstr(sign)));
}

void expect_all_refused(const std::vector<BadInput>& inputs, const Folder& folder) {
  for (const BadInput& input : inputs) {
    std::string line;
    for (const std::string& argument : input.arguments) line += " '" + argument.substr(0, 80) + "'";
    SCOPED_TRACE("convoscope" + line);
    const Outcome outcome = run_program(input.arguments, folder.path(), false);
    expect_plain_sentence(outcome, input.named);
  }
}

TEST(RefusedInput, EndsWithAFullStop) {
  const Folder folder;
  for (const char* const filter : {"foo", "gaussian:radius=999999", "gaussian:radius=x", ""})
    EXPECT_THAT(run_program({"--filter", filter}, folder.path(), false).err, testing::EndsWith(".\n")) << filter;
}

TEST(RefusedInput, Arguments) {
  const Folder folder;
  expect_all_refused(
      {
          {{"--no-such-option"}, "--no-such-option"},
          {{"-z"}, "-z"},
          {{"--filter"}, "--filter"},
          {{"--no-vsync=3"}, "--no-vsync"},
          {{"pattern", "camera"}, "camera"},
          {{"--strategy", "no-such"}, "no-such"},
          {{"--strategy", ""}, "strategy ''"},
          {{"--compare", "constant,no-such"}, "no-such"},
          {{"--compare", "constant,,global"}, "strategy ''"},
          {{"--compare", "global,global,global,global,global,global,global,global,global,global"}, "10 strategies"},
          {{"--strategy", "constant", "--compare", "constant,global"}, "--compare"},
          {{"--border", "round"}, "round"},
          {{"--view", "cube"}, "cube"},
          {{"--format", "cmyk"}, "cmyk"},
          {{"--backend", "vulkan"}, "vulkan"},
          {{"--device", "-1"}, "-1"},
          {{"--device", "one"}, "one"},
          {{"--frames", "-5"}, "-5"},
          {{"--frames", "0"}, "'0'"},
          {{"--frames", "99999999999999999999"}, "99999999999999999999"},
          {{"--size", "0x0"}, "0x0"},
          {{"--size", "1000000x1000000"}, "1000000x1000000"},
          {{"--size", "wide"}, "wide"},
          {{"--window", "1x1"}, "1x1"},
          {{"--rate", "0"}, "'0'"},
          {{"--rate", "nan"}, "nan"},
          {{"--seek", "-3"}, "-3"},
          {{"--seek", "noon"}, "noon"},
          {{"--speed", "100"}, "100"},
          {{"--strategy", "constant", "--tune", "block_width"}, "block_width"},
          {{"--strategy", "constant", "--tune", "block_width=17"}, "block_width=17"},
          {{"--strategy", "constant", "--tune", "colour=3"}, "colour"},
          {{"--strategy", "source", "--tune", "block_width=16"}, "block_width=16"},
          {{"camera:x"}, "'x'"},
          {{"pattern:nothing"}, "siemens-star"},  // one of those that there are
          {{""}, "INPUT"},
          {{"list"}, "strategies"},
          {{"list", "penguins"}, "penguins"},
          {{"list", "strategies", "--size", "0x5"}, "0x5"},
          {{"verify", "--strategy", "no-such"}, "no-such"},
          {{"verify", "--view", "grid"}, "--view"},
          {{"bench", "--radius", "0"}, "'0'"},
          {{"bench", "--radius", "2", "--filter", "box"}, "--radius"},
          {{"bench", "--backend", "emulated"}, "emulated"},
          {{"bench", "--backend", "cpu", "--strategy", "cpu-separable,constant"},
           "constant' does not run with the cpu"},
          {{"bench", "--backend", "cpu", "--strategy", "constant"},
           "It needs CUDA, and what the emulator runs is never"},
          {{"bench", "clip.mp4"}, "--frame"},
          {{"bench", "--frames", "9"}, "--frames"},
          {{"bench", "--frame", "--frames", "0"}, "'0'"},
          {{"bench", "--frame", "--sweep"}, "--sweep"},
          {{"bench", "--frame", "--live"}, "--live"},
          {{"bench", "--frame", "--thorough"}, "--thorough"},
          {{"bench", "--frame", "--lines"}, "--lines"},
          {{"bench", "--frame", "--against", "npp"}, "--against"},
          {{"bench", "--frame", "--radius", "2"}, "--radius"},
          {{"bench", "--frame", "--strategy", "global,constant"}, "--strategy"},
          {{"bench", "--frame", "--size", "64x64,32x32"}, "--size"},
          {{"bench", "--frame", "no-such-file.mp4"}, "no-such-file.mp4"},
          {{"bench", "--frame", "--json", "/no/such/folder/f.json"}, "/no/such/folder"},
      },
      folder);
}

TEST(RefusedInput, Filters) {
  const Folder folder;
  std::string large;
  for (int y = 0; y < 129; ++y) {
    for (int x = 0; x < 129; ++x) large += "1 ";
    large += ";";
  }
  std::vector<BadInput> inputs{
      {{"--filter", ""}, "--filter"},
      {{"--filter", "no-such-filter"}, "no-such-filter"},
      {{"--filter", "gaussian:radius=-1"}, "-1"},
      {{"--filter", "gaussian:radius=1000"}, "1000"},
      {{"--filter", "gaussian:radius=two"}, "two"},
      {{"--filter", "gaussian:radius"}, "radius"},
      {{"--filter", "gaussian:colour=3"}, "colour"},
      {{"--filter", "gaussian:sigma=nan"}, "nan"},
      {{"--filter", "1 2; 3 4"}, "2"},
      {{"--filter", "1 2 3; 4 5; 6 7 8"}, "row"},
      {{"--filter", ";"}, ""},
      {{"--filter", "1 nan 1"}, "nan"},
      {{"--filter", "1 inf 1"}, "inf"},
      {{"--filter", "1 x 1"}, "x"},
      {{"--filter", "1e99 0 0"}, "1e99"},
      {{"--filter", large}, "129"},
      {{"--filter", folder / "missing.json"}, "missing.json"},
      {{"--filter", folder.path()}, folder.path()},
  };
  const std::vector<std::pair<std::string, std::string>> files{
      {"broken.json", "{\"width\": 3,"},
      {"empty.json", ""},
      {"list.json", "[1, 2, 3]"},
      {"even.json", R"({"width": 2, "height": 2, "weights": [1, 2, 3, 4]})"},
      {"short.json", R"({"width": 3, "height": 3, "weights": [1, 2, 3, 4]})"},
      {"none.json", R"({"width": 3, "height": 3, "weights": []})"},
      {"null.json", R"({"width": 3, "height": 1, "weights": [1, null, 1]})"},
      {"text.json", R"({"width": "three", "height": 1, "weights": [1, 1, 1]})"},
      {"huge.json", R"({"width": 1000001, "height": 1000001, "weights": [1]})"},
      {"negative.json", R"({"width": -3, "height": -3, "weights": [1, 1, 1, 1, 1, 1, 1, 1, 1]})"},
      {"infinite.json", R"({"width": 1, "height": 1, "weights": [1e400]})"},
      {"gain.json", R"({"width": 1, "height": 1, "weights": [1], "gain": "loud"})"},
      {"deep.json", std::string(100'000, '[')},
  };
  for (const auto& [name, content] : files) inputs.push_back({{"--filter", folder.write(name, content)}, name});
  expect_all_refused(inputs, folder);
}

TEST(RefusedInput, Outputs) {
  const Folder folder;
  const std::string closed = folder / "closed";
  std::filesystem::create_directory(closed);
  chmod(closed.c_str(), 0500);
  folder.write("readonly.json", "{}");
  chmod((folder / "readonly.json").c_str(), 0400);
  expect_all_refused(
      {
          {{"--stats", folder / "none/stats.json"}, "none"},
          {{"--stats", folder.path()}, folder.path()},
          {{"--stats", closed + "/stats.json"}, "closed"},
          {{"--stats", folder / "readonly.json"}, "readonly.json"},
          {{"--stats", ""}, "--stats"},
          {{"--screenshot", folder / "none/a.png"}, "none"},
          {{"--screenshot", closed + "/a.png"}, "closed"},
          {{"--screenshot", folder / "a.bmp"}, "a.bmp"},
          {{"--record", folder / "none/a.mp4"}, "none"},
          {{"--record", closed + "/a.mp4"}, "closed"},
          {{"--record", folder / "a.docx"}, "a.docx"},
          {{"--record", folder / "a"}, "--record"},
          {{"bench", "--json", folder / "none/b.json"}, "none"},
      },
      folder);
  chmod(closed.c_str(), 0700);
}

// What can only be seen by opening it: offscreen, so that there is nobody to mend it.
TEST(RefusedInput, Videos) {
  const Folder folder;
  shell("ffmpeg -loglevel error -y -f lavfi -i testsrc=size=64x48:rate=10:duration=2 -c:v mpeg4 " +
        (folder / "good.mp4"));
  shell("ffmpeg -loglevel error -y -f lavfi -i sine=duration=1 " + (folder / "sound.wav"));
  shell("ffmpeg -loglevel error -y -f lavfi -i testsrc=size=64x48 -frames:v 1 " + (folder / "good.png"));
  const std::string video = folder.read("good.mp4");
  folder.write("truncated.mp4", video.substr(0, video.size() / 2));  // its index stood at the end
  folder.write("head.mp4", video.substr(0, 40));
  folder.write("head.wav", folder.read("sound.wav").substr(0, 44));
  folder.write("head.png", folder.read("good.png").substr(0, 30));
  folder.write("text.mp4", "This is no video.\n");
  folder.write("page.gif", "<!DOCTYPE html><html><body>Not found</body></html>\n");
  folder.write("zero.mp4", "");
  folder.write("zeros.mkv", std::string(100'000, '\0'));
  std::string noise(100'000, ' ');
  unsigned state = 1;
  for (char& byte : noise) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  folder.write("noise.avi", noise);
  folder.write("closed.mp4", video);
  chmod((folder / "closed.mp4").c_str(), 0);
  std::filesystem::create_directory(folder / "folder.mp4");
  std::filesystem::create_symlink("nowhere.mp4", folder / "dangling.mp4");
  // A header that promises more than any memory holds.
  folder.write("absurd.pgm", "P5 1000000 1000000 255\n");

  std::vector<BadInput> inputs;
  for (const char* name :
       {"truncated.mp4", "head.mp4", "head.png", "text.mp4", "page.gif", "zero.mp4", "zeros.mkv", "noise.avi",
        "closed.mp4", "folder.mp4", "dangling.mp4", "absurd.pgm", "missing.mp4", "head.wav", "missing-%03d.png"})
    inputs.push_back({{folder / name, "--offscreen", "--backend", "cpu", "--frames", "2"}, name});
  inputs.push_back({{"pattern:no-such", "--offscreen", "--backend", "cpu", "--frames", "1"}, "no-such"});
  inputs.push_back({{"camera:250", "--offscreen", "--backend", "cpu", "--frames", "1"}, "camera"});
  inputs.push_back({{"nosuchprotocol://host/a", "--offscreen", "--backend", "cpu", "--frames", "1"}, "nosuchprotocol"});
  inputs.push_back({{"http://127.0.0.1:9/a.mp4", "--offscreen", "--backend", "cpu", "--frames", "1"}, "127.0.0.1:9"});
  inputs.push_back({{"screen", "--offscreen", "--backend", "cpu", "--frames", "1"}, "screen"});
  expect_all_refused(inputs, folder);
}

// y4m can have any rate.
TEST(RefusedInput, AFrameRateThatIsTooLowIsNamed) {
  const Folder folder;
  const auto write_clip = [&](const std::string& name, const std::string& rate) {
    std::string clip = "YUV4MPEG2 W64 H48 F" + rate + " Ip A1:1 C420jpeg\n";
    for (int i = 0; i < 3; ++i) clip += "FRAME\n" + std::string(64 * 48 * 3 / 2, '\x50');
    folder.write(name, clip);
  };
  write_clip("slow.y4m", "1:2147483647");
  write_clip("daily.y4m", "1:86400");
  write_clip("fast.y4m", "2147483647:1");
  const std::string named = "'slow.y4m' has a frame rate of 1:2147483647";
  const std::vector<std::string> recorded{"--offscreen", "--backend", "cpu",  "--window",
                                          "320x200",     "--record",  "r.mp4"};
  std::vector<std::string> slow{"slow.y4m"}, fast{"fast.y4m"};
  for (std::vector<std::string>* one : {&slow, &fast}) one->insert(one->end(), recorded.begin(), recorded.end());
  expect_all_refused({{{"filter", "slow.y4m", "out.mp4", "--filter", "identity"}, named},
                      {{"filter", "slow.y4m", "out.mov", "--filter", "identity"}, named},
                      {slow, "with 4.656612875e-10 frames a second is not possible"},
                      {fast, "with 2147483647 frames a second is not possible"}},
                     folder);
  for (const std::string clip : {"slow", "daily", "fast"})
    for (const std::string ending : {"mkv", "y4m", "mp4"}) {
      if (clip == "slow" && ending == "mp4") continue;
      const Outcome outcome =
          run_program({"filter", clip + ".y4m", "out." + ending, "--filter", "identity"}, folder.path());
      EXPECT_EQ(outcome.exit_code, 0) << clip << " " << ending << ": " << outcome.err;
    }
}

// Not wrong, only odd: these must play.
TEST(GoodInput, OddSizesAndAFileThatEndsEarlyPlay) {
  const Folder folder;
  shell("ffmpeg -loglevel error -y -f lavfi -i testsrc=size=63x47:rate=10:duration=1 -c:v ffv1 " +
        (folder / "odd.mkv"));
  shell("ffmpeg -loglevel error -y -f lavfi -i testsrc=size=1x1 -frames:v 1 " + (folder / "dot.png"));
  shell("ffmpeg -loglevel error -y -f lavfi -i testsrc=size=64x48:rate=10:duration=2 -c:v ffv1 " +
        (folder / "whole.mkv"));
  const std::string video = folder.read("whole.mkv");
  folder.write("early.mkv", video.substr(0, video.size() * 3 / 4));  // Matroska has its index in front of each cluster
  for (const char* name : {"odd.mkv", "dot.png", "early.mkv"}) {
    SCOPED_TRACE(name);
    const Outcome outcome = run_program(
        {folder / name, "--offscreen", "--backend", "cpu", "--frames", "2", "--window", "320x200"}, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("AddressSanitizer")));
  }
}

TEST(RefusedInput, WhereNobodyWatchesSettingsAreNeitherReadNorTouched) {
  const Folder folder;
  std::filesystem::create_directories(folder / ".config/convoscope");
  folder.write(".config/convoscope/settings.json", "{ broken");
  const Outcome outcome = run_program(
      {"pattern", "--offscreen", "--backend", "cpu", "--frames", "1", "--window", "320x200", "--size", "64x48"},
      folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("settings.json")));
  EXPECT_EQ(folder.read(".config/convoscope/settings.json"), "{ broken");
}

}  // namespace
}  // namespace convoscope
