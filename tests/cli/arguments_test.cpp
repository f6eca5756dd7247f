#include "app/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/options/values.h"
#include "kernels/text/edit_distance.h"
#include "tests/cli/folder.h"
#include "tests/cli/parse.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string parse_error_of(const std::vector<std::string>& arguments) {
  return error_of([&] { parse(arguments); });
}

TEST(Arguments, AnotherSourceIsSeenWholeWithoutThePlaceInTheOneBefore) {
  Settings mine = default_settings();
  mine.source.input = "pattern:text";
  mine.zoom.scale = 20;
  mine.inspect.pinned = PixelAddress{19, 3};
  EXPECT_EQ(parse({"pattern:text"}, mine).settings.zoom.scale, 20);
  EXPECT_TRUE(parse({"pattern:text"}, mine).settings.inspect.pinned);
  EXPECT_EQ(parse({"pattern"}, mine).settings.zoom, ZoomSettings());
  EXPECT_FALSE(parse({"pattern"}, mine).settings.inspect.pinned);
}

TEST(Arguments, NoneOpensTheWindowWithTheUsersSettings) {
  Settings mine = default_settings();
  mine.group().view = View::split;
  mine.window_width = 800;
  mine.window_height = 600;
  const Invocation invocation = parse({}, mine);
  EXPECT_EQ(invocation.command, Invocation::Command::window);
  EXPECT_FALSE(invocation.input_given);
  EXPECT_EQ(invocation.settings.source.input, "pattern");
  EXPECT_EQ(invocation.settings.group().view, View::split);
  EXPECT_EQ(invocation.window_width, 800);
  EXPECT_EQ(invocation.window_height, 600);
  EXPECT_FALSE(invocation.text);
}

TEST(Arguments, WhatARunBeginsWithIsAskedForOnlyByTheWindow) {
  int asked = 0;
  Beginning last;
  const auto run = [&](std::vector<const char*> argv) {
    argv.insert(argv.begin(), "convoscope");
    parse_arguments(static_cast<int>(argv.size()), argv.data(), [&](const Beginning& beginning) {
      ++asked;
      last = beginning;
      return default_settings();
    });
  };
  run({"list", "filters"});
  run({"--help"});
  EXPECT_EQ(asked, 0);
  run({"--session", "mine.json", "--offscreen"});
  EXPECT_EQ(last.session, "mine.json");
  EXPECT_TRUE(last.offscreen);
  EXPECT_FALSE(last.reset);
  run({"--reset"});
  EXPECT_TRUE(last.reset);
  EXPECT_THAT(parse_error_of({"--reset", "--session", "mine.json"}), HasSubstr("exclude"));
}

TEST(Arguments, EveryPaneHasAFilterEvenWhenTheDefaultsHaveNone) {
  const Invocation invocation = parse({}, Settings{});
  ASSERT_EQ(invocation.settings.group().panes.size(), 1u);
  EXPECT_FALSE(invocation.settings.group().panes[0].filter.filter.weights.empty());
}

TEST(Arguments, EveryOptionOfTheWindowReachesItsSetting) {
  const Folder folder;
  const Invocation i = parse(
      {"--filter",       "box:radius=3", "--border",        "mirror",   "--strategy", "constant",       "--tune",
       "block_width=16", "--view",       "split",           "--format", "gray32f",    "pattern:text",   "--size",
       "640x480",        "--rate",       "59.94",           "--seek",   "1:30",       "--speed",        "0.5",
       "--backend",      "emulated",     "--device",        "1",        "--no-vsync", "--window",       "1280x720",
       "--no-panels",    "--realtime",   "--frames",        "7",        "--record",   folder / "r.mkv", "--screenshot",
       folder / "s.PNG", "--stats",      folder / "t.json", "--verbose"});
  const Settings& s = i.settings;
  ASSERT_EQ(s.group().panes.size(), 1u);
  EXPECT_EQ(s.group().panes[0].strategy, "constant");
  EXPECT_EQ(s.group().panes[0].filter.filter.width, 7);
  EXPECT_EQ(s.group().panes[0].border, Border::mirror);
  EXPECT_EQ(s.group().panes[0].tuning, (Tuning{{"block_width", 16}}));
  EXPECT_EQ(s.group().view, View::split);
  EXPECT_EQ(s.format, PixelFormat::gray32f);
  EXPECT_EQ(s.source.input, "pattern:text");
  EXPECT_TRUE(i.input_given);
  EXPECT_TRUE(i.strategy_given);
  EXPECT_EQ(s.source.width, 640);
  EXPECT_EQ(s.source.height, 480);
  EXPECT_DOUBLE_EQ(s.source.rate, 59.94);
  EXPECT_DOUBLE_EQ(i.seek.value(), 90);
  EXPECT_DOUBLE_EQ(s.playback.speed, 0.5);
  EXPECT_EQ(s.backend, BackendChoice::emulated);
  EXPECT_EQ(s.device, 1);
  EXPECT_FALSE(s.vsync);
  EXPECT_FALSE(s.show_panels);
  EXPECT_TRUE(i.realtime);
  EXPECT_TRUE(i.verbose);
  EXPECT_EQ(i.frames.value(), 7);
  EXPECT_EQ(i.window_width, 1280);
  EXPECT_EQ(i.record.value().filename(), "r.mkv");
  EXPECT_EQ(i.screenshot.value().filename(), "s.PNG");
  EXPECT_EQ(i.stats.value().filename(), "t.json");
}

