#pragma once
// Runs the real program as a user would.
#include <string>
#include <vector>

namespace convoscope {

struct Outcome {
  int exit_code = -1;  // -1: it ended by a signal or did not end in time
  int signal = 0;
  std::string out, err;
};

// `folder` takes its working directory's and the config folder's place. Without `may_override_permissions` the program
// obeys file permissions even when the tests run as root.
Outcome run_program(const std::vector<std::string>& arguments, const std::string& folder,
                    bool may_override_permissions = true);

// A shell command that makes test data; throws std::runtime_error when it fails.
void shell(const std::string& command);

}  // namespace convoscope
