// The layers of a network in the panel: where the time goes, and whose maps are seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/palette.h"
#include "kernels/kinds/layer_network.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

class NetworkBar : public ::testing::Test {
 protected:
  NetworkBar() {
    load_layer_network("corners", layer());
    PaneStats& pane = ui.stats.panes[0];
    const Problem first = problem_of(ui.settings.group().panes[0], work_of(ui.settings), 640, 480, PixelFormat::rgba8);
    for (const LayerProblem& stage : layer_problems(first, layer().pooled, layer().further)) {
      LayerStats one{.strategy = "direct", .work = stage.problem, .pool = stage.pool};
      const double milliseconds[] = {1, 6, 2, 1};
      one.times = times(milliseconds[pane.layers.size()], 0);
      pane.layers.push_back(one);
    }
    pane.layers.back().seen = true;
    ui.settings.open_panels = {"layer"};
    ui.frame(3);
  }
  LayerSettings& layer() { return ui.settings.layer; }
  float part(int number) {
    const auto rectangle = ui::item_rectangle("network/part/" + std::to_string(number));
    return rectangle ? rectangle->to.x - rectangle->from.x : 0;
  }
  Harness ui{layer_sample(), 1600, 1400};
};

TEST_F(NetworkBar, EachPartIsAsWideAsItsShareOfTheTime) {
  EXPECT_GT(part(1), 0);
  EXPECT_NEAR(part(1), part(4), 1.5f);
  EXPECT_GT(part(2), 2 * part(3));
  EXPECT_GT(part(3), part(1));
  EXPECT_TRUE(says("direct · 8 × 480 × 640"));
  EXPECT_TRUE(says("direct · 6 × 120 × 160"));
}

TEST_F(NetworkBar, ABankThatComesAfterANetworkHasNoneOfItsShape) {
  for (const char* const network : {"denoise", "corners"}) {
    ui::choose_network(ui.settings, network);
    ASSERT_TRUE(layer().weights.relu);
    ui::choose_bank(layer(), *find_bank_kind("gabor"));
    LayerSettings usual;
    usual.bank = "gabor";
    usual.weights = catalogue_bank(usual);
    EXPECT_EQ(layer(), usual) << network;
  }
}

TEST_F(NetworkBar, TheWorkOfAllLayersIsSaid) {
  double products = 0;
  for (const LayerStats& one : ui.stats.panes[0].layers) products += layer_products(one.work);
  EXPECT_TRUE(says(ui::format_si(2 * products, "FLOP")));
}

TEST_F(NetworkBar, AMapAndTheMapThatItSeesAreChosenByNumber) {
  layer().seen = 1;
  ui.frame(3);
  ASSERT_GT(layer().further[0].bank.channels, 1);
  ui.click("next-bank-map");
  ui.click("next-bank-map");
  ui.click("previous-bank-map");
  EXPECT_EQ(ui::ui_state().bank_choice.map, 1);
  ui.click("next-bank-channel");
  EXPECT_EQ(ui::ui_state().bank_choice.channel, 1);
  ui.drag("bank-channel", 400, 0);
  EXPECT_EQ(ui::ui_state().bank_choice.channel, layer().further[0].bank.channels - 1);
}

TEST_F(NetworkBar, ThePaletteKnowsTheNextLayer) {
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const auto next = std::ranges::find(commands, "Layer: Next layer", &ui::Command::name);
  ASSERT_NE(next, commands.end());
  layer().seen = 3;
  next->run(ui.stats, ui.settings, ui.requests);
  EXPECT_EQ(layer().seen, 0) << "after the last one";
  next->run(ui.stats, ui.settings, ui.requests);
  EXPECT_EQ(layer().seen, 1);
}

TEST_F(NetworkBar, AClickShowsTheMapsOfThatLayer) {
  ui.click("network/part/2");
  EXPECT_EQ(layer().seen, 1);
  ui.click("network/part/4");
  EXPECT_EQ(layer().seen, 3);
}

