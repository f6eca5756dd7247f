#pragma once
// A compiled kernel file at work in a process of its own, and what that process tells.
#include <string>
#include <vector>

#include "kernels/own/grade.h"

namespace convoscope::own {

struct Told {
  int asked = 0, not_asked = 0;
  std::vector<std::pair<std::string, int>> why_not_asked;
  std::vector<Fault> faults;
  std::vector<std::string> stories;  // of outputs, the commonest first
  std::string first_wrong, worst;
  bool wrong = false, secret_only = false;
  std::string not_confined;         // a sentence; empty: it was
  std::vector<std::uint64_t> code;  // of the tally's places
  Tally tally;                      // places and sums alone
  std::string unusable;             // why it could not be run at all, and where
  Place unusable_at;
  bool whole = false;  // it came to its end
};

// Forks; waits for the child, which is killed when it says nothing for longer than a launch may take, or when this
// thread is asked to stop. A crash, or a launch beyond the deadline, is a fault of what is returned.
Told run_in_child(const KernelFile&, const Compiled&, const GradeOptions&);

}  // namespace convoscope::own
