#pragma once
// What the program tells the user, and what a message offers to do next.
#include <cstdint>
#include <string>
#include <vector>

namespace convoscope {

// By a button.
enum class Offer {
  open,
  open_anyway,
  open_next,
  show_in_folder,
  open_session,
  go_back,
  play_unfiltered,
  open_source,
  read_weights
};
struct MessageButton {
  Offer offer = Offer::open;
  std::string path{};       // of the file or folder that is meant; of open_source and open_anyway an INPUT
  std::int64_t pixels = 0;  // of open_anyway: so large a picture is then let in
  bool operator==(const MessageButton&) const = default;
};

enum class MessageLevel { information, warning, error };
struct Message {
  MessageLevel level = MessageLevel::information;
  std::string text;
  double seconds = 0;   // when, on the program's clock
  std::string subject;  // "source", "recording": a new message of the same subject replaces it
  std::vector<MessageButton> buttons{};
};

}  // namespace convoscope