TEST_F(NetworkBar, EachLayerCanBeSeenAndEditedAndThatUndone) {
  EXPECT_TRUE(says("Layer 4 of 4"));
  ui.click("seen-layer");
  ui.frame(2);
  ui.click("seen-layer/2");
  ASSERT_EQ(layer().seen, 1);
  ui.frame(3);
  const LayerSettings before = layer();
  const int channels = layer().further[0].bank.channels;
  ui.click("bank/2/" + std::to_string(channels));
  EXPECT_EQ(ui::ui_state().bank_choice.map, 1);
  EXPECT_EQ(ui::ui_state().bank_choice.channel, channels - 1);
  ui::change_weights(ui.settings, [](FilterSpec& plane) {
    plane.filter.weights[0] = 0.625f;
    return std::string();
  });
  ui.frame(3);
  const Filter& second = layer().further[0].bank;
  EXPECT_EQ(second.weights[static_cast<std::size_t>((2 * channels - 1) * second.taps())], 0.625f);
  EXPECT_EQ(layer().weights, before.weights) << "the first layer stays";
  EXPECT_TRUE(layer().network.empty()) << "it is no file's any more";
  ui.key('Z', ui::key::control);
  EXPECT_EQ(layer().further, before.further);
  ui.key('Z', ui::key::control | ui::key::shift);
  EXPECT_NE(layer().further, before.further);
  ui::set_bias(layer(), 1, 0.5f);
  EXPECT_EQ(layer().further[0].bank.biases[1], 0.5f);
  EXPECT_EQ(layer().weights.biases, before.weights.biases);
}

TEST_F(NetworkBar, ANetworkIsUndoneThoughItsLayersSeenNowHaveOtherShapes) {
  load_layer_network("blur-sharpen", layer());
  ui.frame(3);
  load_layer_network("corners", layer());
  layer().seen = 1;  // as the last of the two layers before
  ui.frame(3);
  ASSERT_EQ(layer().weights.maps, 8);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(layer().weights.maps, 3);
}

TEST_F(NetworkBar, AnUndoneNetworkLeavesNoLayerBehind) {
  drop_network(layer());  // a bank of as many maps
  layer().weights.weights[0] = 0.375f;
  layer().stride = 2;
  ui.frame(3);
  const LayerSettings before = layer();
  load_layer_network("corners", layer());
  layer().noise = 12;
  ui.frame(3);
  layer().precision = Precision::tf32;
  ui.frame(3);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(layer().precision, before.precision) << "it was chosen last, by itself";
  EXPECT_EQ(layer().network, "corners");
  ui.key('Z', ui::key::control);
  EXPECT_TRUE(layer().further.empty());
  EXPECT_FALSE(layer().pooled);
  EXPECT_EQ(layer().weights, before.weights);
  EXPECT_EQ(layer().stride, 2);
  EXPECT_EQ(layer().noise, 12) << "that is no part of the layers";
  ui.key('Z', ui::key::control | ui::key::shift);
  EXPECT_EQ(layer().network, "corners");
  EXPECT_EQ(layer().further.size(), 3u);
  EXPECT_EQ(layer().stride, 1);
  EXPECT_EQ(layer().precision, before.precision);
  ui.key('Z', ui::key::control | ui::key::shift);
  EXPECT_EQ(layer().precision, Precision::tf32);
}

TEST_F(NetworkBar, NetworksOfEqualShapesAreNotMixed) {
  const auto scale = [](Filter& bank, float factor) {
    for (float& weight : bank.weights) weight *= factor;
  };
  const LayerSettings before = layer();
  std::vector<NetworkLayer> further(before.further.begin(), before.further.end());
  for (NetworkLayer& one : further) scale(one.bank, -2);
  scale(layer().weights, -2);
  layer().further = std::move(further);
  ui.frame(3);
  const LayerSettings after = layer();
  ASSERT_NE(after.further, before.further);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(layer(), before);
  EXPECT_EQ(layer().further.begin(), before.further.begin()) << "shared, not copied";
  ui.key('Z', ui::key::control | ui::key::shift);
  EXPECT_EQ(layer(), after);
  EXPECT_EQ(layer().further.begin(), after.further.begin());
}

