// What a command line says of the workbenches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/arguments.h"
#include "app/state/workbench.h"
#include "kernels/filter/banks/npy_file.h"
#include "tests/cli/folder.h"
#include "tests/cli/parse.h"
#include "tests/error_of.h"
#include "tests/kernels/filter/array_files.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Settings parsed(const std::vector<std::string>& arguments, const Settings& mine = default_settings()) {
  return parse(arguments, mine).settings;
}
std::string workbench_error_of(const std::vector<std::string>& arguments, const Settings& mine = default_settings()) {
  return error_of([&] { parsed(arguments, mine); });
}

// Whose last run showed a layer.
Settings of_a_layer() {
  Settings mine = default_settings();
  mine.group().panes[0].strategy = "tiled-halo";
  show_workbench(mine, "layer");
  mine.group().panes[0].strategy = "direct";
  return mine;
}

TEST(SoundArguments, SayWhatIsDoneToSound) {
  EXPECT_FALSE(parsed({}).sound.filtered);
  const SoundSettings sound = parsed({"--sound", "high-pass:cutoff=2000", "--sound-strategy", "tiled-uniform"}).sound;
  EXPECT_TRUE(sound.filtered);
  EXPECT_EQ(spec_text(sound.filter), "high-pass:cutoff=2000");
  EXPECT_EQ(sound.strategy, "tiled-uniform");
  EXPECT_EQ(parsed({"--sound", "1 2 1"}).sound.filter.taps, std::vector<float>({1, 2, 1}));
  Settings mine = default_settings();
  mine.sound = sound;
  const SoundSettings off = parsed({"--sound", "off"}, mine).sound;
  EXPECT_FALSE(off.filtered);
  EXPECT_EQ(off.filter, sound.filter);
  EXPECT_THAT(workbench_error_of({"--sound", "high-pas"}), HasSubstr("did you mean 'high-pass'"));
  EXPECT_THAT(workbench_error_of({"--sound", ""}), HasSubstr("empty"));
  EXPECT_THAT(workbench_error_of({"--sound-strategy", "cpu"}), HasSubstr("strategy for sound"));
}

TEST(WorkbenchArguments, AWorkbenchGoesByItsNameAndByItsKind) {
  for (const char* name : {"picture", "image"}) EXPECT_EQ(parsed({"--workbench", name}).workbench, "image");
  for (const char* name : {"time", "volume"}) EXPECT_EQ(parsed({"--workbench", name}).workbench, "volume");
  const Settings layer = parsed({"--workbench", "layer"});
  EXPECT_EQ(layer.workbench, "layer");
  EXPECT_EQ(layer.group().panes.size(), 1u);
  EXPECT_TRUE(layer.groups.contains("image"));
  EXPECT_TRUE(layer.layer == default_settings().layer);
  EXPECT_THAT(workbench_error_of({"--workbench", "tiem"}), HasSubstr("Did you mean 'time'?"));
  EXPECT_THAT(workbench_error_of({"--workbench", "sound"}), HasSubstr("Choose one of: picture, time, layer."));
}

TEST(WorkbenchArguments, ANetworkThatEndsInAFrameIsShownAsOne) {
  EXPECT_TRUE(parsed({"--bank", "denoise"}).wall.frames);
  EXPECT_FALSE(parsed({"--bank", "corners"}).wall.frames);
  EXPECT_FALSE(parsed({"--bank", "edges", "--maps", "3"}).wall.frames);
}

TEST(WorkbenchArguments, WhatBelongsToOneMeansIt) {
  const Settings time = parsed({"--reach", "3"});
  EXPECT_EQ(time.workbench, "volume");
  EXPECT_EQ(time.group().panes[0].frames, 3);
  const Settings layer = parsed({"--bank", "gabor", "--maps", "9"});
  EXPECT_EQ(layer.workbench, "layer");
  EXPECT_EQ(layer.layer.bank, "gabor");
  EXPECT_EQ(layer.layer.weights.maps, 9);
  EXPECT_EQ(layer.layer.weights.channels, 3);
  const Settings maps = parsed({"--maps", "5"});
  EXPECT_EQ(maps.workbench, "layer");
  EXPECT_EQ(maps.layer.bank, LayerSettings().bank);
  EXPECT_EQ(maps.layer.weights.maps, 5);
}

