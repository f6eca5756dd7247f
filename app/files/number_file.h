#pragma once
// Small data as a user gives them: written out, or a file of them.
#include <string>
#include <vector>

#include "kernels/text/number_grid.h"

namespace convoscope {

// "8 2 5; 4 1 7", what made_grid() makes ("ones:16x16"), or the name of a file of such a text or, where it ends so, of
// NumPy's (.npy, one to three dimensions). `what` begins the sentences of what is wrong: "The input". What became of a
// file's numbers is added to `remarks`, in sentences. Reads the file in the calling thread, up to 64 MiB. Throws Error.
NumberGrid read_numbers(const std::string& text, const std::string& what, std::vector<std::string>& remarks);

}  // namespace convoscope
