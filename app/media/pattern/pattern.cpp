#include "app/media/pattern/pattern.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "app/media/pattern/bitmap_font.h"
#include "app/media/pattern/pattern_parts.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

struct Moment {
  std::int64_t number;
  double phase, seconds;
};

// One picture of the pattern: what stands still is drawn once, what moves for every frame over it.
struct Kind {
  const char* name;                              // and its caption, with spaces
  void (*still)(const Canvas&);                  // null: everything moves
  void (*moving)(const Canvas&, const Moment&);  // null: nothing moves
  bool moving_covers_all;                        // then the still picture need not be copied
};

constexpr Kind kinds[] = {
    {"zone-plate", nullptr, [](const Canvas& c, const Moment& m) { draw_zone_plate(c, 13 * m.phase); }, true},
    {"siemens-star", draw_siemens_star, nullptr, false},
    {"slanted-edges", draw_slanted_edges, nullptr, false},
    {"gradients", draw_gradients, nullptr, false},
    {"text", draw_text, [](const Canvas& c, const Moment& m) { draw_counter(c, m.number, m.seconds); }, false},
    {"motion", draw_motion_ground, [](const Canvas& c, const Moment& m) { draw_motion(c, m.phase); }, false},
    {"noise", nullptr, [](const Canvas& c, const Moment& m) { draw_noise(c, m.number); }, true},
};

constexpr Pixel ground = rgb(14, 16, 22), caption_colour = rgb(128, 136, 156);

std::string caption_of(const Kind& kind) {
  std::string caption = kind.name;
  std::ranges::replace(caption, '-', ' ');
  return caption;
}

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kinds)
    if (name == kind.name) return &kind;
  return nullptr;
}

}  // namespace

struct Pattern::Card {
  const Kind* kind;
  int x, y, width, height;
};

const std::vector<std::string>& Pattern::names() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> all{"all"};
    for (const Kind& kind : kinds) all.emplace_back(kind.name);
    return all;
  }();
  return list;
}

Pattern::~Pattern() = default;

Pattern::Pattern(std::string_view name, int width, int height, double rate)
    : width_(width), height_(height), corner_(0), rate_(rate) {
  frames_ = std::max<std::int64_t>(1, std::llround(seconds * rate));
  // Captions need room; small pictures, and those chosen by name, are one card without a frame.
  if (const Kind* chosen = find_kind(name)) {
    cards_.push_back({chosen, 0, 0, width, height});
  } else if (name != "all") {
    std::string known;
    for (const std::string& each : names()) known += (known.empty() ? "" : ", ") + each;
    throw Error("There is no pattern named '" + std::string(name) + "'. The patterns are: " + known + ".");
  } else if (std::min(width, height) < 160) {
    cards_.push_back({find_kind("zone-plate"), 0, 0, width, height});
  } else {
    // The zone plate in the middle, three cards on either side of it: left and right, or above and below.
    const bool wide = width >= height;
    const int length = wide ? width : height, breadth = wide ? height : width;
    const int unit = std::max(1, breadth / 360), gap = 8 * unit, caption = (line_advance + 4) * unit;
    corner_ = 5 * unit;
    const int hero = std::clamp(breadth - 2 * gap, length * 2 / 5, length * 11 / 20);
    const int before = (length - hero - 4 * gap) / 2;
    const auto place = [&](std::string_view kind, int along, int across, int along_size, int across_size) {
      Card card{find_kind(kind), along, across, along_size, across_size};
      if (!wide) card = {card.kind, across, along, across_size, along_size};
      if (kind != "zone-plate") card.height -= caption;
      cards_.push_back(card);
    };
    const auto side = [&](int along, int size, std::initializer_list<const char*> three,
                          std::initializer_list<int> shares) {
      int across = gap;
      const int room = breadth - 4 * gap;
      auto share = shares.begin();
      for (const char* each : three) {
        const int across_size = room * *share++ / 100;
        place(each, along, across, size, across_size);
        across += across_size + gap;
      }
    };
    place("zone-plate", 2 * gap + before, gap, hero, breadth - 2 * gap);
    side(gap, before, {"siemens-star", "slanted-edges", "gradients"}, {43, 29, 28});
    side(3 * gap + before + hero, length - before - hero - 4 * gap, {"text", "motion", "noise"}, {36, 37, 27});
  }

  still_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const Canvas all{still_.data(), width, height, width};
  all.fill(ground);
  const int unit = std::max(1, std::min(width, height) / 360);
  const auto captioned = [](const Card& card) { return std::string_view(card.kind->name) != "zone-plate"; };
  const bool captions = corner_ > 0 && std::ranges::all_of(cards_, [&](const Card& card) {
                          const int length = static_cast<int>(std::string_view(card.kind->name).size());
                          return !captioned(card) || (length * glyph_advance + 2) * unit <= card.width;
                        });
  for (const Card& card : cards_) {
    const Canvas canvas = all.part(card.x, card.y, card.width, card.height);
    if (card.kind->still) card.kind->still(canvas);
    if (captions && captioned(card))
      draw_text_line(all, card.x + 2 * unit, card.y + card.height + 4 * unit, unit, caption_colour,
                     caption_of(*card.kind));
  }
}

namespace {

// Lays the ground over what lies outside of the card's rounded corners.
void round_corners(const Canvas& canvas, int radius) {
  for (int y = 0; y < std::min(radius, canvas.height); ++y)
    for (int x = 0; x < std::min(radius, canvas.width); ++x) {
      const double outside = std::hypot(radius - x - 0.5, radius - y - 0.5) - radius + 0.5;
      if (outside <= 0) continue;
      const auto blend = [&](int px, int py) {
        Pixel& pixel = canvas.row(py)[px];
        pixel = mix(pixel, ground, static_cast<float>(outside));
      };
      blend(x, y), blend(canvas.width - 1 - x, y);
      blend(x, canvas.height - 1 - y), blend(canvas.width - 1 - x, canvas.height - 1 - y);
    }
}

}  // namespace

void Pattern::draw(std::int64_t number, const Image& rgba) const {
  const std::int64_t in_period = ((number % frames_) + frames_) % frames_;
  const Moment moment{number, static_cast<double>(in_period) / static_cast<double>(frames_),
                      static_cast<double>(in_period) / rate_};
  const Canvas out{static_cast<Pixel*>(rgba.data), width_, height_,
                   static_cast<std::ptrdiff_t>(rgba.pitch / sizeof(Pixel))};

  // Copy what stands still, leaving out the columns of a card that is drawn anew in all its height.
  const Card& first = cards_.front();
  const bool skip = first.kind->moving_covers_all;
  for (int y = 0; y < height_; ++y) {
    const Pixel* from = still_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
    const bool hole = skip && y >= first.y && y < first.y + first.height;
    const int left = hole ? first.x : width_, right = hole ? first.x + first.width : width_;
    std::memcpy(out.row(y), from, static_cast<std::size_t>(left) * sizeof(Pixel));
    std::memcpy(out.row(y) + right, from + right, static_cast<std::size_t>(width_ - right) * sizeof(Pixel));
  }
  for (const Card& card : cards_) {
    const Canvas canvas = out.part(card.x, card.y, card.width, card.height);
    if (card.kind->moving) card.kind->moving(canvas, moment);
    if (corner_ > 0) round_corners(canvas, corner_);
  }
}

}  // namespace convoscope
