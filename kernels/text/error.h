#pragma once
// The one exception for everything a user can cause or mend: what() is a plain sentence for a person, saying what
// happened, with the offending value, and how to fix it. Anything else that is thrown is a bug of ours.
#include <stdexcept>

namespace convoscope {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convoscope
