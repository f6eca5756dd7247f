#pragma once
// What is wrong, as the program tells it.
#include <string>

#include "kernels/text/error.h"

namespace convoscope {

// what() of the Error that the call throws, or "no error".
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace convoscope
