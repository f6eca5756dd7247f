#pragma once
// A kernel file of the user's, judged by the emulator: compiled, run in a process of its own, compared, and told why.
#include <string>
#include <utility>
#include <vector>

#include "kernels/own/counts.h"
#include "kernels/own/kernel_file.h"

namespace convoscope::own {

struct GradeOptions {
  double deadline = 10;  // seconds a launch
  unsigned seed = 1;     // of inputs and of the secret cases
  int secret = 24;
};

struct Grade {
  enum class Verdict { right, wrong, unusable };  // unusable: it cannot be compiled or run
  Verdict verdict = Verdict::unusable;
  std::string file, kind;
  std::vector<SourceError> errors;  // of an unusable one, what is wrong with the file
  std::string source;               // its text, for carets
  int asked = 0, not_asked = 0;     // cases; a wrong file is asked until it has been wrong ten times
  std::vector<std::pair<std::string, int>> why_not_asked;  // and how many
  bool secret_only = false;                                // it was right until the secret ones
  std::string first_wrong;                                 // the case in words
  std::string worst;                                       // where it is wrong there
  std::vector<std::string> findings;                       // sentences, the likeliest cause first
  std::vector<Fault> faults;
  Counts counts;
  std::vector<std::string> why_slower;
  std::vector<std::string> trust;  // what was checked, and what could not be
  double compile_seconds = 0, run_seconds = 0;
};

// Takes seconds, and gives up when this thread is asked to stop. Throws Error where the file cannot be read or there is
// no compiler.
Grade grade(const std::string& path, const GradeOptions&);

int exit_code_of(Grade::Verdict);  // 0 right, 1 wrong, 2 unusable
const char* to_string(Grade::Verdict);

}  // namespace convoscope::own
