// What networks of two layers take off pictures: noise of 20 code values, on frames that they have not seen. And how
// the one that ships was learnt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/media/pattern/pattern.h"
#include "kernels/files/output_file.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/kinds/layer.h"
#include "kernels/learn/trainer.h"
#include "tests/app/learn/moving_discs.h"

namespace convoscope {
namespace {

constexpr double noise = 20.0 / 255;

// The frames that are learnt from are the first half of a source's.
struct Frames {
  int width, height;
  std::int64_t count;
  std::function<void(std::int64_t, const Image&)> draw;
};
Frames pattern_frames(const char* name, int width, int height) {
  const auto pattern = std::make_shared<Pattern>(name, width, height, 60);
  return {width, height, pattern->frames(),
          [pattern](std::int64_t number, const Image& to) { pattern->draw(number, to); }};
}
// Of many clips of discs a frame each; what was drawn is kept.
constexpr int clips_learnt_from = 20;
Frames clip_frames(int width, int height) {
  const auto drawn = std::make_shared<std::map<std::int64_t, std::vector<std::uint32_t>>>();
  return {width, height, 2 * clips_learnt_from, [=](std::int64_t number, const Image& to) {
            std::vector<std::uint32_t>& kept = (*drawn)[number];
            const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
            if (kept.empty()) {
              kept.resize(count);
              MovingDiscs(width, height, static_cast<unsigned>(100 + number))
                  .draw(number * 7, {kept.data(), width, height, static_cast<std::size_t>(width) * 4, to.format});
            }
            std::memcpy(to.data, kept.data(), count * sizeof(std::uint32_t));
          }};
}

class Picture {
 public:
  Picture(Compute& compute, const Frames& frames)
      : compute_(compute),
        pixels_(static_cast<std::size_t>(frames.width) * static_cast<std::size_t>(frames.height)),
        picture_(compute.allocate(frames.width, frames.height, PixelFormat::rgba8)) {}
  const Image& show(const Frames& frames, std::int64_t number) {
    const Image pixels{pixels_.data(), frames.width, frames.height, static_cast<std::size_t>(frames.width) * 4,
                       PixelFormat::rgba8};
    frames.draw(number, pixels);
    compute_.upload(pixels, picture_.image());
    return picture_.image();
  }

 private:
  Compute& compute_;
  std::vector<std::uint32_t> pixels_;
  DeviceImage picture_;
};

Network network_on(const Frames& frames, const std::vector<Filter>& banks) {
  const Filter& first = banks[0];
  Problem layer{frames.width, frames.height, PixelFormat::gray32f, Border::zero, first, &layer_kind};
  layer.layer = {.channels = 3, .maps = first.maps, .padding = first.width / 2};
  return network_of(layer, std::span(banks).subspan(1));
}

Lesson lesson_for(const Network& network, bool residual) {
  Lesson lesson{.target = bank_of_target({.name = "identity", .weights = {1}}, network), .noise = noise};
  lesson.rate = 0.01;
  lesson.residual = residual;
  return lesson;
}

// How much less noise there is in a frame of the second half. `patches`: that are looked at.
double decibels_of(const std::vector<Filter>& banks, bool residual, const Frames& frames,
                   const PatchSettings& patches) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const Network network = network_on(frames, banks);
  Trainer looking(*compute, network, lesson_for(network, residual), patches, 2);
  Picture picture(*compute, frames);
  return 10 * std::log10(noise * noise / looking.look_at(picture.show(frames, frames.count / 2 + 50)));
}

std::vector<Filter> two_layers(int maps, int size, int last_size) {
  Filter first{.name = "learnt", .width = size, .height = size},
      last{.name = "learnt", .width = last_size, .height = last_size};
  first.maps = last.channels = maps;
  first.channels = last.maps = 3;
  first.relu = true;
  first.biases.resize(static_cast<std::size_t>(maps));
  last.biases.resize(3);
  return {first, last};
}

// It adds to each colour what it has found.
class Denoising {
 public:
  Denoising(std::vector<Frames> sources, const std::vector<Filter>& banks, const PatchSettings& patches,
            Backend backend = Backend::cpu)
      : compute_(make_compute(backend)),
        sources_(std::move(sources)),
        picture_(*compute_, sources_[0]),
        network_(network_on(sources_[0], banks)),
        trainer_(*compute_, network_, lesson_for(network_, true), patches, 1) {}

  // `rate`: of the descent at a step; 0: the trainer's own.
  void learn(long steps, long of_a_frame = 4, const std::function<double(long)>& rate = nullptr) {
    const Image* shown = nullptr;
    for (long i = 0; i < steps; ++i) {
      const long frame = i / of_a_frame;
      const auto sources = static_cast<long>(sources_.size());
      const Frames& source = sources_[static_cast<std::size_t>(frame % sources)];
      if (i % of_a_frame == 0) shown = &picture_.show(source, frame / sources * 7 % (source.count / 2));
      if (rate) trainer_.set_rate(rate(i));
      trainer_.step(*shown);
    }
  }
  std::vector<Filter> banks() const { return banks_of(trainer_.network()); }
  double decibels() {
    const Frames& frames = sources_[0];
    return decibels_of(banks(), true, frames, {.samples = 1, .side = frames.width});
  }

