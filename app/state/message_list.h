#pragma once
// What the program has to say, one message a subject.
#include <string>
#include <utility>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

inline void withdraw_message(std::vector<Message>& messages, const std::string& subject) {
  std::erase_if(messages, [&](const Message& said) { return said.subject == subject; });
}

// The newest comes last. A message without a subject is its own: the same words are not said twice.
inline void post_message(std::vector<Message>& messages, Message message) {
  constexpr std::size_t most = 50;
  if (message.subject.empty()) message.subject = message.text;
  withdraw_message(messages, message.subject);
  messages.push_back(std::move(message));
  if (messages.size() > most) messages.erase(messages.begin());
}

}  // namespace convoscope
