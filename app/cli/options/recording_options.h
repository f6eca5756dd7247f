#pragma once
// --record FILE and how it is recorded.
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/options/options.h"

namespace convoscope {

Options recording_options(const char* group);

// What the row at hand names, a file that can be written and that ends in one of these; any, where there are none.
// Throws Error.
std::filesystem::path output_file(Reading&, const std::vector<std::string>& extensions);

}  // namespace convoscope
