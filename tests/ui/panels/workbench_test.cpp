// The workbenches: how they are switched, what each shows, and what has no meaning in one of them.
#include "app/state/workbench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/palette.h"
#include "kernels/contract/sweep.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using namespace ui::key;

bool is_shown(const std::string& id) { return std::ranges::find(ui::marks(), id, &ui::Mark::id) != ui::marks().end(); }

TEST(WorkbenchRow, AClickShowsAnotherOneAndKeepsThePanes) {
  Harness ui(panes_sample(2));
  ui.settings.open_panels = {"filter", "layer"};
  const std::string strategy = ui.settings.active().strategy;
  ui.click("workbench/layer");
  EXPECT_EQ(ui.settings.workbench, "layer");
  EXPECT_EQ(ui.settings.group().panes.size(), 1u);
  EXPECT_TRUE(ui.settings.layer.weights.is_bank());
  EXPECT_TRUE(is_shown("section/Layer"));
  EXPECT_FALSE(is_shown("section/Filter"));
  ui.click("workbench/volume");
  EXPECT_EQ(ui.settings.workbench, "volume");
  EXPECT_TRUE(is_shown("section/Filter"));
  EXPECT_TRUE(is_shown("frames"));
  EXPECT_FALSE(is_shown("section/Layer"));
  ui.click("workbench/image");
  EXPECT_EQ(ui.settings.workbench, "image");
  EXPECT_EQ(ui.settings.group().panes.size(), 2u);
  EXPECT_EQ(ui.settings.active().strategy, strategy);
  EXPECT_FALSE(is_shown("frames")) << "a picture has no others before and after it";
}

TEST(WorkbenchRow, IsReadWholeWhereverThePanelIs) {
  for (const bool projector : {false, true})
    for (const bool left : {false, true})
      for (const ImVec2 size : {ImVec2(640, 480), ImVec2(1280, 720)}) {
        Harness ui(typical_sample(), size.x, size.y, 0);
        ui.settings.projector = projector;
        ui.settings.panels_left = left;
        ui.frame(3);
        for (const Workbench& bench : workbenches) {
          EXPECT_TRUE(is_said(bench.title)) << bench.title << " at " << size.x;
          const auto mark = std::ranges::find(ui::marks(), "workbench/" + std::string(bench.id), &ui::Mark::id);
          ASSERT_NE(mark, ui::marks().end());
          EXPECT_EQ(mark->at.to.x, mark->seen.to.x) << bench.title << " at " << size.x;
          EXPECT_EQ(mark->at.to.y, mark->seen.to.y) << bench.title << " at " << size.x;
        }
      }
}

TEST(WorkbenchKeys, ShowEachOfThem) {
  Harness ui;
  for (const std::size_t i : {2, 1, 0}) {
    EXPECT_TRUE(ui.key('1' + static_cast<int>(i), control | shift));
    EXPECT_EQ(ui.settings.workbench, workbenches[i].id);
    EXPECT_NE(ui::ui_state().feedback.text.find(workbenches[i].title), std::string::npos);
  }
}

TEST(WorkbenchKeys, ThePanelOfTheKeyIsTheOneThatApplies) {
  Harness ui(layer_sample());
  ui.settings.open_panels = {};
  ui.key(f(3));
  EXPECT_EQ(ui.settings.open_panels, std::set<std::string>{"layer"});
  ui.key(f(3));
  EXPECT_TRUE(ui.settings.open_panels.empty());
  show_workbench(ui.settings, "image");
  ui.key(f(3));
  EXPECT_EQ(ui.settings.open_panels, std::set<std::string>{"filter"});
}

TEST(WorkbenchKeys, WhatHasNoMeaningSaysWhy) {
  Harness ui(layer_sample());
  ui.frame();
  const Settings before = ui.settings;
  for (const auto& [key, modifiers] :
       {std::pair{static_cast<int>('B'), 0}, {static_cast<int>('A'), 0}, {up, control}}) {
    ui::ui_state().feedback = {};
    EXPECT_TRUE(ui.key(key, modifiers));
    EXPECT_TRUE(ui.settings == before) << key;
    EXPECT_TRUE(ui::ui_state().feedback.text.ends_with(".")) << ui::ui_state().feedback.text;
  }
}

