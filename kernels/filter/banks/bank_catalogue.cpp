#include "kernels/filter/banks/bank_catalogue.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <random>

namespace convoscope {
namespace {

// One map's filter for one channel, in double until it is complete.
struct Plane {
  int size, radius = size / 2;
  std::vector<double> weights = std::vector<double>(static_cast<std::size_t>(size) * size);

  double& at(int dx, int dy) { return weights[static_cast<std::size_t>(dy + radius) * size + dx + radius]; }
  double sum() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }
  double magnitude() const {
    return std::accumulate(weights.begin(), weights.end(), 0.0, [](double s, double w) { return s + std::abs(w); });
  }
  Plane& scale(double factor) {
    for (double& w : weights) w *= factor;
    return *this;
  }
  template <class F>
  Plane& fill(F weight) {
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) at(dx, dy) = weight(dx, dy);
    return *this;
  }
  // The weights above 0 add up to 1, those below to −1: the most that a step of height 1 can answer with is 1.
  Plane& answer_to_a_step() { return scale(2 / magnitude()); }
};

Filter empty_bank(std::string_view name, int maps, int channels, int size) {
  Filter bank{.name = std::string(name), .width = size, .height = size, .maps = maps, .channels = channels};
  bank.weights.resize(static_cast<std::size_t>(maps) * channels * size * size);
  return bank;
}

void put(Filter& bank, int map, int channel, const Plane& plane, double factor = 1) {
  const std::size_t first =
      (static_cast<std::size_t>(map) * bank.channels + channel) * static_cast<std::size_t>(bank.taps());
  for (std::size_t i = 0; i < plane.weights.size(); ++i)
    bank.weights[first + i] = static_cast<float>(plane.weights[i] * factor);
}

// The mean of the channels, so that a map answers to brightness.
void put_grey(Filter& bank, int map, const Plane& plane) {
  for (int channel = 0; channel < bank.channels; ++channel) put(bank, map, channel, plane, 1.0 / bank.channels);
}

// Where a filter is a single pixel there is nothing to compare it with: brightness, fainter from map to map.
Plane single_pixel(int map, int maps) {
  Plane plane{1};
  plane.at(0, 0) = static_cast<double>(maps - map) / maps;
  return plane;
}

// All maps alike in colour, and each made by `plane`, which is asked for filters of 3 × 3 and more.
template <class F>
Filter grey_bank(std::string_view name, int maps, int channels, int size, F plane) {
  Filter bank = empty_bank(name, maps, channels, size);
  for (int map = 0; map < maps; ++map) put_grey(bank, map, size == 1 ? single_pixel(map, maps) : plane(map, maps));
  return bank;
}

// As far as a Gaussian fits into the filter; 0.85 for 3 × 3, whose rows are then nearly Sobel's 1 2 1.
double widest_sigma(int size) { return 0.5 + 0.35 * (size / 2); }

// From `least` to `most` in even steps; the only one of its kind is the largest.
double grown(int step, int steps, double least, double most) {
  return steps == 1 ? most : least + (most - least) * step / (steps - 1);
}

double bell(int dx, int dy, double sigma) { return std::exp(-0.5 * (dx * dx + dy * dy) / (sigma * sigma)); }

Plane gaussian(int size, double sigma) {
  Plane plane{size};
  plane.fill([&](int dx, int dy) { return bell(dx, dy, sigma); });
  return plane.scale(1 / plane.sum());
}

// How far a pixel lies in the direction of a map: they turn clockwise by half a turn, and the first looks to the right.
// Sine and cosine of a right angle are not quite 0.
struct Direction {
  double x, y;
  Direction(int map, int maps)
      : x(std::cos(std::numbers::pi * map / maps)), y(std::sin(std::numbers::pi * map / maps)) {}
  double along(int dx, int dy) const {
    const double way = dx * x + dy * y;
    return std::abs(way) < 1e-9 ? 0 : way;
  }
};