 private:
  std::unique_ptr<Compute> compute_;
  std::vector<Frames> sources_;
  Picture picture_;
  Network network_;
  Trainer trainer_;
};

// Of a few maps, with small random weights.
Denoising random_beginning(Frames frames, int maps, int size, const PatchSettings& patches) {
  std::vector<Filter> banks = two_layers(maps, size, 3);
  banks[0] = initial_bank(banks[0], 1);
  banks[1] = initial_bank(banks[1], 2);
  for (float& weight : banks[1].weights) weight *= 0.1f;
  return {{std::move(frames)}, banks, patches};
}

TEST(Denoising, AFewHundredStepsAlreadyTell) {
  Denoising denoising = random_beginning(pattern_frames("all", 320, 240), 8, 3, {.samples = 4, .side = 24});
  EXPECT_LT(denoising.decibels(), 0.5) << "it has learnt nothing yet";
  denoising.learn(400);
  EXPECT_GT(denoising.decibels(), 1);
}

// As the Learn panel sets it up: at this rate Adam's first steps would make all maps 0 for good.
TEST(Denoising, TheSizeThatThePanelBeginsWithLearnsAtItsRate) {
  for (const Frames& frames : {pattern_frames("all", 320, 240), clip_frames(320, 240)}) {
    Denoising denoising = random_beginning(frames, 8, 5, {.samples = 4, .side = 24});
    denoising.learn(300);
    EXPECT_GT(denoising.decibels(), 1.5);
  }
}

// In parts of a frame, which take less time than all of it.
TEST(Denoising, TheOneThatShipsTakesNoiseOffFramesThatItHasNotSeen) {
  const std::vector<NetworkLayer> layers = find_network_kind("denoise")->make();
  ASSERT_EQ(layers.size(), 2u);
  const std::vector<Filter> banks{layers[0].bank, layers[1].bank};
  const PatchSettings parts{.samples = 6, .side = 128};
  const double pattern = decibels_of(banks, false, pattern_frames("all", 1280, 720), parts),
               clip = decibels_of(banks, false, clip_frames(1280, 720), parts);
  RecordProperty("pattern", std::to_string(pattern));
  RecordProperty("clip", std::to_string(clip));
  EXPECT_GT(pattern, 6.1);
  EXPECT_GT(clip, 6.2);
}

// Takes half a minute, and longer where sanitizers look on.
TEST(Denoising, DISABLED_TwoLayersTakeMostOffWhatIsSmooth) {
  Denoising denoising = random_beginning(pattern_frames("gradients", 320, 240), 8, 5, {.samples = 4, .side = 32});
  denoising.learn(4000);
  const double decibels = denoising.decibels();
  RecordProperty("decibels", std::to_string(decibels));
  EXPECT_GT(decibels, 6);
}

// --- how the one that ships was learnt ---

constexpr int maps_that_clip = 54, maps_that_ship = maps_that_clip + 3, first_size = 7, last_size = 5;

float& weight_at(Filter& bank, int map, int channel, int y, int x) {
  return bank.weights[static_cast<std::size_t>(((map * bank.channels + channel) * bank.height + y) * bank.width + x)];
}

// It begins as denoising by thresholds does (Donoho 1995): a cosine transform of 3 × 3 pixels around each one, of their
// brightness and of two differences of colours; what a coefficient has of noise is what is left of it when it is
// clipped, max(0, c + t) − max(0, c − t) − t, and the inverse transform of that is taken off. The last three maps hand
// the colours on.
std::vector<Filter> thresholds() {
  constexpr int side = 3;
  constexpr double colours[3][3] = {{0.57735, 0.57735, 0.57735}, {0.70711, 0, -0.70711}, {0.40825, -0.8165, 0.40825}};
  const auto cosine = [](int frequency, int at) {
    return std::cos(std::numbers::pi * frequency * (2 * at + 1) / (2 * side)) *
           std::sqrt((frequency ? 2.0 : 1.0) / side);
  };
  std::vector<Filter> banks = two_layers(maps_that_ship, first_size, last_size);
  Filter &first = banks[0] = initial_bank(banks[0], 1), &last = banks[1] = initial_bank(banks[1], 2);
  for (float& weight : first.weights) weight *= 0.02f;
  for (float& weight : last.weights) weight *= 0.002f;
  const auto add = [](float& weight, double more) { weight = static_cast<float>(weight + more); };
  constexpr int before = (first_size - side) / 2, behind = (last_size - side) / 2, windows = side * side;
  for (int map = 0; map < maps_that_clip; ++map) {
    const int which = map / 2 / windows, fy = map / 2 % windows / side, fx = map / 2 % side;
    const double sign = map % 2 == 0 ? 1 : -1, threshold = noise * (which == 0 ? 1.3 : 2.5);
    first.biases[static_cast<std::size_t>(map)] = static_cast<float>(sign * threshold);
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
          const double basis = colours[which][c] * cosine(fy, y) * cosine(fx, x);
          add(weight_at(first, map, c, before + y, before + x), basis);
          add(weight_at(last, c, map, behind + side - 1 - y, behind + side - 1 - x), -sign * basis / windows);
          if (sign > 0) add(last.biases[static_cast<std::size_t>(c)], threshold * basis / windows);
        }
    if (fx > 0 || fy > 0) continue;  // of the mean, what it has more than the mean of all that the filter sees
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < first.taps(); ++i)
        add(weight_at(first, map, c, i / first_size, i % first_size), -side * colours[which][c] / first.taps());
  }
  for (int map = maps_that_clip; map < maps_that_ship; ++map) {
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < first.taps(); ++i)
        weight_at(first, map, c, i / first_size, i % first_size) =
            c == map - maps_that_clip && i == first.taps() / 2 ? 1.0f : 0.0f;
    first.biases[static_cast<std::size_t>(map)] = 1;
  }
  return banks;
}