TEST_F(NetworkBar, AnEditIsUndoneWhicheverLayerIsSeen) {
  const LayerSettings before = layer();
  layer().further.change(0).bank.weights[0] = std::numeric_limits<float>::quiet_NaN();
  ui.frame(3);  // no value equals it, and yet it is one step
  layer().seen = 0;
  ui.frame(3);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(layer().further, before.further);
  EXPECT_EQ(layer().seen, 0);
}

TEST_F(NetworkBar, TheGridsOfVeryManyChannelsStayWithinThePanel) {
  Filter wide{.name = "wide", .width = 1, .height = 1, .maps = 2, .channels = 200};
  wide.weights.assign(400, 0.5f);
  std::vector<NetworkLayer> further(layer().further.begin(), layer().further.end());
  further[0].bank = wide;
  layer().further = further;
  layer().seen = 1;
  ui.frame(3);
  const ui::ItemRectangle first = *ui::item_rectangle("bank/1/1"), last = *ui::item_rectangle("bank/1/200");
  for (int channel = 1; channel <= 200; ++channel)
    EXPECT_LT(ui::item_rectangle("bank/1/" + std::to_string(channel))->to.x, 1600) << channel;
  EXPECT_GT(last.from.y, first.to.y - 1);
  EXPECT_LT(last.to.y, ui::item_rectangle("bank/2/1")->from.y);
}

TEST_F(NetworkBar, EachLayerCanHaveAStrategyOfItsOwn) {
  PaneSettings& pane = ui.settings.group().panes[0];
  pane.strategy = "auto";
  const auto choose = [&](const std::string& layer, const std::string& what) {
    ui.click("layer-strategy/" + layer);
    ui.frame(2);
    ui.click("layer-strategy/" + layer + "/" + what);
    ui.frame(2);
  };
  const std::string id(ui.stats.ladder.front().strategy->id);
  choose("2", id);
  EXPECT_EQ(pane.layers, (std::vector<std::string>{"", id}));
  EXPECT_EQ(pane_of_layer(pane, 1).strategy, id);
  EXPECT_EQ(pane_of_layer(pane, 2).strategy, "auto");
  EXPECT_EQ(pane.strategy, "auto");
  choose("2", "pane");
  EXPECT_TRUE(pane.layers.empty());
}

TEST_F(NetworkBar, AStrategyOfALayerIsUndoneAndDoneAgain) {
  PaneSettings& pane = ui.settings.group().panes[0];
  choose_for_layer(pane, 0, "cpu-direct");
  ui.frame(3);
  ui.key('Z', ui::key::control);
  EXPECT_TRUE(pane.layers.empty());
  EXPECT_EQ(layer().network, "corners");
  ui.key('Z', ui::key::control | ui::key::shift);
  EXPECT_EQ(pane.layers, std::vector<std::string>{"cpu-direct"});
}

TEST_F(NetworkBar, AnotherNetworkBeginsWithThePanesStrategyInAllLayers) {
  PaneSettings& pane = ui.settings.group().panes[0];
  choose_for_layer(pane, 0, "cpu-direct");
  ui.frame(3);
  ui.click("bank");
  ui.frame(2);
  ui.click("network/denoise");
  ui.frame(3);
  ASSERT_EQ(layer().network, "denoise");
  EXPECT_TRUE(pane.layers.empty());
  ui.key('Z', ui::key::control);
  EXPECT_EQ(layer().network, "corners");
  EXPECT_EQ(pane.layers, std::vector<std::string>{"cpu-direct"}) << "which goes with its network";
}

TEST_F(NetworkBar, ANetworkThatEndsInAFrameIsShownAsOneAndItsMapsByTheirColours) {
  const auto choose = [this](const char* network) {
    ui.click("bank");
    ui.frame(2);
    ui.click(network);
    ui.frame(3);
  };
  choose("network/denoise");
  EXPECT_TRUE(ui.settings.wall.frames);
  ui.settings.wall.frames = false;
  ui.pictures = {{0, 0, 1600, 900}};
  ui.stats.panes[0].wall = Wall{.maps = 3, .map_width = 640, .map_height = 480, .width = 640, .height = 480};
  ui.frame(3);
  for (const char* const name : {"1 red", "2 green", "3 blue"}) EXPECT_TRUE(says(name)) << name;
  layer().seen = 0;
  EXPECT_EQ(ui::colour_made(ui.settings, 0), "") << "those of a layer before it";
  choose("network/corners");
  EXPECT_FALSE(ui.settings.wall.frames);
  ui.stats.panes[0].wall->maps = 6;
  ui.frame(3);
  EXPECT_FALSE(says("1 red"));
}