TEST(WorkbenchArguments, ALayerSeesTheLastFrames) {
  const Settings layer = parsed({"--bank", "gabor", "--maps", "9", "--last", "4"});
  EXPECT_EQ(layer.workbench, "layer");
  EXPECT_EQ(layer.layer.weights, over_frames(find_bank_kind("gabor")->make(9, 3, 3), 4));
  EXPECT_EQ(parsed({"--last", "1"}, layer).layer.weights, find_bank_kind("gabor")->make(9, 3, 3));
  EXPECT_THAT(workbench_error_of({"--last", "17"}), HasSubstr("from 1 to 16"));
  Settings mine = default_settings();
  mine.layer.depthwise = true;
  EXPECT_THAT(workbench_error_of({"--last", "2"}, mine), HasSubstr("a bank of the catalogue that sees all colours"));
}

TEST(WorkbenchArguments, ALayerHasATypeAndALayout) {
  const Settings layer = parsed({"--type", "f16", "--layout", "nhwc"});
  EXPECT_EQ(layer.workbench, "layer");
  EXPECT_EQ(layer.layer.precision, Precision::f16);
  EXPECT_EQ(layer.layer.layout, Layout::nhwc);
  EXPECT_EQ(layer.layer.weights, default_settings().layer.weights) << "the bank stays";
  EXPECT_EQ(parsed({"--bank", "gabor"}, layer).layer.precision, Precision::f32) << "whatever was shown last";
  EXPECT_EQ(parsed({"--bank", "gabor", "--type", "tf32"}, layer).layer.precision, Precision::tf32);
  EXPECT_THAT(workbench_error_of({"--type", "f8"}), HasSubstr("f32, tf32, f16"));
  EXPECT_THAT(workbench_error_of({"--layout", "nwhc"}), HasSubstr("Did you mean 'nhwc'?"));
  EXPECT_THAT(workbench_error_of({"--workbench", "time", "--type", "f16"}),
              HasSubstr("--type 'f16' is for the layer workbench"));
}

TEST(WorkbenchArguments, APaneCanHaveATypeOfItsOwn) {
  const Settings settings =
      parsed({"--bank", "corners", "--compare", "direct,implicit-gemm-tensor@tf32,winograd+direct@f16,auto@f32"});
  ASSERT_EQ(settings.group().panes.size(), 4u);
  EXPECT_EQ(settings.layer.precision, Precision::f32);
  EXPECT_EQ(settings.group().panes[0].precision, std::nullopt);
  EXPECT_EQ(settings.group().panes[1].strategy, "implicit-gemm-tensor");
  EXPECT_EQ(settings.group().panes[1].precision, Precision::tf32);
  EXPECT_EQ(settings.group().panes[3].precision, Precision::f32);
  for (const PaneSettings& pane : settings.group().panes) EXPECT_TRUE(pane.linked);

  const Settings network = parsed({"--bank", "corners", "--strategy", "winograd+direct@f16"});
  EXPECT_EQ(network.group().panes[0].layers, (std::vector<std::string>{"", "direct"}));
  EXPECT_EQ(network.group().panes[0].precision, Precision::f16);

  EXPECT_EQ(parsed({}, network).group().panes[0].precision, Precision::f16);
  EXPECT_EQ(parsed({"--workbench", "layer", "--strategy", "direct"}, network).group().panes[0].precision, std::nullopt)
      << "what was left is not what is said";
  const Settings all = parsed({"--type", "tf32"}, network);
  EXPECT_EQ(all.layer.precision, Precision::tf32);
  EXPECT_EQ(all.group().panes[0].precision, std::nullopt);

  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--compare", "direct,auto@tf23"}),
              AllOf(HasSubstr("--compare 'auto@tf23' has 'tf23' after the @"), HasSubstr("f32, tf32 or f16")));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--strategy", "direct@"}), HasSubstr("a type of its own"));
  EXPECT_THAT(workbench_error_of({"--strategy", "implicit-gemm-tensor@tf32"}), HasSubstr("Add --workbench layer"));
}