TEST(Arguments, CompareMakesAPaneOfEach) {
  const Invocation i = parse({"--compare", "source,constant, cpu-direct", "--filter", "sobel-x"});
  ASSERT_EQ(i.settings.group().panes.size(), 3u);
  EXPECT_EQ(i.settings.group().panes[0].strategy, "source");
  EXPECT_EQ(i.settings.group().panes[2].strategy, "cpu-direct");
  for (const PaneSettings& pane : i.settings.group().panes) EXPECT_EQ(pane.filter.kind, "sobel-x");
  EXPECT_EQ(i.settings.group().view, View::grid);
  EXPECT_EQ(parse({"--compare", "constant,cpu-direct", "--view", "blink"}).settings.group().view, View::blink);
}

TEST(Arguments, NewPanesForgetThePositionsOfThoseBefore) {
  Settings mine = default_settings();
  mine.group().panes.resize(4, mine.group().panes[0]);
  mine.group().active_pane = mine.group().baseline_pane = mine.difference.first = 3;
  mine.difference.second = 2;
  mine.split.lines.resize(3);
  for (const char* option : {"--compare", "--strategy"}) {
    const Settings now =
        parse({option, option == std::string("--compare") ? "source,constant" : "constant"}, mine).settings;
    EXPECT_EQ(now.group().active_pane, 0);
    EXPECT_EQ(now.group().baseline_pane, 0);
    EXPECT_EQ(now.difference.first, 0);
    EXPECT_EQ(now.difference.second, 1);
    EXPECT_TRUE(now.split.lines.empty());
  }
}

TEST(Arguments, OffscreenIsTheSameForEveryone) {
  Settings mine = default_settings();
  mine.light_theme = true;
  mine.group().panes.resize(4);
  const Invocation i = parse({"--offscreen"}, mine);
  EXPECT_FALSE(i.settings.light_theme);
  EXPECT_EQ(i.settings.group().panes.size(), 1u);
}

TEST(Arguments, AMatrixMayBeginWithAMinus) {
  const Invocation i = parse({"--filter", "-1 0 1; -2 0 2; -1 0 1", "pattern"});
  EXPECT_EQ(i.settings.group().panes[0].filter.filter.width, 3);
  EXPECT_EQ(i.settings.group().panes[0].filter.filter.weights[0], -1);
  EXPECT_EQ(i.settings.source.input, "pattern");
}

TEST(Arguments, InputsThatAreNoFiles) {
  ::setenv("DISPLAY", ":0", 1);  // of the screen; nobody looks whether it is there
  for (const char* input : {"camera", "camera:3", "screen", "pattern", "pattern:zone-plate", "rtsp://host/stream",
                            "http://host/a.mp4", "frame%04d.png"})
    EXPECT_EQ(parse({input}).settings.source.input, input);
}

