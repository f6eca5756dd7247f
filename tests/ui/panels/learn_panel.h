#pragma once
// A layer workbench with the Learn panel open.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/actions/learn_actions.h"
#include "app/ui/memory/ui_state.h"
#include "tests/ui/harness.h"

namespace convoscope::test {

class LearnPanel : public ::testing::Test {
 protected:
  LearnPanel() {
    ui.settings.open_panels = {"learn"};
    ui.frame(3);
  }
  bool is_shown(const std::string& id) {
    return std::ranges::find(ui::marks(), id, &ui::Mark::id) != ui::marks().end();
  }
  bool is_said(const std::string& text) {
    return std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& drawn) { return drawn.text == text; });
  }
  // As whoever learns takes it.
  void set_up() {
    ui::set_up_to_learn(ui.settings, ui.requests);
    layer().weights.weights.assign(layer().weights.weights.size(), 0.125f);
    ui.take_requests();
    ui.frame(3);
  }
  std::string why() { return ui::why_not_learning(ui.settings); }
  bool has_why(const std::string& part) { return why().find(part) != std::string::npos && why().ends_with("."); }
  LayerSettings& layer() { return ui.settings.layer; }
  LearnSettings& learn() { return ui.settings.learn; }
  LearnStats& learnt() { return ui.stats.learn; }
  Harness ui{layer_sample(), 1600, 1400};
};

}  // namespace convoscope::test