TEST(WorkbenchArguments, ABankIsTheSameWhateverWasShownLast) {
  const Folder folder;
  const std::string file = folder.write("three.json", R"({"name": "three", "maps": 1, "channels": 3, "width": 1,
                                                          "height": 1, "weights": [1, 2, 3]})");
  Settings mine = of_a_layer();
  mine.layer.stride = mine.layer.dilation = 2;
  mine.layer.padded = false;
  mine.layer.depthwise = true;
  mine.layer.weights = catalogue_bank(mine.layer, 6, 5);
  mine.layer.weights.biases.assign(6, 1);
  mine.layer.weights.relu = true;
  EXPECT_EQ(parsed({"--workbench", "layer"}, mine).layer, mine.layer) << "as it was left";
  for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
           {"--bank", "gabor"}, {"--maps", "9"}, {"--bank", "edges", "--maps", "6"}, {"--bank", file}})
    EXPECT_EQ(parsed(given, mine).layer, parsed(given).layer) << given[1];
}

TEST(WorkbenchArguments, TheyExcludeEachOther) {
  EXPECT_THAT(workbench_error_of({"--workbench", "time", "--bank", "edges"}),
              AllOf(HasSubstr("--bank 'edges' is for the layer workbench"), HasSubstr("not for the time workbench")));
  EXPECT_THAT(workbench_error_of({"--workbench", "picture", "--maps", "4"}), HasSubstr("--maps '4'"));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--reach", "1"}), HasSubstr("--reach '1'"));
  EXPECT_THAT(workbench_error_of({"--reach", "1", "--bank", "edges"}), HasSubstr("--bank 'edges'"));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--filter", "box"}), HasSubstr("Give --bank instead"));
  EXPECT_THAT(workbench_error_of({"--bank", "edges", "--border", "wrap"}), HasSubstr("padded with zeros"));
}

TEST(WorkbenchArguments, StrategiesAreThoseOfTheWorkbench) {
  const Settings layer = parsed({"--workbench", "layer", "--compare", "source,direct,im2col-gemm"});
  ASSERT_EQ(layer.group().panes.size(), 3u);
  EXPECT_EQ(layer.group().panes[2].strategy, "im2col-gemm");
  EXPECT_EQ(layer.group().view, View::grid);
  EXPECT_EQ(parsed({"--workbench", "time", "--strategy", "tiled"}).group().panes[0].strategy, "tiled");
  EXPECT_EQ(parsed({"--workbench", "layer", "--strategy", "tiled", "--tune", "tile=32"}).group().panes[0].tuning,
            (Tuning{{"tile", 32}}));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--strategy", "tiled", "--tune", "block_width=16"}),
              HasSubstr("'block_width'"));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--strategy", "tiled-halo"}),
              AllOf(HasSubstr("The layer workbench has no strategy 'tiled-halo'"), HasSubstr("--workbench picture")));
  EXPECT_THAT(workbench_error_of({"--strategy", "direct"}), HasSubstr("Add --workbench layer"));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--strategy", "dirct"}), HasSubstr("Did you mean 'direct'?"));
  EXPECT_THAT(workbench_error_of({"--workbench", "layer", "--compare", "direct@box,tiled"}),
              HasSubstr("share one bank"));
  EXPECT_THAT(workbench_error_of({"--bank", "corners", "--strategy", "direct@box+direct"}),
              AllOf(HasSubstr("--strategy 'direct@box+direct'"), Not(HasSubstr("--compare"))));
}

