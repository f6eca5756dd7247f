#include "app/session/session_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/session/json_text.h"
#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "tests/state/everything.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json read_back(const json& object) { return read_json(write_json(object, 2)).value; }

TEST(SessionJson, KeepsEveryChoice) {
  const Settings mine = everything_set();
  SessionFacts facts;
  facts.position = 12.5;
  Settings back = default_settings();
  double position = 0;
  EXPECT_EQ(read_machine(read_back(machine_json(mine)), back), "");
  EXPECT_EQ(read_session(read_back(session_json(mine, facts)), back, &position), "");
  EXPECT_EQ(position, 12.5);
  EXPECT_TRUE(back == mine) << machine_json(back) << session_json(back, facts);
}

TEST(SessionJson, NothingOfADefaultIsTheSameAsWhatTheTestSets) {
  // Else a field that is forgotten in the lists would pass the test above.
  const json ours = session_json(everything_set(), {}), defaults = session_json(default_settings(), {});
  for (const auto& [key, value] : ours.items())
    if (key != "convoscope" && key != "position" && key != "measured") {
      EXPECT_NE(value, defaults[key]) << key;
    }
  const json machine = machine_json(everything_set()), initial = machine_json(default_settings());
  for (const auto& [key, value] : machine.items()) EXPECT_NE(value, initial[key]) << key;
}

TEST(SessionJson, WhatIsTheMachinesIsNotInASession) {
  const json session = session_json(everything_set(), {});
  const json machine = machine_json(everything_set());
  for (const auto& [key, value] : machine.items()) EXPECT_FALSE(session.contains(key)) << key;
}

TEST(SessionJson, ReadsOpenPanelsOfFilesThatHoldThemAsBits) {
  Settings settings = default_settings();
  EXPECT_EQ(read_session(read_json(R"({"open_sections": 96})").value, settings), "");
  EXPECT_EQ(settings.open_panels, (std::set<std::string>{"recording", "inspect"}));
  read_session(read_json(R"({"open_sections": 0})").value, settings);
  EXPECT_TRUE(settings.open_panels.empty());
  // A file that an earlier version wrote and this one has changed since has both.
  read_session(read_json(R"({"open_sections": 127, "open_panels": ["view"]})").value, settings);
  EXPECT_EQ(settings.open_panels, std::set<std::string>{"view"});
}

TEST(SessionJson, OnlyTheWrongValuesAreSkipped) {
  const json object = read_json(R"({
    "view": "spiral", "speed": 400, "loop": "yes", "timing_window": 2.5, "loop_from": "soon",
    "active_pane": 7, "unknown": {}, "split": [],
    "sweep": {"layer": {"values": {"M": [1, "x"]}, "along": "K"}}, "show_overlay": false,
    "panes": [{"strategy": "no-such", "border": "wrap", "tuning": {"x": 1}, "filter": "gaussian:radius=-3"},
              {"strategy": "constant", "tuning": {"block_width": 17, "block_height": 4, "gone": 1},
               "filter": {"width": 2, "height": 2, "weights": [1, 2, 3, 4]}}, 5]})")
                          .value;
  Settings settings = default_settings();
  const std::string skipped = read_session(object, settings);
  for (const char* name : {"view", "speed", "loop", "timing_window", "active_pane", "strategy", "filter",
                           "sweep: layer: values", "loop_from", "split"})
    EXPECT_THAT(skipped, HasSubstr(name));
  EXPECT_EQ(settings.group().view, View::single);
  EXPECT_FALSE(settings.show_overlay);
  EXPECT_EQ(settings.playback.speed, 1.0);
  EXPECT_EQ(settings.sweep.of["layer"].along, "K");
  EXPECT_TRUE(settings.sweep.of["layer"].values.empty());
  ASSERT_EQ(settings.group().panes.size(), 2u);
  EXPECT_EQ(settings.group().panes[0].border, Border::wrap);
  EXPECT_EQ(settings.group().panes[1].tuning, (Tuning{{"block_height", 4}}));  // 17 is not offered
  for (const PaneSettings& pane : settings.group().panes) EXPECT_FALSE(pane.filter.filter.weights.empty());
}

