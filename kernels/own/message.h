#pragma once
// What a child tells, as bytes: one JSON text at its end, or a few numbers from the handler of a signal.
#include <string>

#include "kernels/own/child.h"

namespace convoscope::own {

inline constexpr char signal_mark[8] = {'\1', 's', 'i', 'g', 'n', 'a', 'l', '\2'};
struct SignalMessage {
  char mark[8];
  int number;
  std::uint64_t code;  // relative to the library; 0: unknown
};

std::string message_of(const Told&);
bool read_message(const std::string&, Told&);  // false: it is not whole

}  // namespace convoscope::own