TEST(WorkbenchArguments, EachLayerOfANetworkCanHaveAStrategy) {
  const Settings settings = parsed({"--bank", "corners", "--strategy", "direct+winograd+tiled"});
  ASSERT_EQ(settings.group().panes.size(), 1u);
  EXPECT_EQ(settings.group().panes[0].strategy, "direct");
  EXPECT_EQ(settings.group().panes[0].layers, (std::vector<std::string>{"", "winograd", "tiled"}));
  EXPECT_EQ(pane_of_layer(settings.group().panes[0], 3).strategy, "direct");
  EXPECT_TRUE(parsed({"--workbench", "layer", "--strategy", "direct"}, settings).group().panes[0].layers.empty())
      << "what was left is not what is said";

  const Settings two = parsed({"--bank", "corners", "--compare", "auto+direct,tiled"});
  ASSERT_EQ(two.group().panes.size(), 2u);
  EXPECT_EQ(two.group().panes[0].layers, (std::vector<std::string>{"", "direct"}));
  EXPECT_TRUE(two.group().panes[1].layers.empty());

  EXPECT_THAT(workbench_error_of({"--bank", "corners", "--strategy", "direct+dirct"}),
              HasSubstr("Did you mean 'direct'?"));
  EXPECT_THAT(workbench_error_of({"--bank", "corners", "--strategy", "direct+source"}),
              HasSubstr("no strategy of a layer"));
  EXPECT_THAT(workbench_error_of({"--bank", "blur-sharpen", "--strategy", "direct+direct+direct"}),
              HasSubstr("strategies for 3 layers, but the bank has 2"));
  EXPECT_THAT(workbench_error_of({"--bank", "edges", "--strategy", "direct+tiled"}), HasSubstr("is a single layer"));
  EXPECT_THAT(workbench_error_of({"--strategy", "global+constant"}),
              HasSubstr("which the picture workbench has none of"));
}

TEST(WorkbenchArguments, WithoutANameWhatAPictureHasMeansPictures) {
  EXPECT_EQ(parsed({}, of_a_layer()).workbench, "layer");
  EXPECT_EQ(parsed({"--view", "grid"}, of_a_layer()).workbench, "layer");
  const Settings pictures = parsed({"--filter", "box"}, of_a_layer());
  EXPECT_EQ(pictures.workbench, "image");
  EXPECT_EQ(pictures.group().panes[0].strategy, "tiled-halo") << "its panes are back";
  EXPECT_EQ(pictures.group().panes[0].filter.kind, "box");
  EXPECT_EQ(pictures.groups.at("layer").panes[0].strategy, "direct");
  EXPECT_EQ(parsed({"--strategy", "tiled-halo"}, of_a_layer()).workbench, "image");
  EXPECT_EQ(parsed({"--tune", "tile=32", "--workbench", "layer", "--strategy", "tiled"}, of_a_layer()).workbench,
            "layer");
}

TEST(WorkbenchArguments, ABankMayBeAFile) {
  const Folder folder;
  const std::string one = folder.write("one.json", R"({"name": "one", "maps": 3, "channels": 1, "width": 1,
                                                       "height": 1, "weights": [1, 2, 3]})");
  const std::string three = folder.write("three.json", R"({"name": "three", "maps": 1, "channels": 3, "width": 1,
                                                           "height": 1, "weights": [1, 2, 3]})");
  const std::string two = folder.write("two.json", R"({"name": "two", "maps": 1, "channels": 2, "width": 1,
                                                       "height": 1, "weights": [1, 2]})");
  Settings settings = parsed({"--bank", three});
  EXPECT_EQ(settings.workbench, "layer");
  EXPECT_EQ(settings.layer.bank, "custom");
  EXPECT_EQ(settings.layer.weights.weights, (std::vector<float>{1, 2, 3}));
  EXPECT_FALSE(settings.layer.depthwise);
  EXPECT_TRUE(parsed({"--bank", one}).layer.depthwise) << "each map sees one colour";
  EXPECT_THAT(workbench_error_of({"--bank", two}), HasSubstr("is for 2 channels"));
  EXPECT_THAT(workbench_error_of({"--bank", three, "--maps", "4"}), HasSubstr("itself says how many maps"));
  EXPECT_EQ(parsed({"--maps", "4"}, settings).layer.bank, LayerSettings().bank) << "as without that session";
  EXPECT_THAT(workbench_error_of({"--bank", folder / "none.npy"}), HasSubstr("none.npy"));
  EXPECT_THAT(workbench_error_of({"--bank", three, "--stats", three}), HasSubstr("--bank reads"));
}

