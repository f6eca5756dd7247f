// Networks that were made by hand, out of the banks of the catalogue, and one that was learnt
// (tests/app/learn/denoise_test.cpp).
#include <algorithm>
#include <utility>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"

namespace convoscope {
namespace {

Filter zero_bank(std::string name, int maps, int channels, int size) {
  Filter bank{.name = std::move(name), .width = size, .height = size, .maps = maps, .channels = channels};
  bank.weights.resize(static_cast<std::size_t>(maps * channels * size * size));
  return bank;
}

// The plane times the factor, on top of what the map has for that channel.
void add_plane(Filter& bank, int map, int channel, const std::vector<float>& plane, float factor) {
  const std::size_t first = static_cast<std::size_t>(map * bank.channels + channel) * plane.size();
  for (std::size_t i = 0; i < plane.size(); ++i) bank.weights[first + i] += factor * plane[i];
}

std::vector<float> blur_plane(int size) { return find_bank_kind("blur")->make(1, 1, size).weights; }
std::vector<float> pixel_plane(int size) { return find_bank_kind("identity")->make(1, 1, size).weights; }

// min(a, b) = a − max(0, a − b): a corner is where edges of two directions at right angles are both there.
std::vector<NetworkLayer> corner_layers() {
  constexpr int directions = 4, pairs = directions / 2;
  Filter both_ways = find_bank_kind("edges")->make(directions, 3, 3);
  const std::size_t count = both_ways.weights.size();
  for (std::size_t i = 0; i < count; ++i) both_ways.weights.push_back(-both_ways.weights[i]);  // the other way
  both_ways.maps *= 2;

  const std::vector<float> blur = blur_plane(5);
  Filter strengths = zero_bank("strengths", directions + pairs, 2 * directions, 5);
  for (int channel = 0; channel < 2 * directions; ++channel) {
    const int direction = channel % directions;
    add_plane(strengths, direction, channel, blur, 1);
    add_plane(strengths, directions + direction % pairs, channel, blur, direction < pairs ? 1.0f : -1.0f);
  }

  Filter least = zero_bank("corners", directions + pairs, directions + pairs, 1);
  for (int map = 0; map < directions; ++map) add_plane(least, map, map, {1}, 1);
  for (int pair = 0; pair < pairs; ++pair) {
    add_plane(least, directions + pair, pair, {1}, 1);
    add_plane(least, directions + pair, directions + pair, {1}, -1);
  }

  Filter coarse = zero_bank("coarse", directions + pairs, 1, 5);
  for (int map = 0; map < coarse.maps; ++map) add_plane(coarse, map, 0, blur, 1);
  NetworkLayer last = padded_layer(std::move(coarse), false);
  last.groups = directions + pairs;
  return {padded_layer(std::move(both_ways), true, true), padded_layer(std::move(strengths), true),
          padded_layer(std::move(least), true, true), std::move(last)};
}

// Each colour alone. What is sharpened is what the blur has left, by as much as it takes to see it.
std::vector<NetworkLayer> blur_sharpen_layers() {
  constexpr int size = 5;
  constexpr float strength = 2;
  const std::vector<float> blur = blur_plane(size);
  Filter blurred = zero_bank("blur", 3, 3, size), sharpened = zero_bank("sharpen", 3, 3, size);
  for (int colour = 0; colour < 3; ++colour) {
    add_plane(blurred, colour, colour, blur, 1);
    add_plane(sharpened, colour, colour, pixel_plane(size), 1 + strength);
    add_plane(sharpened, colour, colour, blur, -strength);
  }
  return {padded_layer(std::move(blurred), false), padded_layer(std::move(sharpened), false)};
}

constexpr NetworkKind made_networks[] = {
    {"corners", "Edges and corners",
     "Four layers, made by hand: edges, how strong they are in each of four directions, corners where two directions "
     "at right angles meet, and the same at a coarser scale. The last two of the six maps are the corners.",
     corner_layers},
    {"blur-sharpen", "Blur, then sharpen",
     "Two layers, made by hand: a Gaussian blurs each colour, and an unsharp mask brings back what it can.",
     blur_sharpen_layers},
    {"denoise", "Denoise",
     "Two layers that take noise off, learnt by this program from the test pattern and from discs that drift over each "
     "other, with noise of 20 code values added. Of that noise, it takes 6.2 dB off frames of the pattern that it has "
     "not seen, and 6.5 dB off a clip of other discs.",
     [] { return parse_network(learnt_denoiser); }},
};

}  // namespace

std::span<const NetworkKind> network_kinds() { return made_networks; }

const NetworkKind* find_network_kind(std::string_view id) {
  const auto found = std::ranges::find(made_networks, id, &NetworkKind::id);
  return found == std::end(made_networks) ? nullptr : found;
}

}  // namespace convoscope
