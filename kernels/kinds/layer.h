#pragma once
#include "kernels/contract/kind.h"

namespace convoscope {

extern const Kind layer_kind;

inline constexpr int largest_layer_number = 1 << 20;  // of any single one in a shape

// Seeded by their size, so that they are the same in every run. channels: of a group.
Filter random_bank(int maps, int channels, int size);
// "N,C,H,W,M,K[,stride=…,padding=…,dilation=…,groups=…]" with a random bank. Throws Error naming what is wrong.
Problem layer_problem(const std::string& shape, Pass, bool with_weights = true);

// What the kind walks.
std::vector<Case> layer_cases(const CaseOptions&);
std::vector<Problem> layer_tuning_cases(const CaseOptions&);
std::vector<Problem> layer_benchmarks();

extern const SweepParameter layer_parameters[6];

// The same filter for every channel of every map, the channels averaged; its epilogue's bias for every map.
Filter bank_of(const Filter&, int maps, int channels);

std::vector<double> layer_reference(const Problem&, std::span<const Tensor> in);
// Of the forward pass.
std::vector<PlaneArea> layer_sources(const Problem&, const PlaneArea& part);
std::vector<double> layer_reference_of_part(const Problem&, const PlaneArea& part, std::span<const Tensor> sources);

}  // namespace convoscope