TEST(WorkbenchArguments, ABankMayBeANetwork) {
  const Settings made = parsed({"--bank", "corners"});
  EXPECT_EQ(made.workbench, "layer");
  EXPECT_EQ(made.layer.network, "corners");
  EXPECT_EQ(made.layer.further.size(), 3u);
  EXPECT_TRUE(made.layer.pooled);
  EXPECT_TRUE(parsed({"--bank", "edges"}, made).layer.further.empty()) << "whatever was shown last";
  EXPECT_THAT(workbench_error_of({"--bank", "corners", "--maps", "4"}), HasSubstr("does not go with a network"));
  EXPECT_THAT(workbench_error_of({"--bank", "cornres"}), HasSubstr("Did you mean 'corners'?"));

  const Folder folder;
  const std::vector<int> first{8, 3, 3, 3}, fits{4, 8, 1, 1}, other{4, 16, 1, 1};
  const auto write = [&](const char* name, const std::vector<int>& shape) {
    const auto count = static_cast<std::size_t>(shape[0] * shape[1] * shape[2] * shape[3]);
    folder.write(name, npy_bytes(shape, std::vector<float>(count, 1)));
  };
  write("1.npy", first);
  write("2.npy", fits);
  const Settings from_files = parsed({"--bank", folder.path()});
  ASSERT_EQ(from_files.layer.further.size(), 1u);
  EXPECT_EQ(from_files.layer.further[0].bank.maps, 4);
  EXPECT_TRUE(from_files.layer.weights.relu);
  EXPECT_FALSE(from_files.layer.weights.name.empty());
  write("2.npy", other);
  EXPECT_THAT(workbench_error_of({"--bank", folder.path()}),
              HasSubstr("Layer 2 takes 16 channels, but layer 1 makes 8 maps"));
  write("1.npy", other);
  write("2.npy", fits);
  EXPECT_THAT(workbench_error_of({"--bank", folder.path()}), HasSubstr("layer 1 makes 4 maps"));
  EXPECT_THAT(workbench_error_of({"--bank", folder / "none.safetensors"}), HasSubstr("no such file"));
}

TEST(WorkbenchArguments, WhatWasDoneToABankIsSaid) {
  const Folder folder;
  const std::string numbers = test::npy_file(test::npy_header("(3, 3, 1, 1)", "<f8"), std::string(72, '\0'));
  for (const std::string& path :
       {folder.write("bank.npy", numbers), folder.write("net.npz", test::zip_file({{"a.npy", numbers, true}}))}) {
    const Invocation invocation = parse({"--bank", path}, default_settings());
    EXPECT_EQ(invocation.settings.layer.weights.maps, 3) << path;
    EXPECT_EQ(invocation.remarks, std::vector<std::string>{
                                      "The file's numbers (float64) were converted to float32, none of them rounded."});
  }
  EXPECT_TRUE(parse({"--bank", "edges"}, default_settings()).remarks.empty());
}

