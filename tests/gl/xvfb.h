#pragma once
// A display of its own for a test: Xvfb on a free number, in DISPLAY while this lives.
#include <string>

namespace convoscope {

class Xvfb {
 public:
  Xvfb(int width, int height);  // throws std::runtime_error when it does not start
  ~Xvfb();
  Xvfb(const Xvfb&) = delete;
  Xvfb& operator=(const Xvfb&) = delete;
  const std::string& display() const { return display_; }

 private:
  int process_ = 0;
  std::string display_;
};

// What a command writes to its standard output; throws std::runtime_error when it fails.
std::string output_of(const std::string& command);

}  // namespace convoscope