TEST(Arguments, SubcommandsHaveOptionsOfTheirOwn) {
  const Invocation list = parse({"list", "strategies", "--json", "--filter", "box:radius=1", "--size", "99x98",
                                 "--format", "gray32f", "--border", "wrap", "--backend", "cpu"});
  EXPECT_EQ(list.command, Invocation::Command::list);
  EXPECT_EQ(list.listing, Invocation::Listing::strategies);
  EXPECT_TRUE(list.json);
  EXPECT_THAT(list.sizes, ElementsAre(Size{99, 98}));
  EXPECT_THAT(list.borders, ElementsAre(Border::wrap));
  EXPECT_THAT(list.formats, ElementsAre(PixelFormat::gray32f));

  const Invocation verify = parse({"verify", "--strategy", "constant", "--strategy", "global,cpu-direct", "--small"});
  EXPECT_EQ(verify.command, Invocation::Command::verify);
  EXPECT_THAT(verify.strategies, ElementsAre("constant", "global", "cpu-direct"));
  EXPECT_TRUE(verify.small);

  const Folder folder;
  const Invocation bench = parse({"bench", "--radius", "1,2,16", "--size", "1920x1080,3840x2160", "--against",
                                  "constant", "--json", folder / "b.json", "--sweep"});
  EXPECT_EQ(bench.command, Invocation::Command::bench);
  EXPECT_THAT(bench.radii, ElementsAre(1, 2, 16));
  EXPECT_THAT(bench.sizes, ElementsAre(Size{1920, 1080}, Size{3840, 2160}));
  EXPECT_THAT(bench.against, ElementsAre("constant"));
  EXPECT_TRUE(bench.sweep);
  EXPECT_EQ(bench.json_file.value().filename(), "b.json");
}

TEST(Arguments, OnlyASourceThatCanBeAskedForASizeIsBenchedInIt) {
  const Folder folder;
  const std::string clip = folder.write("clip.mp4", "x");
  const Invocation pattern = parse({"bench", "--frame", "pattern:text", "--size", "64x48"});
  EXPECT_EQ(pattern.settings.source.width, 64);
  EXPECT_EQ(pattern.settings.source.height, 48);
  EXPECT_THAT(
      parse_error_of({"bench", "--frame", clip, "--size", "64x48"}),
      AllOf(HasSubstr("--size '64x48'"), HasSubstr("pattern, camera, screen"), HasSubstr("clip.mp4' has a size")));
  EXPECT_THAT(parse_error_of({clip, "--size", "64x48"}), HasSubstr("clip.mp4' has a size")) << "nor shown in it";
  EXPECT_EQ(parse({"bench", "--frame", clip}).settings.source.width, 0);
}

TEST(Arguments, AFileNamedLikeASubcommandIsOpenedByItsPath) {
  const Folder folder;
  folder.write("list", "x");
  const Invocation i = parse({folder / "list"});
  EXPECT_EQ(i.command, Invocation::Command::window);
  EXPECT_TRUE(i.input_given);
}

TEST(Arguments, HelpAndVersionAreTexts) {
  const std::string help = parse({"--help"}).text.value();
  for (const char* word : {"--filter", "--compare", "--offscreen", "--stats", "Examples", "verify", "Exit codes"})
    EXPECT_THAT(help, HasSubstr(word));
  EXPECT_THAT(parse({"clip-that-is-not-there.mp4", "-h"}).text.value(), HasSubstr("--filter"));
  EXPECT_THAT(parse({"list", "--help"}).text.value(), HasSubstr("strategies"));
  EXPECT_THAT(parse({"verify", "--help"}).text.value(), HasSubstr("--small"));
  EXPECT_THAT(parse({"bench", "--help"}).text.value(), HasSubstr("--against"));
  EXPECT_THAT(parse({"filter", "--help"}).text.value(), HasSubstr(" INPUT OUTPUT\n")) << "neither can be left out";
  EXPECT_THAT(parse_error_of({"filter"}), HasSubstr("Name an INPUT and an OUTPUT"));
  for (const char* option : {"--version", "-V"})
    EXPECT_THAT(parse({option}).text.value(), testing::MatchesRegex("convoscope [0-9.]+\n"));
  EXPECT_EQ(parse({"help"}).text, parse({"--help"}).text);
  EXPECT_EQ(parse({"help", "bench"}).text, parse({"bench", "--help"}).text);
  EXPECT_THAT(parse_error_of({"help", "bnech"}), HasSubstr("'bench'"));
  EXPECT_THAT(parse_error_of({"lsit"}), HasSubstr("Did you mean 'list'?"));
  EXPECT_THAT(parse_error_of({"--filter", "sharpen", "list"}), HasSubstr("A command comes first"));
  EXPECT_THAT(parse_error_of({"filter", "--", "-a.mp4", "-b.avi"}), testing::Not(HasSubstr("There is no option")));
  EXPECT_THAT(parse_error_of({"filter", "--", "-a.mp4", "-b.mp4", "-c.mp4"}),
              HasSubstr("'-c.mp4' is one argument too many"));
  EXPECT_THAT(parse_error_of({"-filter", "box"}), HasSubstr("Did you mean '--filter'?"));
  EXPECT_THAT(parse_error_of({"no-such-file.mp4"}), HasSubstr("There is no file"));
}