TEST(Workbenches, EachIsSweptByItsOwnNumbers) {
  for (const Workbench& bench : workbenches) {
    SCOPED_TRACE(bench.id);
    Harness ui(typical_sample(), 1600, 1400);
    ui.settings.open_panels = {"timing"};
    show_workbench(ui.settings, bench.id);
    ui.stats.ladder = ladder(*bench.kind);
    ui.stats.device.backend = Backend::cpu;
    ui.frame(3);
    ui.click("open-sweep");
    ui.frame(3);
    EXPECT_NE(ui::item_rectangle("sweep"), nullptr);
    EXPECT_TRUE(is_shown("sweep-strategy/cpu-direct"));
    for (const SweepParameter& parameter : bench.kind->parameters) {
      const std::string id(parameter.id);
      EXPECT_EQ(is_shown("sweep-along/" + id), parameter.words.empty()) << id;
      const Problem start = ui::problem_of(ui.settings.active(), ui.stats, ui.settings);
      EXPECT_TRUE(is_shown("sweep-" + id + "/" + value_text(parameter, start))) << id << " of the pane itself";
    }
    EXPECT_EQ(is_shown("sweep-M/64"), bench.kind == &layer_kind);
    EXPECT_EQ(is_shown("sweep-rt/8"), bench.kind == &volume_kind);
    ui.click("sweep-start");
    EXPECT_TRUE(ui.requests.start_sweep);
    ui.take_requests();
    ui.stats.sweep.running = true;
    ui.click("sweep-cancel");
    EXPECT_TRUE(ui.requests.cancel_sweep);
    ui.key(f(8));
    EXPECT_FALSE(ui.settings.sweep.open);
  }
}

TEST(Workbenches, ASweepOfOneIsNotDrawnInAnother) {
  Harness ui(layer_sample(), 1600, 1400);
  ui.settings.sweep.open = true;
  const auto add = [&](const char* strategy, const char* shape, double ms) {
    ui.stats.sweep.rows.push_back({.strategy = strategy,
                                   .filter = "random",
                                   .problem = layer_problem(shape, Pass::forward, false),
                                   .median_ms = ms,
                                   .p05_ms = ms,
                                   .p95_ms = ms,
                                   .copy_ms = 1,
                                   .verified = true,
                                   .reason = {}});
  };
  for (const char* const strategy : {"direct", "tiled"})
    add(strategy, "1,3,36,64,4,3", 2), add(strategy, "1,3,36,64,16,3", 8), add(strategy, "1,3,36,64,16,5", 9);
  ui.frame(3);
  EXPECT_TRUE(is_said("direct"));
  EXPECT_TRUE(is_said("Layer, channels 3, filter width 3, 64×36, forward, f32, nchw"));
  ui.click("sweep-shown/filter width 5");
  ui.frame(2);
  EXPECT_TRUE(is_said("Layer, channels 3, filter width 5, 64×36, forward, f32, nchw"));
  const auto was_opened = [&] {
    const bool open = ui::ui_state().save.open;
    if (open) ui.key(escape);
    ui.frame(3);
    return open;
  };
  const auto opens_the_dialog = [&] {
    ui.click("sweep-save");
    const bool by_mouse = was_opened();
    ui.key(f(8), control);
    EXPECT_EQ(was_opened(), by_mouse);
    return by_mouse;
  };
  EXPECT_TRUE(opens_the_dialog());
  show_workbench(ui.settings, "image");
  ui.frame(3);
  EXPECT_FALSE(is_said("direct"));
  EXPECT_TRUE(is_said("Nothing has been measured yet."));
  EXPECT_FALSE(opens_the_dialog());
  EXPECT_NE(ui::ui_state().feedback.text.find("The sweep of the Layer workbench is saved there."), std::string::npos);
  ui.stats.sweep.rows.clear();
  ui.stats.sweep.running = true;
  ui.key(f(8), control);
  EXPECT_NE(ui::ui_state().feedback.text.find("The sweep has only begun."), std::string::npos);
}

