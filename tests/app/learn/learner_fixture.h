#pragma once
// A learner beside the test pattern, as the program has it.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/learn/learner.h"
#include "app/media/pattern/pattern.h"
#include "app/state/momentary.h"
#include "app/state/network_settings.h"
#include "app/state/workbench.h"

namespace convoscope::test {

class LearnerTest : public testing::Test {
 protected:
  static constexpr int width = 320, height = 240;

  LearnerTest() {
    settings_ = in_workbench(settings_, "layer");
    settings_.layer.depthwise = true;
    settings_.layer.weights = find_bank_kind("random")->make(3, 1, 3);
    at_hand_.learning = true;
  }
  // The pattern's next frame, as the step would have it.
  DeviceImage frame(PixelFormat format = PixelFormat::rgba8, int w = width, int h = height) {
    std::unique_ptr<Pattern>& pattern = patterns_[{w, h}];
    if (!pattern) pattern = std::make_unique<Pattern>(shown_, w, h, 60);
    const std::size_t pitch = static_cast<std::size_t>(w) * 4;
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
    pattern->draw(number_++, {pixels.data(), w, h, pitch, PixelFormat::rgba8});
    if (format == PixelFormat::gray32f)
      for (std::uint32_t& pixel : pixels) pixel = std::bit_cast<std::uint32_t>(static_cast<float>(pixel & 255) / 255);
    DeviceImage picture = compute_->allocate(w, h, format);
    compute_->upload({pixels.data(), w, h, pitch, format}, picture.image());
    return picture;
  }
  // As the program does it.
  Learner::Answer show(const DeviceImage& picture, Learner::Asked asked = {}) {
    asked.running = at_hand_.learning;
    const Learner::Answer answer = learner_.observe(picture, settings_, asked, stats_);
    if (answer.weights) {
      settings_.layer.weights = *answer.weights;
      settings_.layer.bank = custom_bank;
    }
    if (answer.further) put_layers_behind(settings_.layer, *answer.further, settings_.learn.task == LearnTask::denoise);
    if (answer.stop) at_hand_.learning = false;
    return answer;
  }
  void show_some(int frames) {
    const DeviceImage picture = frame();
    for (int i = 0; i < frames; ++i) show(picture);
  }
  Filter target() {
    return bank_of_target(settings_.learn.target.filter,
                          {problem_of(settings_.active(), work_of(settings_), width, height, PixelFormat::rgba8)});
  }

  std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
  Settings settings_ = default_settings();
  Momentary at_hand_;
  LearnStats stats_;
  std::map<std::pair<int, int>, std::unique_ptr<Pattern>> patterns_;
  const char* shown_ = "all";  // of the patterns
  std::int64_t number_ = 0;
  Learner learner_{*compute_, true};
};

}  // namespace convoscope::test
