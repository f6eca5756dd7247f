#pragma once
// The named banks of a convolutional layer, as data: the panel, the command line and the tests read this table.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/data/filter.h"

namespace convoscope {

struct BankKind {
  std::string_view id, title, idea;  // idea: one sentence on what its maps show
  // maps × channels filters of size × size (odd), Filter::is_bank(); the same numbers whenever it is asked. Channels:
  // red, green and blue where there are three.
  Filter (*make)(int maps, int channels, int size);
};

std::span<const BankKind> bank_kinds();
const BankKind* find_bank_kind(std::string_view id);  // null when there is none

// The bank for pictures of one channel that stands for all: each map's filters added up, those of each of the frames.
Filter over_one_channel(const Filter& bank, int frames = 1);
// For the channels of so many frames, the oldest first: each has the same weights, and all together as much weight.
Filter over_frames(const Filter& bank, int frames);

// As a file: {"name", "maps", "channels", "width", "height", "weights"[, "biases", "relu"]} (.json), or an array of
// shape [M, C, K, K] (.npy), which has neither name, biases nor relu. Of numbers that are not float32 it adds a
// sentence to `remarks`. Throws Error naming the file and what is wrong.
Filter load_bank(const std::string& path, std::vector<std::string>* remarks = nullptr);
void save_bank(const Filter& bank, const std::string& path);

// Throws Error that names the value: K out of range, more weights than a layer may have, another count of
// weights or biases than maps, channels and K ask for, NaN or infinity.
void validate_bank(const Filter&);

inline constexpr int most_bank_weights = 1 << 26;               // that a layer takes: 256 MiB
inline constexpr int most_maps = 64, largest_bank_filter = 15;  // that the window offers; a file may bring as much

}  // namespace convoscope
