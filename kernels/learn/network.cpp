#include "kernels/learn/network.h"

#include <algorithm>
#include <cmath>

#include "kernels/learn/loss.h"

namespace convoscope {

Network network_of(const Problem& first, std::span<const Filter> further) {
  Network network{first};
  for (const Filter& bank : further) {
    const LayerExtents before = layer_extents(network.back());
    Problem next = first;
    next.width = before.out_width;
    next.height = before.out_height;
    next.filter = bank;
    next.layer = {.pass = Pass::forward,
                  .samples = first.layer.samples,
                  .channels = before.maps,
                  .maps = bank.maps,
                  .padding = bank.width / 2};
    network.push_back(std::move(next));
  }
  return network;
}

std::vector<Filter> banks_of(const Network& network) {
  std::vector<Filter> banks;
  for (const Problem& layer : network) banks.push_back(layer.filter);
  return banks;
}

Filter initial_bank(Filter bank, unsigned seed) {
  const float deviation = std::sqrt(2.0f / static_cast<float>(bank.channels * bank.taps()));
  bank.weights.resize(static_cast<std::size_t>(bank.maps) * static_cast<std::size_t>(bank.channels * bank.taps()));
  for (std::size_t i = 0; i < bank.weights.size(); ++i)
    bank.weights[i] = deviation * learning::normal_number(static_cast<std::uint32_t>(i), seed);
  std::ranges::fill(bank.biases, 0.0f);
  return bank;
}

}  // namespace convoscope