TEST(Workbenches, ASweepOfADepthwiseLayerIsSaidToBeOne) {
  Harness ui(layer_sample(), 1600, 1400);
  ui.settings.sweep.open = true;
  for (const char* const shape : {"1,3,36,64,3,3,groups=3", "1,3,36,64,6,3,groups=3", "1,3,36,64,3,3"})
    ui.stats.sweep.rows.push_back({.strategy = "direct",
                                   .filter = "random",
                                   .problem = layer_problem(shape, Pass::forward, false),
                                   .median_ms = 2,
                                   .p05_ms = 2,
                                   .p95_ms = 2,
                                   .copy_ms = 1,
                                   .verified = true,
                                   .reason = {}});
  ui.frame(3);
  EXPECT_TRUE(is_said("Layer, depthwise, channels 3, filter width 3, 64×36, forward, f32, nchw"));
  ui.click("sweep-shown/one group");
  ui.frame(2);
  EXPECT_TRUE(is_said("Layer, channels 3, filter width 3, 64×36, forward, f32, nchw"));
}

TEST(Workbenches, WhatCannotBeSweptIsNotStarted) {
  Harness ui(layer_sample(), 1600, 1400);
  ui.settings.sweep.open = true;
  ui.stats.ladder = ladder(layer_kind);
  ui.stats.device.backend = Backend::cpu;
  ui.settings.layer.depthwise = true;
  ui.settings.layer.weights = random_bank(6, 1, 3);
  ui.frame(2);
  EXPECT_FALSE(is_shown("sweep-why-not"));
  ui.click("sweep-M/64");
  ui.frame(2);
  EXPECT_TRUE(is_shown("sweep-why-not")) << "64 maps cannot be dealt to three colours";
  ui.click("sweep-start");
  EXPECT_FALSE(ui.requests.start_sweep);
}

TEST(WorkbenchKeys, TheSheetSpeaksOfBanksAndLeavesOutWhatOtherWorkbenchesHave) {
  Harness ui(layer_sample(), 1600, 900);
  ui.key(f(1));
  ui.frame(4);
  EXPECT_TRUE(is_said("Next bank"));
  EXPECT_FALSE(is_said("Next filter of the catalogue"));
  EXPECT_FALSE(is_said("Absolute value"));
  EXPECT_TRUE(is_said("Move left, right, up or down"));
  EXPECT_FALSE(is_said("Move left"));
  ui.type("absolute");
  ui.frame(4);
  EXPECT_TRUE(is_said("Absolute value")) << "who looks for it reads why it is not";
}

TEST(WorkbenchKeys, TheNextBankIsTheNextOfTheList) {
  Harness ui(layer_sample());
  ui.frame();
  const auto name = [&] {
    const NetworkKind* const network = ui::shown_network(ui.settings.layer);
    return network ? std::string(network->id) : ui.settings.layer.bank;
  };
  std::set<std::string> shown;
  const std::size_t all = bank_kinds().size() + network_kinds().size();
  const std::string first = name();
  for (std::size_t i = 0; i < all; ++i) {
    shown.insert(name());
    ui.key('G');
  }
  EXPECT_EQ(shown.size(), all);
  EXPECT_EQ(name(), first) << "round the list once";
  ui.key('G', shift);
  EXPECT_TRUE(shown.contains(name()));
  EXPECT_NE(name(), first);
}

