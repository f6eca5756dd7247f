#pragma once
// Where the program keeps what it remembers, and which of several windows keeps what.
#include <filesystem>
#include <string>

namespace convoscope {

// $XDG_CONFIG_HOME/convoscope/settings.json, else ~/.config/…; empty when neither variable is set.
std::filesystem::path settings_path();
// $XDG_STATE_HOME/convoscope/session.json, else ~/.local/state/….
std::filesystem::path session_path();

// The session file of one window, for as long as it lives: a second window at the same time has session-2.json, so that
// neither overwrites the other's. Ends with the process, however that ends.
class SessionSlot {
 public:
  SessionSlot();
  ~SessionSlot();
  SessionSlot(const SessionSlot&) = delete;
  SessionSlot& operator=(const SessionSlot&) = delete;
  const std::filesystem::path& path() const { return path_; }  // empty: nowhere to keep it
  bool first() const { return number_ == 1; }

 private:
  std::filesystem::path path_;
  int number_ = 1, lock_ = -1;
};

}  // namespace convoscope
