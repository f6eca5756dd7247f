#include "app/stages/teller.h"

#include "app/files/log.h"
#include "app/state/message_list.h"

namespace convoscope {

void Teller::tell(MessageLevel level, const std::string& text, const std::string& subject,
                  const std::string& session) const {
  tell(Message{level, text, 0, subject, session});
}

void Teller::tell(Message message) const {
  message.seconds = seconds();
  log::say(message.level == MessageLevel::error     ? log::Level::error
           : message.level == MessageLevel::warning ? log::Level::warning
                                                    : log::Level::information,
           message.text);
  post_message(messages_, std::move(message));
}

}  // namespace convoscope
