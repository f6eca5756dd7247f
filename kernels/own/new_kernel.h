#pragma once
// Kernel files to begin with: a plain one, or a lesson of the ladder copied out.
#include <optional>
#include <string>
#include <vector>

#include "kernels/contract/kind.h"

namespace convoscope::own {

struct NewKernel {
  const Kind* kind = &image_kind;
  std::optional<PixelFormat> format;  // none: for all of the kind's
  std::string fork;                   // a strategy's id; empty: the plain one
};

// Throws Error with a sentence: a kind without kernel files, a format that the kind has not, a strategy that cannot be
// copied out.
std::string new_kernel_text(const NewKernel&);

std::vector<std::string> forkable(const Kind&);  // ids, in the order of the ladder

// What an editor's language server is told of `file`, a path: how the emulated device's compiler is called.
std::string compile_commands_text(const std::string& file);

}  // namespace convoscope::own