TEST(SessionJson, ASweepOfEarlierVersionsIsOfPictures) {
  Settings settings = default_settings();
  EXPECT_EQ(read_session(read_json(R"({"sweep": {"open": true, "radii": [3, 5], "strategies": ["constant"],
                                       "sizes": [{"width": 640, "height": 360}], "hold_view": false}})")
                             .value,
                         settings),
            "");
  EXPECT_TRUE(settings.sweep.open);
  const SweepChoices pictures{.along = {}, .values = {{"radius", {3, 5}}, {"size", {360}}}, .strategies = {"constant"}};
  EXPECT_EQ(settings.sweep.of, (std::map<std::string, SweepChoices>{{"image", pictures}}));
}

TEST(SessionJson, FilesThatNameNoWorkbenchAreAboutPictures) {
  Settings settings = default_settings();
  EXPECT_EQ(read_session(read_json(R"({"panes": [{"strategy": "tiled-halo"}]})").value, settings), "");
  EXPECT_EQ(settings.workbench, "image");
  EXPECT_EQ(settings.group().panes[0].strategy, "tiled-halo");
  EXPECT_EQ(settings.groups.size(), 1u);
  EXPECT_TRUE(settings.layer == default_settings().layer);
}

TEST(SessionJson, StrategiesAreThoseOfTheirWorkbench) {
  Settings settings = default_settings();
  const std::string skipped = read_session(read_json(R"({
    "workbench": "layer", "panes": [{"strategy": "direct"}, {"strategy": "tiled-halo"}],
    "parked": {"image": {"panes": [{"strategy": "direct"}, {"strategy": "tiled-halo"}], "active_pane": 1},
               "layer": {"panes": [{"strategy": "of before it was shown"}]}, "later": {}}})")
                                               .value,
                                           settings);
  EXPECT_THAT(skipped, HasSubstr("panes: strategy"));
  EXPECT_THAT(skipped, HasSubstr("image: panes: strategy"));
  ASSERT_EQ(settings.group().panes.size(), 2u);
  EXPECT_EQ(settings.group().panes[0].strategy, "direct");
  EXPECT_EQ(settings.group().panes[1].strategy, PaneSettings().strategy);
  ASSERT_EQ(settings.groups.size(), 2u);
  const PaneGroup& pictures = settings.groups.at("image");
  ASSERT_EQ(pictures.panes.size(), 2u);
  EXPECT_EQ(pictures.panes[0].strategy, PaneSettings().strategy);
  EXPECT_EQ(pictures.panes[1].strategy, "tiled-halo");
  EXPECT_EQ(pictures.active_pane, 1);
  for (const PaneSettings& pane : pictures.panes) EXPECT_FALSE(pane.filter.filter.weights.empty());
}

TEST(SessionJson, OfAWorkbenchOnlyTheWrongValuesAreSkipped) {
  Settings settings = default_settings();
  const std::string skipped = read_session(read_json(R"({
    "workbench": "sound", "panes": [{"frames": 16, "border": "wrap"}], "wall": {"map": 70, "gain": 8, "colours": 3},
    "parked": {"volume": {"panes": [], "active_pane": 3, "view": "grid"}, "layer": 5},
    "layer": {"bank": "edges and corners", "maps": 65, "size": 4, "weights": [], "biases": [1], "relu": true,
              "stride": 5, "dilation": 2, "padded": 1, "depthwise": true}})")
                                               .value,
                                           settings);
  for (const char* name : {"workbench", "frames", "map", "colours", "active_pane", "layer", "bank", "maps", "size",
                           "weights", "biases", "stride", "padded"})
    EXPECT_THAT(skipped, HasSubstr(name));
  for (const char* name : {"border", "gain", "relu", "dilation", "depthwise", "view"})
    EXPECT_THAT(skipped, Not(HasSubstr(name)));
  EXPECT_EQ(settings.workbench, "image");
  EXPECT_EQ(settings.group().panes[0].frames, PaneSettings().frames);
  EXPECT_EQ(settings.group().panes[0].border, Border::wrap);
  EXPECT_TRUE(settings.wall == (WallSettings{.map = -1, .gain = 8, .colours = true}));
  ASSERT_EQ(settings.groups.size(), 2u);
  const PaneGroup& time = settings.groups.at("volume");
  EXPECT_EQ(time.panes.size(), 1u);
  EXPECT_EQ(time.active_pane, 0);
  EXPECT_EQ(time.view, View::grid);
  LayerSettings layer{.bank = "edges", .dilation = 2, .depthwise = true};
  layer.weights = catalogue_bank(layer);
  layer.weights.relu = true;
  EXPECT_TRUE(settings.layer == layer) << session_json(settings, {})["layer"];
}