TEST(WorkbenchKeys, TheFiltersKeysAreForTheBank) {
  Harness ui(layer_sample());
  ui.frame();
  const std::string bank = ui.settings.layer.bank;
  const FilterSpec filter = ui.filter();
  ui.key('G');
  EXPECT_NE(ui.settings.layer.bank, bank);
  ui.key('G', shift);
  EXPECT_EQ(ui.settings.layer.bank, bank);
  ui.key(up);
  EXPECT_EQ(ui.settings.layer.weights.width, 5);
  for (int i = 0; i < 20; ++i) ui.key(up);
  EXPECT_EQ(ui.settings.layer.weights.width, largest_bank_filter);
  for (int i = 0; i < 20; ++i) ui.key(down);
  EXPECT_EQ(ui.settings.layer.weights.width, 1);
  EXPECT_EQ(ui.filter().kind, filter.kind);
  EXPECT_TRUE(ui.filter().filter == filter.filter);
}

TEST(WorkbenchHistory, EditsOfOneAreNotUndoneInAnother) {
  Harness ui;
  ui.frame(2);
  ui.filter() = parse_filter("sharpen");
  ui.frame(2);
  show_workbench(ui.settings, "volume");
  ui.frame(2);
  const std::string kind = ui.filter().kind;
  ui.key('Z', control);
  EXPECT_EQ(ui.filter().kind, kind);
  show_workbench(ui.settings, "image");
  ui.frame(2);
  EXPECT_EQ(ui.filter().kind, "sharpen");
  ui.key('Z', control);
  EXPECT_EQ(ui.filter().kind, "gaussian");
}

TEST(WorkbenchHistory, SaysThatThereIsNothingToUndoOrRedo) {
  Harness ui;
  ui.frame(2);
  ui.key('Z', control);
  EXPECT_EQ(ui::ui_state().feedback.text, "There is nothing to undo.");
  ui.key('Y', control);
  EXPECT_EQ(ui::ui_state().feedback.text, "There is nothing to redo.");
}

TEST(Frames, TheSliderIsForTheLinkedPanes) {
  Harness ui(time_sample());
  ui.settings.open_panels = {"filter"};
  ui.settings.group().panes.resize(3, ui.settings.group().panes[0]);
  for (int i = 0; i < 3; ++i) ui.settings.group().panes[static_cast<std::size_t>(i)].id = i + 1;
  ui.settings.group().panes[2].linked = false;
  ui.drag("frames", 200, 0);
  EXPECT_GT(ui.settings.group().panes[0].frames, 1);
  EXPECT_EQ(ui.settings.group().panes[1].frames, ui.settings.group().panes[0].frames);
  EXPECT_EQ(ui.settings.group().panes[2].frames, 1);
  ui::toggle_link(ui.settings, 2);
  EXPECT_EQ(ui.settings.group().panes[2].frames, ui.settings.group().panes[0].frames);
}

TEST(Frames, AreToldWithTheFilter) {
  const Sample sample = time_sample();
  EXPECT_EQ(ui::work_text(sample.settings.group().panes[0], sample.settings), "Gaussian, 3 frames");
  const Sample layer = layer_sample();
  EXPECT_EQ(ui::work_text(layer.settings.group().panes[0], layer.settings), "edges 16×3×3×3");
  const Sample picture = typical_sample();
  EXPECT_EQ(ui::work_text(picture.settings.group().panes[0], picture.settings), "Gaussian");
}

TEST(Fitness, IsThatOfTheWorkbenchsProblem) {
  Harness ui;
  ui.frame();
  const auto row = [&](std::string_view id) {
    return static_cast<std::size_t>(ui::find_row(ui.stats, id) - ui.stats.ladder.data());
  };
  ui.filter() = parse_filter("sobel-magnitude");
  EXPECT_EQ(ui::why_unfit(row("constant"), ui.stats, ui.settings), "");
  show_workbench(ui.settings, "volume");
  ui.filter() = parse_filter("sobel-magnitude");
  EXPECT_NE(ui::why_unfit(row("constant"), ui.stats, ui.settings), "") << "a volume takes one filter";
  show_workbench(ui.settings, "layer");
  EXPECT_EQ(ui::why_unfit(row("winograd"), ui.stats, ui.settings), "");
  ui.settings.layer.weights = ui.settings.layer.weights.is_bank() ? random_bank(16, 3, 5) : Filter();
  EXPECT_NE(ui::why_unfit(row("winograd"), ui.stats, ui.settings), "") << "the bank has 5 × 5 weights now";
  ui.settings.layer.padded = false;
  ui.settings.layer.weights = random_bank(16, 3, 3);
  ui.stats.source.width = ui.stats.source.height = 2;
  EXPECT_NE(ui::why_unfit(row("constant"), ui.stats, ui.settings), "") << "the filter is larger than the picture";
}