TEST(Arguments, OfWhichThereAreTooManyAreToldWhatIsTaken) {
  for (const char* command : {"doctor", "verify"})
    for (const std::vector<std::string>& extra : {std::vector<std::string>{"extra"}, {"--", "extra"}}) {
      std::vector<std::string> words{command};
      words.insert(words.end(), extra.begin(), extra.end());
      EXPECT_EQ(parse_error_of(words), "'extra' is one argument too many: convoscope " + std::string(command) +
                                           " takes options only. See convoscope " + command + " --help.");
    }
  EXPECT_THAT(parse_error_of({"list", "filters", "banks"}),
              HasSubstr("'banks' is one argument too many: convoscope list takes one of strategies, filters, banks,"));
  EXPECT_EQ(parse_error_of({"bench", "--frame", "a", "b"}),
            "'b' is one argument too many: convoscope bench takes one INPUT. See convoscope bench --help.");
  EXPECT_EQ(parse_error_of({"filter", "a", "b", "c"}),
            "'c' is one argument too many: convoscope filter takes one INPUT and one OUTPUT. See convoscope filter "
            "--help.");
  EXPECT_THAT(parse_error_of({"a", "b"}), HasSubstr("the window opens one INPUT. Drop several files on it"));
}

TEST(Arguments, TheNearestWordIsSuggested) {
  EXPECT_THAT(parse_error_of({"--strategy", "constnat"}), HasSubstr("Did you mean 'constant'?"));
  EXPECT_THAT(parse_error_of({"--compare", "constant,cpu-dirct"}), HasSubstr("Did you mean 'cpu-direct'?"));
  EXPECT_THAT(parse_error_of({"--border", "miror"}), HasSubstr("Did you mean 'mirror'?"));
  EXPECT_THAT(parse_error_of({"--view", "spilt"}), HasSubstr("Did you mean 'split'?"));
  EXPECT_THAT(parse_error_of({"--format", "gray"}), HasSubstr("Did you mean 'gray32f'?"));
  EXPECT_THAT(parse_error_of({"--bordr", "mirror"}), HasSubstr("Did you mean '--border'?"));
  EXPECT_THAT(parse_error_of({"list", "strategy"}), HasSubstr("Did you mean 'strategies'?"));
  EXPECT_THAT(parse_error_of({"--border", "xyzzy"}), HasSubstr("zero, replicate, mirror, wrap"));
  for (const char* const far : {"foo", "xy"})
    EXPECT_THAT(parse_error_of({"--strategy", far}), Not(HasSubstr("Did you mean"))) << far;
  EXPECT_THAT(parse_error_of({"--filter", "gausian"}), HasSubstr("did you mean 'gaussian'?"));
  EXPECT_THAT(parse_error_of({"--filter", "sobel"}), HasSubstr("did you mean 'sobel-x'?"));
  EXPECT_THAT(parse_error_of({"--filter", "bokeh"}), HasSubstr("did you mean 'disk'?"));
  EXPECT_THAT(parse_error_of({"--filter", "foo"}), AllOf(HasSubstr("no filter 'foo'"), Not(HasSubstr("did you mean"))));
}

TEST(Arguments, ValuesAreReadAsPeopleWriteThem) {
  EXPECT_DOUBLE_EQ(parse_seconds("--seek", "1:02:03.5"), 3723.5);
  EXPECT_DOUBLE_EQ(parse_seconds("--seek", "0"), 0);
  EXPECT_EQ(error_of([] { parse_seconds("--seek", "99:99:99"); }),
            "--seek '99:99:99' is no time: what stands behind a colon is below 60.");
  EXPECT_DOUBLE_EQ(parse_seconds("--seek", "9999999"), 9999999);
  for (const char* const text : {"10000000", "999999999", "2778:00:00", "200000:0"})
    EXPECT_EQ(error_of([&] { parse_seconds("--seek", text); }),
              std::string("--seek '") + text + "' is too late: times are below 10000000 seconds (115 days).");
  EXPECT_EQ(parse_size("--size", "1X7", 1, 10), (Size{1, 7}));
  EXPECT_EQ(nearest_word("separble", std::vector<std::string>{"global", "separable"}), "separable");
  EXPECT_EQ(nearest_word("zzzz", std::vector<std::string>{"global", "separable"}), "");
  for (const char* text : {"", "-1", "1:60", "1:2:3:4", "nan", "1e9", "a"})
    EXPECT_THROW(parse_seconds("--seek", text), Error) << text;
  for (const char* text : {"", "x", "1x", "x1", "1x1x1", "1.5x2", "0x1", "11x1", "99999999999999999999x1"})
    EXPECT_THROW(parse_size("--size", text, 1, 10), Error) << text;
}

