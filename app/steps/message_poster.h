#pragma once
// What the steps have to tell: a message in the window and a line of the log, with the time on the program's clock.
#include <chrono>
#include <string>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

class MessagePoster {
 public:
  explicit MessagePoster(std::vector<Message>& messages) : messages_(messages) {}  // they outlive this

  // A new message takes the place of the one before it of the same subject.
  void post(MessageLevel, const std::string& text, const std::string& subject = {},
            const std::vector<MessageButton>& buttons = {}) const;
  void withdraw(const std::string& subject) const;  // what is answered, or true no more
  double seconds() const {                          // since the program started
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::vector<Message>& messages_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace convoscope