TEST(SessionJson, ABankOfTheUsersOwnIsKeptWithItsWeights) {
  Settings mine = in_workbench(default_settings(), "layer");
  mine.group().panes[0].strategy = "direct";
  mine.layer.bank = "custom";
  mine.layer.weights.weights[7] = 0.1f;
  mine.layer.weights.name = "mine";
  mine.layer.weights.biases.assign(16, -0.5f);
  Settings back = default_settings();
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back == mine) << session_json(back, {})["layer"];
  // Also one that still goes by the name of the catalogue's.
  mine.layer.bank = "edges";
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back.layer.weights == mine.layer.weights);
  // And one of the catalogue takes its place again.
  mine.layer = {.bank = "blur"};
  mine.layer.weights = catalogue_bank(mine.layer, 4, 7);
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back == mine) << session_json(back, {})["layer"];
}

TEST(SessionJson, ANetworkIsKeptByItsName) {
  Settings mine = in_workbench(default_settings(), "layer");
  mine.group().panes[0].strategy = "direct";
  load_layer_network("corners", mine.layer);
  mine.layer.seen = 1;
  mine.layer.weights.weights[7] = 0.1f;
  Settings back = default_settings();
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back == mine) << session_json(back, {})["layer"];
  json gone = session_json(mine, {});
  gone["layer"]["network"] = "/nowhere/net.safetensors";
  back = default_settings();
  EXPECT_EQ(read_session(gone, back), "layer: network");
  EXPECT_TRUE(back.layer.further.empty());
  EXPECT_TRUE(back.layer.weights == mine.layer.weights) << "the first layer is there";
}

TEST(SessionJson, APaneKeepsATypeOfItsOwn) {
  Settings mine = default_settings();
  show_workbench(mine, "layer");
  mine.group().panes.resize(3, mine.group().panes[0]);
  mine.group().panes[1].precision = Precision::tf32;
  mine.group().panes[2].precision = Precision::f32;
  json object = session_json(mine, {});
  Settings back = default_settings();
  EXPECT_EQ(read_session(read_back(object), back), "");
  EXPECT_EQ(back.group().panes[0].precision, std::nullopt);
  EXPECT_EQ(back.group().panes[1].precision, Precision::tf32);
  EXPECT_EQ(back.group().panes[2].precision, Precision::f32) << "also where that is the layer's for now";

  for (json& pane : object["panes"]) pane.erase("type");  // of an earlier version
  back = mine;
  EXPECT_EQ(read_session(read_back(object), back), "");
  for (const PaneSettings& pane : back.group().panes) EXPECT_EQ(pane.precision, std::nullopt);

  object["panes"][0]["type"] = "f64";
  object["panes"][1]["type"] = 7;
  EXPECT_EQ(read_session(read_back(object), back), "panes: type");
  EXPECT_EQ(back.group().panes.size(), 3u);
}

TEST(SessionJson, ABankForSeveralFramesIsKeptByItsNameToo) {
  Settings mine = default_settings();
  mine.layer.weights = over_frames(find_bank_kind("edges")->make(8, 3, 5), 4);
  const json kept = session_json(mine, {})["layer"];
  EXPECT_TRUE(kept["weights"].is_null()) << "the catalogue has them";
  Settings back = default_settings();
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back.layer == mine.layer) << kept;
  mine.layer.bank = custom_bank;
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back.layer == mine.layer);
}

TEST(SessionJson, LayersThatWereLearntAreKeptWithTheirWeights) {
  Settings mine = in_workbench(default_settings(), "layer");
  mine.group().panes[0].strategy = "direct";
  Filter last{.name = "learnt", .width = 3, .height = 3, .weights = std::vector<float>(3 * 16 * 9, 0.25f)};
  last.maps = 3;
  last.channels = 16;
  last.biases = {0.5f, -1, 0};
  put_layers_behind(mine.layer, {last}, true);
  mine.layer.noise = 20;
  mine.wall.frames = true;
  mine.layer.seen = 0;
  Settings back = default_settings();
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  EXPECT_TRUE(back == mine) << session_json(back, {})["layer"];
  json wrong = session_json(mine, {});
  wrong["layer"]["further"][0]["stride"] = 0;
  back = default_settings();
  EXPECT_EQ(read_session(wrong, back), "layer: further");
  EXPECT_TRUE(back.layer.further.empty());
}

