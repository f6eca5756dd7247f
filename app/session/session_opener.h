#pragma once
// Looks into a file for a session beside the window's thread: a disk may be slow.
#include <chrono>
#include <future>
#include <optional>
#include <string>

#include "app/session/session_file.h"
#include "kernels/text/error.h"

namespace convoscope {

class SessionOpener {
 public:
  enum class Wish { session, whatever_is_in_it, only_to_know };
  struct Result {
    std::string path;
    Wish wish;
    std::optional<SessionFile> file;
    std::string problem;
  };

  // One at a time: a newer one waits for the one under way, whose result is dropped.
  void start(const std::string& path, Wish wish) {
    under_way_ = std::async(std::launch::async, [path, wish] {
      Result result{path, wish, {}, {}};
      try {
        result.file = read_session_file(path);
        if (!result.file) result.problem = "'" + path + "' holds no session.";
      } catch (const Error& error) {
        result.problem = error.what();
      }
      return result;
    });
  }
  std::optional<Result> poll() {
    if (!under_way_.valid() || under_way_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    return under_way_.get();
  }

 private:
  std::future<Result> under_way_;  // its thread owns what it uses, and is joined when this goes
};

}  // namespace convoscope