TEST(WorkbenchArguments, ABankForOneChannelSharesItsMapsOutAmongTheColours) {
  const Folder folder;
  const auto bank = [&](int maps, const std::string& weights) {
    return folder.write("maps" + std::to_string(maps) + ".json",
                        R"({"channels": 1, "width": 1, "height": 1, "maps": )" + std::to_string(maps) +
                            R"(, "weights": [)" + weights + "]}");
  };
  const std::string one = bank(1, "1"), four = bank(4, "1, 2, 3, 4"), six = bank(6, "1, 2, 3, 4, 5, 6");
  EXPECT_THAT(workbench_error_of({"--bank", four}),
              AllOf(HasSubstr("maps4.json"), HasSubstr("has 4 maps,"), HasSubstr("Give it 3 or 6 maps"),
                    HasSubstr("add --format gray32f")));
  EXPECT_THAT(workbench_error_of({"--bank", one}), AllOf(HasSubstr("has 1 map,"), HasSubstr("Give it 3 maps")));
  EXPECT_THAT(workbench_error_of({"--bank", four, "--format", "rgba8"}), HasSubstr("Give it 3 or 6 maps"));
  EXPECT_EQ(workbench_error_of({"--bank", six}), "no error");
  EXPECT_EQ(parsed({"--bank", four, "--format", "gray32f"}).layer.weights.maps, 4);
}

TEST(WorkbenchArguments, AnEdgeMagnitudeIsForSingleImages) {
  for (const std::vector<std::string>& given :
       std::vector<std::vector<std::string>>{{"--reach", "3", "--filter", "sobel-magnitude"},
                                             {"--reach", "0", "--filter", "sobel-magnitude"},
                                             {"--workbench", "time", "--filter", "sobel-magnitude"},
                                             {"--workbench", "time", "--compare", "source,tiled@sobel-magnitude"}})
    EXPECT_THAT(workbench_error_of(given),
                AllOf(HasSubstr("'sobel-magnitude' is an edge magnitude"), HasSubstr("like sobel-x")));
  EXPECT_EQ(workbench_error_of({"--filter", "sobel-magnitude"}), "no error");
  EXPECT_EQ(workbench_error_of({"--reach", "3", "--filter", "sobel-x"}), "no error");
  Settings mine = default_settings();
  show_workbench(mine, "volume");
  mine.group().panes[0].filter = parse_filter("sobel-magnitude");
  EXPECT_EQ(workbench_error_of({"--workbench", "time"}, mine), "no error") << "the window says so of what is kept";
}

TEST(WorkbenchArguments, SayWhatIsWrong) {
  EXPECT_THAT(workbench_error_of({"--bank", "edgse"}), HasSubstr("Did you mean 'edges'?"));
  EXPECT_THAT(workbench_error_of({"--bank", ""}), HasSubstr("convoscope list banks"));
  for (const char* maps : {"0", "65", "-1", "x", "1.5", ""})
    EXPECT_THAT(workbench_error_of({"--maps", maps}), HasSubstr("--maps takes a whole number from 1 to 64")) << maps;
  for (const char* frames : {"-1", "16", "x", ""})
    EXPECT_THAT(workbench_error_of({"--reach", frames}), HasSubstr("--reach takes a whole number from 0 to 15"))
        << frames;
}

TEST(WorkbenchArguments, AFileIsFilteredPictureByPicture) {
  for (const char* option : {"--workbench", "--bank", "--maps", "--last", "--type", "--layout", "--reach"})
    EXPECT_THAT(workbench_error_of({"filter", "in.mp4", "out.mp4", option, "layer"}),
                AllOf(HasSubstr("convoscope filter is for pictures"), HasSubstr(option)));
  EXPECT_THAT(workbench_error_of({"filter", "in.mp4", "out.mp4", "--workbench=time"}), HasSubstr("is for pictures"));
  EXPECT_THAT(workbench_error_of({"filter", "in.mp4", "out.mp4", "--sound", "low-pass"}),
              HasSubstr("copies the sound"));
}

}  // namespace
}  // namespace convoscope