TEST(Arguments, TheInputIsNeverOverwritten) {
  const Folder folder;
  const std::string clip = folder.write("clip.mkv", "x");
  EXPECT_THAT(parse_error_of({clip, "--record", folder / "../" + folder.path().filename().string() + "/clip.mkv"}),
              HasSubstr("is the INPUT itself"));
}

TEST(Arguments, AViewTakesItsOptions) {
  const Settings split =
      parse({"--compare", "source,constant,global", "--view", "split:angle=-30,at=0.2+0.6"}).settings;
  EXPECT_EQ(split.group().view, View::split);
  EXPECT_EQ(split.split.angle, -30);
  EXPECT_EQ(split.split.lines, (std::vector<double>{0.2, 0.6}));
  const Settings difference = parse({"--compare", "source,constant,global", "--view",
                                     "difference:panes=3-1,mode=squared,gain=8,threshold=2,false-colour"})
                                  .settings;
  EXPECT_EQ(difference.difference.first, 2);
  EXPECT_EQ(difference.difference.second, 0);
  EXPECT_EQ(difference.difference.mode, DifferenceMode::squared);
  EXPECT_EQ(difference.difference.gain, 8);
  EXPECT_EQ(difference.difference.threshold, 2);
  EXPECT_TRUE(difference.difference.false_colour);
  EXPECT_EQ(parse({"--compare", "source,constant", "--view", "blink:seconds=2"}).settings.blink_seconds, 2);
  EXPECT_EQ(parse({"--compare", "source,constant", "--view", "single:pane=2"}).settings.group().active_pane, 1);
}

TEST(Arguments, AViewsBadOptionIsNamed) {
  const auto error = [](const char* view) { return parse_error_of({"--compare", "source,constant", "--view", view}); };
  EXPECT_THAT(error("split:angel=3"), HasSubstr("Did you mean 'angle'?"));
  EXPECT_THAT(error("split:angle=x"), HasSubstr("--view split:angle takes a number from -360 to 360, not 'x'"));
  EXPECT_THAT(error("split:angle"), HasSubstr("needs a value"));
  EXPECT_THAT(error("split:at=0.2+0.3"), HasSubstr("has 2 lines, but 2 panes have 1 between them"));
  EXPECT_THAT(error("difference:panes=1-3"), HasSubstr("from 1 to 2, not '3'"));
  EXPECT_THAT(error("difference:panes=1-1"), HasSubstr("names one pane twice"));
  EXPECT_THAT(error("difference:mode=signd"), HasSubstr("Did you mean 'signed'?"));
  EXPECT_THAT(error("difference:false-colour=1"), HasSubstr("takes no value"));
  EXPECT_THAT(error("grid:columns=2"), HasSubstr("takes no options"));
  EXPECT_THAT(error("split:"), HasSubstr("--view split"));
}

TEST(Arguments, ComparedStrategiesMayHaveFiltersOfTheirOwn) {
  const Settings s =
      parse({"--compare", "constant@gaussian:radius=4,sigma=2,source,global", "--filter", "box"}).settings;
  ASSERT_EQ(s.group().panes.size(), 3u);
  EXPECT_EQ(spec_text(s.group().panes[0].filter), spec_text(parse_filter("gaussian:radius=4,sigma=2")));
  EXPECT_FALSE(s.group().panes[0].linked);
  EXPECT_TRUE(s.group().panes[2].linked);
  EXPECT_EQ(s.group().panes[2].filter.kind, "box");
  EXPECT_THAT(parse_error_of({"--compare", "constant@gausian"}), HasSubstr("gaussian"));
  EXPECT_THAT(parse_error_of({"--compare", "constant@"}), HasSubstr("--compare: there is no filter behind the @"));
}

TEST(Arguments, ATuningGoesOnlyToStrategiesThatHaveIt) {
  const Invocation i = parse({"--compare", "constant,cpu-direct", "--tune", "block_width=8"});
  EXPECT_EQ(i.settings.group().panes[0].tuning, (Tuning{{"block_width", 8}}));
  EXPECT_TRUE(i.settings.group().panes[1].tuning.empty());
}

}  // namespace
}  // namespace convoscope
