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

// The exit code of a line for bash in `folder`, any part of a pipe failing it. The program is "$CONVOSCOPE" there.
int bash(const std::string& folder, const std::string& line);

std::string output_of(const std::string& command);
std::string probe(const std::string& file, const std::string& arguments);  // ffprobe's CSV
std::vector<double> times(const std::string& file);  // of its pictures, in seconds; none: no video

// A shell command that makes test data; throws std::runtime_error when it fails.
void shell(const std::string& command);

}  // namespace convoscope