TEST(Workbenches, ThePicturesPanesAreNotCopiedWhereverTheyAre) {
  Settings settings = panes_sample(3).settings;
  settings.learn.pane = 1;
  EXPECT_EQ(picture_panes(settings).data(), settings.group().panes.data());
  show_workbench(settings, "layer");
  const std::vector<PaneSettings>& kept = settings.groups.at("image").panes;
  EXPECT_EQ(picture_panes(settings).data(), kept.data());
  const PaneSettings& learnt = learnt_pane(settings);
  EXPECT_EQ(&learnt, &kept[1]);
  settings.groups.erase("image");
  EXPECT_EQ(picture_panes(settings), default_settings().group().panes);
}

TEST(Workbenches, NoEdgeMagnitudeGoesOverTime) {
  Harness ui(typical_sample(), 1600, 900);
  const auto refused = [&](const char* kind) {
    return !ui::why_no_filter(*find_filter_kind(kind), ui.settings).empty();
  };
  EXPECT_FALSE(refused("sobel-magnitude"));
  show_workbench(ui.settings, "volume");
  ui.settings.open_panels = {"filter"};
  ui.frame(3);
  EXPECT_TRUE(refused("sobel-magnitude"));
  EXPECT_FALSE(refused("sobel-x"));
  EXPECT_FALSE(refused("custom"));
  for (std::size_t i = 0; i < filter_kinds().size(); ++i) {
    ui.key('G');
    EXPECT_FALSE(ui.filter().filter.is_magnitude()) << ui.filter().kind;
  }
  for (const ui::Command& command : ui::palette_commands(ui.stats, ui.settings))
    EXPECT_EQ(command.why_not.starts_with("An edge magnitude"),
              command.name.starts_with("Filter: ") && command.name.ends_with("magnitude"))
        << command.name;
}

TEST(WorkbenchPalette, OffersWhatIsThere) {
  const Sample picture = typical_sample(), layer = layer_sample();
  const auto has = [](const Sample& sample, const std::string& begin) {
    return std::ranges::any_of(ui::palette_commands(sample.stats, sample.settings),
                               [&](const ui::Command& command) { return command.name.starts_with(begin); });
  };
  EXPECT_TRUE(has(picture, "Filter: Gaussian"));
  EXPECT_TRUE(has(picture, "Network: Denoise (in the Layer workbench)")) << "it goes there";
  EXPECT_FALSE(has(layer, "Filter: Gaussian"));
  EXPECT_FALSE(has(layer, "Border: "));
  EXPECT_TRUE(has(layer, "Bank: "));
  for (const Workbench& bench : workbenches)
    EXPECT_TRUE(has(layer, "Window: " + std::string(bench.title) + " workbench"));
  std::set<std::string> greyed;
  for (const ui::Command& command : ui::palette_commands(layer.stats, layer.settings))
    if (!command.why_not.empty() && !command.name.starts_with("Strategy: ")) greyed.insert(command.name);
  EXPECT_EQ(greyed,
            (std::set<std::string>{"Filter: More gain", "Filter: Less gain", "Filter: More bias", "Filter: Less bias",
                                   "Filter: Absolute value", "Filter: Next border", "Filter: Previous border",
                                   "Panes: Link or unlink the pane's filter", "Layer: Learn or pause",
                                   "Layer: Reset what was learnt", "Layer: Check the gradients", "Layer: As a frame"}));
}

}  // namespace
}  // namespace convoscope::test