TEST_F(NetworkBar, ANetworkOfTheCatalogueIsCalledByItsTitleUntilItIsEdited) {
  const std::string title(find_network_kind("corners")->title);
  EXPECT_TRUE(says(title));
  EXPECT_FALSE(says("Custom"));
  layer().seen = 0;
  ui::change_weights(ui.settings, [](FilterSpec& plane) {
    plane.filter.weights[0] = 0.625f;
    return std::string();
  });
  ui.frame(3);
  EXPECT_TRUE(says("Custom · corners, edited"));
}

TEST_F(NetworkBar, TheTimeOfALayerIsWholeAtEveryWidth) {
  for (LayerStats& one : ui.stats.panes[0].layers) {
    one.strategy = "a-strategy-with-a-long-name";
    one.times = times(21066, 0);
  }
  for (const float width : {640.0f, 1000.0f, 1600.0f}) {
    ui.resize(width, 1400);
    ui.frame(3);
    EXPECT_TRUE(std::ranges::any_of(ui::drawn_texts(), [](const auto& text) { return text.text == "21.1 s"; }))
        << width;
  }
}

TEST_F(NetworkBar, TheCardNamesTheStrategiesOfAllLayersWhoseTimeItTells) {
  PaneStats& pane = ui.stats.panes[0];
  ui.settings.group().panes[0].strategy = pane.strategy = "auto";
  pane.runs = "cpu-gemm";
  for (LayerStats& one : pane.layers) one.strategy = "cpu-gemm";
  pane.layers[0].strategy = "cpu-direct";
  pane.kernel = times(21279, 0);
  pane.median_interval.reset();
  ui.frame(2);
  const ui::CardLine line = ui::card_line(ui.stats, ui.settings, 0, {0, 0, 900, 500}, 1e9f);
  EXPECT_EQ(line.id, "auto → cpu-direct + cpu-gemm ×3");
  EXPECT_EQ(line.title, "4 layers");
  EXPECT_EQ(line.median, "21.3 s");
}

TEST_F(NetworkBar, AllLayersAreSavedAsAFolder) {
  ui.click("save-network");
  ui.frame(2);
  EXPECT_EQ(ui::ui_state().save.what, ui::Saved::network);
  EXPECT_STREQ(ui::ui_state().save.name.data(), "network");
}

TEST_F(NetworkBar, TheFirstLayerCanBeLeftAlone) {
  const Filter first = layer().weights;
  ui.click("network-drop");
  EXPECT_TRUE(layer().further.empty());
  EXPECT_FALSE(layer().pooled);
  EXPECT_EQ(layer().weights, first);
  ui.frame(2);
  EXPECT_FALSE(drawn(ui, "network/part/1"));
}

TEST_F(NetworkBar, WhatDoesNotFitIsSaidInstead) {
  ui.stats.panes[0].problem = "Layer 2 takes 8 channels, but layer 1 makes 9 maps";
  ui.stats.panes[0].layers.clear();
  ui.frame(2);
  EXPECT_TRUE(says("Layer 2 takes 8 channels"));
  EXPECT_FALSE(drawn(ui, "network/part/1"));
}

TEST_F(NetworkBar, ANetworkIsChosenWhereBanksAre) {
  ui.click("bank");
  ui.frame(2);
  ui.click("network/blur-sharpen");
  EXPECT_EQ(layer().network, "blur-sharpen");
  EXPECT_EQ(layer().further.size(), 1u);
  ui.click("bank");
  ui.frame(2);
  ui.click("bank/gabor");
  EXPECT_EQ(layer().bank, "gabor");
  EXPECT_TRUE(layer().further.empty()) << "a bank is one layer";
}

}  // namespace
}  // namespace convoscope::test