Filter edges(int maps, int channels, int size) {
  return grey_bank("edges", maps, channels, size, [=](int map, int count) {
    const Direction direction(map, count);
    const double sigma = widest_sigma(size);
    return Plane{size}
        .fill([&](int dx, int dy) { return direction.along(dx, dy) * bell(dx, dy, sigma); })
        .answer_to_a_step();
  });
}

// Bright along a line, dark to both sides of it, under a bell. A part of the bell is taken away, so that an even
// picture answers with 0.
Filter gabor(int maps, int channels, int size) {
  return grey_bank("gabor", maps, channels, size, [=](int map, int count) {
    const Direction direction(map, count);
    const double sigma = widest_sigma(size), wavelength = (size + 3) / 2.0;
    Plane plane{size};
    plane.fill([&](int dx, int dy) {
      return std::cos(2 * std::numbers::pi * direction.along(dx, dy) / wavelength) * bell(dx, dy, sigma);
    });
    const double mean = plane.sum();
    const Plane even = gaussian(size, sigma);
    for (std::size_t i = 0; i < plane.weights.size(); ++i) plane.weights[i] -= mean * even.weights[i];
    return plane.answer_to_a_step();
  });
}

// The eight neighbours clockwise from the right, and the centre. `turns`: by so many eighths it can be turned before it
// is the same again.
struct Operator {
  double ring[8], centre;
  int turns;
};
constexpr Operator operators[] = {
    {{2, 1, 0, -1, -2, -1, 0, 1}, 0, 8},     // Sobel
    {{10, 3, 0, -3, -10, -3, 0, 3}, 0, 8},   // Scharr
    {{1, 1, 0, -1, -1, -1, 0, 1}, 0, 8},     // Prewitt
    {{-1, -1, 2, -1, -1, -1, 2, -1}, 2, 4},  // a line
    {{1, 0, 1, 0, 1, 0, 1, 0}, -4, 2},       // Laplace, of four neighbours
    {{1, 1, 1, 1, 1, 1, 1, 1}, -8, 1},       // Laplace, of all eight
};

Plane turned(const Operator& op, int eighths, int size) {
  constexpr int x[] = {1, 1, 0, -1, -1, -1, 0, 1}, y[] = {0, 1, 1, 1, 0, -1, -1, -1};
  Plane plane{size};
  plane.at(0, 0) = op.centre;
  for (int i = 0; i < 8; ++i) plane.at(x[(i + eighths) % 8], y[(i + eighths) % 8]) = op.ring[i];
  return plane.answer_to_a_step();
}

// x, y, then the diagonals, then the same with the other sign: what fewer maps show is what more maps begin with.
std::vector<Plane> all_turned(int size) {
  std::vector<Plane> planes;
  for (const int eighths : {0, 2, 1, 3, 4, 6, 5, 7})
    for (const Operator& op : operators)
      if (eighths < op.turns) planes.push_back(turned(op, eighths, size));
  return planes;
}

Filter sobel(int maps, int channels, int size) {
  const std::vector<Plane> planes = size == 1 ? std::vector<Plane>{} : all_turned(size);
  return grey_bank("sobel", maps, channels, size,
                   [&](int map, int) { return planes[static_cast<std::size_t>(map) % planes.size()]; });
}

// A colour in the centre against its opponent around it. The opponents of C channels: the first against the second
// (red, green), each further one against the mean of those before it (blue against yellow), light against dark.
Filter colours(int maps, int channels, int size) {
  Filter bank = empty_bank("colours", maps, channels, size);
  const int sizes = (maps + channels - 1) / channels;
  for (int map = 0; map < maps; ++map) {
    const double sigma = grown(map / channels, sizes, 0.3, 0.3 + 0.25 * (size / 2));
    Plane centre = gaussian(size, sigma);
    const Plane around = gaussian(size, 2 * sigma);
    const int colour = map % channels + 1;
    if (colour == channels) {
      for (std::size_t i = 0; size > 1 && i < centre.weights.size(); ++i) centre.weights[i] -= around.weights[i];
      put_grey(bank, map, size > 1 ? centre.answer_to_a_step() : centre);
      continue;
    }
    const bool first = colour == 1;  // red is what the first is for, and it comes before green
    put(bank, map, first ? 0 : colour, centre);
    for (int other = first ? 1 : 0; other < (first ? 2 : colour); ++other)
      put(bank, map, other, around, first ? -1.0 : -1.0 / colour);
  }
  return bank;
}