// The network finds what is to be added to the frame; here it adds that itself: three maps of their own hand the
// colours on, and 1 more, so that ReLU lets noise below zero pass.
std::vector<Filter> with_the_frame(std::vector<Filter> banks) {
  const int maps = banks[0].maps;
  std::vector<Filter> whole = two_layers(maps + 3, banks[0].width, banks[1].width);
  for (Filter& bank : whole) bank.weights.resize(static_cast<std::size_t>(bank.maps * bank.channels * bank.taps()));
  std::ranges::copy(banks[0].weights, whole[0].weights.begin());
  std::ranges::copy(banks[0].biases, whole[0].biases.begin());
  for (int colour = 0; colour < 3; ++colour) {
    weight_at(whole[0], maps + colour, colour, banks[0].height / 2, banks[0].width / 2) = 1;
    whole[0].biases[static_cast<std::size_t>(maps + colour)] = 1;
    std::copy_n(&weight_at(banks[1], colour, 0, 0, 0), maps * banks[1].taps(), &weight_at(whole[1], colour, 0, 0, 0));
    weight_at(whole[1], colour, maps + colour, banks[1].height / 2, banks[1].width / 2) = 1;
    whole[1].biases[static_cast<std::size_t>(colour)] = banks[1].biases[static_cast<std::size_t>(colour)] - 1;
  }
  return whole;
}

std::string safetensors(const std::vector<Filter>& banks) {
  std::string header, data;
  const auto add = [&](const std::string& name, const std::string& shape, const std::vector<float>& values) {
    const std::size_t from = data.size();
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    header += (header.empty() ? "{\"" : ",\"") + name + R"(":{"dtype":"F32","shape":[)" + shape +
              R"(],"data_offsets":[)" + std::to_string(from) + "," + std::to_string(data.size()) + "]}";
  };
  for (std::size_t i = 0; i < banks.size(); ++i) {
    const Filter& bank = banks[i];
    const std::string layer = "layer" + std::to_string(i + 1), maps = std::to_string(bank.maps);
    add(layer + ".weight",
        maps + "," + std::to_string(bank.channels) + "," + std::to_string(bank.height) + "," +
            std::to_string(bank.width),
        bank.weights);
    add(layer + ".bias", maps, bank.biases);
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(header.size() >> 8 * i & 255);
  return length + header + data;
}

// With CONVOSCOPE_LEARNT_NETWORK=FILE.safetensors it leaves there what it has learnt; with CONVOSCOPE_LEARN_ON=cuda it
// learns on a GPU.
TEST(Denoising, DISABLED_LearnsTheNetworkThatShips) {
  const char* const where = std::getenv("CONVOSCOPE_LEARN_ON");
  const bool on_gpu = where && std::string(where) == "cuda";
  const long steps = on_gpu ? 100'000 : 10'000;
  std::vector<Frames> sources{pattern_frames("all", 1280, 720), clip_frames(1280, 720)};
  Denoising denoising(sources, thresholds(), on_gpu ? PatchSettings{.samples = 16, .side = 48} : PatchSettings{4, 32},
                      on_gpu ? Backend::cuda : Backend::cpu);
  denoising.learn(steps, on_gpu ? 100 : 8, [&](long step) {
    const double done = static_cast<double>(step) / static_cast<double>(steps);
    // Against the trainer's own decay. How it begins is the trainer's.
    return 0.0012 * (0.5 + 0.5 * std::cos(std::numbers::pi * done)) * std::sqrt(1 + static_cast<double>(step) / 1000);
  });
  const std::vector<Filter> banks = with_the_frame(denoising.banks());
  constexpr PatchSettings whole{.samples = 1, .side = 1280};
  const double pattern = decibels_of(banks, false, sources[0], whole),
               clip = decibels_of(banks, false, sources[1], whole);
  RecordProperty("pattern", std::to_string(pattern));
  RecordProperty("clip", std::to_string(clip));
  EXPECT_GT(pattern, 6);
  EXPECT_GT(clip, 6);
  if (const char* const file = std::getenv("CONVOSCOPE_LEARNT_NETWORK")) write_file(file, safetensors(banks));
}

}  // namespace
}  // namespace convoscope