TEST(SessionJson, AWrongBankLeavesTheRestOfItsLayer) {
  const json good = json{{"name", "one"}, {"maps", 1},   {"channels", 1},
                         {"width", 3},    {"height", 3}, {"weights", {0, 0, 0, 0, 1, 0, 0, 0, 0}}};
  const auto read = [](const json& weights, Settings& settings) {
    return read_session({{"workbench", "layer"}, {"layer", {{"bank", "custom"}, {"weights", weights}, {"stride", 2}}}},
                        settings);
  };
  Settings settings = default_settings();
  EXPECT_EQ(read(good, settings), "");
  EXPECT_EQ(settings.layer.bank, "custom");
  EXPECT_EQ(settings.layer.weights.weights.size(), 9u);
  EXPECT_TRUE(settings.layer.depthwise) << "as a bank of one channel is";
  const json wrongs{{"maps", 2}, {"channels", 2}, {"width", 4}, {"weights", {1, "x"}}};
  for (const auto& [key, wrong] : wrongs.items()) {
    json weights = good;
    weights[key] = wrong;
    settings = default_settings();
    EXPECT_EQ(read(weights, settings), "layer: weights") << key;
    EXPECT_EQ(settings.layer.stride, 2);
    EXPECT_TRUE(settings.layer.weights.is_bank());
    EXPECT_TRUE(find_bank_kind(settings.layer.bank)) << settings.layer.bank;
  }
  json weights = good;  // for more frames than are ever there
  weights.update({{"channels", 300}, {"width", 1}, {"height", 1}, {"weights", std::vector<float>(300)}});
  EXPECT_EQ(read(weights, settings), "layer: weights");
}

TEST(SessionJson, OfAVeryLargeBankTheFirstMapsAreKept) {
  Settings mine = default_settings();
  mine.layer.bank = "custom";
  Filter& bank = mine.layer.weights;
  bank = {.name = "large", .width = 3, .height = 3, .maps = 5000, .channels = 3};
  for (int i = 0; i < 5000 * 27; ++i) bank.weights.push_back(static_cast<float>(i % 100));
  bank.biases.assign(5000, 1);
  Settings back = default_settings();
  EXPECT_EQ(read_session(read_back(session_json(mine, {})), back), "");
  const Filter& kept = back.layer.weights;
  EXPECT_EQ(kept.maps, 2427);  // times 27 is 65,529
  EXPECT_EQ(kept.weights, std::vector<float>(bank.weights.begin(), bank.weights.begin() + 2427 * 27));
  EXPECT_EQ(kept.biases.size(), 2427u);
  EXPECT_EQ(kept.name, "large");
}

TEST(SessionJson, WhatIsPassedOnNamesNoFolderAndNoPassword) {
  Settings settings = default_settings();
  settings.source.input = "/home/me/secret/clip.mp4";
  settings.recent = {"/home/me/other.mp4"};
  settings.recording.folder = "/home/me/recordings";
  EXPECT_THAT(embedded_session(settings, {}), Not(HasSubstr("/home")));
  EXPECT_THAT(embedded_session(settings, {}), HasSubstr("clip.mp4"));
  settings.source.input = "rtsp://me:word@camera.example/live/1";
  EXPECT_THAT(embedded_session(settings, {}), HasSubstr("rtsp://camera.example/live/1"));
  EXPECT_THAT(embedded_session(settings, {}), Not(HasSubstr("word")));
}

TEST(JsonText, WhatStandsBeforeAMistakeIsUsed) {
  const JsonText read = read_json("{\"light_theme\": true,\n\"vsync\": false,\n\"ui_scale\": 1.5x }");
  EXPECT_THAT(read.problem, HasSubstr("line 3"));
  EXPECT_EQ(read.value["light_theme"], true);
  EXPECT_EQ(read.value["vsync"], false);
}

TEST(JsonText, NoDepthEndsTheProgram) {
  for (const char* const open : {"[", "{\"a\":"}) {
    std::string deep = "{\"vsync\": false, \"x\": ";
    for (int i = 0; i < 100'000; ++i) deep += open;
    const JsonText read = read_json(deep);
    EXPECT_THAT(read.problem, HasSubstr("deep"));
    EXPECT_EQ(read.value["vsync"], false);
    const json copy = read.value;  // copies and destroys
    EXPECT_FALSE(write_json(copy, 2).empty());
  }
}

}  // namespace
}  // namespace convoscope