Filter blur(int maps, int channels, int size) {
  Filter bank = empty_bank("blur", maps, channels, size);
  for (int map = 0; map < maps; ++map) put_grey(bank, map, gaussian(size, grown(map, maps, 0.3, widest_sigma(size))));
  return bank;
}

Filter identity(int maps, int channels, int size) {
  Filter bank = empty_bank("identity", maps, channels, size);
  Plane plane{size};
  plane.at(0, 0) = 1;
  for (int map = 0; map < maps; ++map) put(bank, map, map % channels, plane);
  return bank;
}

// Box and Muller's normal numbers: those of the standard library differ from one library to the next.
Filter random(int maps, int channels, int size) {
  Filter bank = empty_bank("random", maps, channels, size);
  std::seed_seq seed{maps, channels, size};
  std::mt19937 numbers(seed);
  const auto even = [&] { return (numbers() + 0.5) / 4294967296.0; };  // above 0, below 1
  const double deviation = std::sqrt(2.0 / (static_cast<double>(channels) * size * size));
  for (float& weight : bank.weights) {
    const double length = std::sqrt(-2 * std::log(even())), angle = 2 * std::numbers::pi * even();
    weight = static_cast<float>(deviation * length * std::cos(angle));
  }
  return bank;
}

constexpr BankKind kinds[] = {
    {"edges", "Edges",
     "Each map responds to edges in one direction: it is bright where the picture gets lighter that way.", edges},
    {"gabor", "Gabor", "Each map responds to lines and stripes in one direction, as cells of the visual cortex do.",
     gabor},
    {"sobel", "Sobel and kin",
     "The classic filters of 3 × 3 in turn: Sobel, Scharr, Prewitt, lines and Laplace, turned from map to map.", sobel},
    {"colours", "Colour opponents",
     "A colour in the centre against its opponent around it: red and green, blue and yellow, light and dark.", colours},
    {"blur", "Blur", "Gaussians from narrow to wide: each map shows the brightness with less detail than the last.",
     blur},
    {"identity", "Identity", "Each map is one channel as it is: red, green, blue, and so on in turn.", identity},
    {"random", "Random", "Random weights, drawn as He et al. draw them before a network learns.", random},
};

}  // namespace

std::span<const BankKind> bank_kinds() { return kinds; }

const BankKind* find_bank_kind(std::string_view id) {
  const auto found = std::ranges::find(kinds, id, &BankKind::id);
  return found == std::end(kinds) ? nullptr : found;
}

Filter over_one_channel(const Filter& bank, int frames) {
  Filter one = bank;
  one.channels = frames;
  one.weights.clear();
  const std::size_t taps = static_cast<std::size_t>(bank.taps()),
                    of_a_frame = taps * static_cast<std::size_t>(bank.channels / frames);
  for (std::size_t first = 0; first < bank.weights.size(); first += of_a_frame)
    for (std::size_t tap = 0; tap < taps; ++tap) {
      double sum = 0;
      for (std::size_t i = first + tap; i < first + of_a_frame; i += taps) sum += bank.weights[i];
      one.weights.push_back(static_cast<float>(sum));
    }
  return one;
}

Filter over_frames(const Filter& bank, int frames) {
  if (frames == 1) return bank;
  Filter spread = bank;
  spread.channels = bank.channels * frames;
  spread.weights.clear();
  const auto of_a_map = static_cast<std::ptrdiff_t>(bank.channels) * bank.taps();
  for (auto map = bank.weights.begin(); map != bank.weights.end(); map += of_a_map)
    for (int frame = 0; frame < frames; ++frame)
      std::transform(map, map + of_a_map, std::back_inserter(spread.weights),
                     [&](float weight) { return weight / static_cast<float>(frames); });
  return spread;
}

}  // namespace convoscope
