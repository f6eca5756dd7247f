#include "app/steps/message_poster.h"

#include "app/files/log.h"
#include "app/state/message_list.h"

namespace convoscope {

void MessagePoster::post(MessageLevel level, const std::string& text, const std::string& subject,
                         const std::vector<MessageButton>& buttons) const {
  log::say(level == MessageLevel::error     ? log::Level::error
           : level == MessageLevel::warning ? log::Level::warning
                                            : log::Level::information,
           text);
  post_message(messages_, {level, text, seconds(), subject, buttons});
}

void MessagePoster::withdraw(const std::string& subject) const { withdraw_message(messages_, subject); }

}  // namespace convoscope
