#include "app/learn/learnt_banks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/learn/network.h"

namespace convoscope {
namespace {

constexpr float small_weights = 0.1f;  // of those that a single layer begins with
constexpr int further_size = 3;        // of the filters of the layers behind the first
constexpr float of_the_last = 0.1f;    // of its initial weights: a residual network begins with hardly any

bool have_the_same_values(const Filter& one, const Filter& other) {
  return is_of_a_shape(one, other) && one.weights == other.weights && one.biases == other.biases;
}

}  // namespace

bool is_finite(const Filter& bank) {
  const auto all = [](const std::vector<float>& values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  };
  return all(bank.weights) && all(bank.biases);
}

bool is_of_a_shape(const Filter& one, const Filter& other) {
  return one.maps == other.maps && one.channels == other.channels && one.width == other.width &&
         one.weights.size() == other.weights.size() && one.biases.size() == other.biases.size();
}

bool are_of_a_shape(const std::vector<Filter>& some, const std::vector<Filter>& others) {
  return std::ranges::equal(some, others, is_of_a_shape);
}

bool all_have_the_same_values(const std::vector<Filter>& some, const std::vector<Filter>& others) {
  return std::ranges::equal(some, others, have_the_same_values);
}

Filter with_weights(Filter bank, const Filter& learnt) {
  bank.name = "learnt";
  bank.biases = learnt.biases;
  if (bank.channels == learnt.channels) {
    bank.weights = learnt.weights;
    return bank;
  }
  const std::size_t taps = static_cast<std::size_t>(bank.taps()), channels = static_cast<std::size_t>(bank.channels);
  for (std::size_t i = 0; i < bank.weights.size(); ++i)
    bank.weights[i] = learnt.weights[i / (taps * channels) * taps + i % taps] / static_cast<float>(channels);
  return bank;
}

Filter small_random_bank(Filter bank) {
  bank.weights = find_bank_kind("random")->make(bank.maps, bank.channels, bank.width).weights;
  for (float& weight : bank.weights) weight *= small_weights;
  std::ranges::fill(bank.biases, 0.0f);
  bank.name = "learnt";
  return bank;
}

Filter first_of_several(Filter bank) {
  bank.biases.assign(static_cast<std::size_t>(bank.maps), 0.0f);
  bank.name = "learnt";
  return initial_bank(std::move(bank), 1);
}

std::vector<Filter> further_layers(const Filter& first, int layers, int colours) {
  std::vector<Filter> banks;
  for (int i = 1; i < layers; ++i) {
    const bool last = i == layers - 1;
    Filter bank{.name = "learnt", .width = further_size, .height = further_size};
    bank.maps = last ? colours : first.maps;
    bank.channels = first.maps;
    bank.relu = !last;
    bank.biases.resize(static_cast<std::size_t>(bank.maps));
    bank.weights.resize(bank.biases.size() * static_cast<std::size_t>(bank.channels * bank.taps()));
    banks.push_back(std::move(bank));
  }
  return banks;
}

std::vector<Filter> with_initial_weights(std::vector<Filter> banks) {
  unsigned seed = 1;  // the first layer's
  for (Filter& bank : banks) bank = initial_bank(std::move(bank), ++seed);
  if (!banks.empty())
    for (float& weight : banks.back().weights) weight *= of_the_last;
  return banks;
}

}  // namespace convoscope
