#include "app/ui/notices/message_queue.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "app/ui/actions/window_actions.h"
#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {
namespace {

constexpr double message_fade_seconds = 0.8;
constexpr double seconds_to_answer = 60, seconds_to_open = 12;  // where there is a button
constexpr double too_late = 60;        // seconds that a message has waited for a place without finding one
constexpr std::size_t most_kept = 40;  // notices that stay away

constexpr const char* filter_error_subject = "filter edit";
constexpr MessageLevel filter_error_level = MessageLevel::warning;
std::string filter_error_key() { return std::string(filter_error_subject) + '\n' + ui_state().filter_error; }

double seconds_shown(MessageLevel level) {
  return level == MessageLevel::error ? 20 : level == MessageLevel::warning ? 10 : 5;
}

double age_of(const std::string& key, double now) {
  const auto since = ui_state().shown_since.find(key);
  return since == ui_state().shown_since.end() ? 0 : now - since->second;
}

constexpr double notice_seconds = 10;
constexpr MessageLevel notice_level = MessageLevel::information;
std::array<std::pair<const char*, const std::string*>, 2> notices_of(const Stats& stats) {
  return {{{"backend", &stats.backend_notice}, {"interop", &stats.interop_notice}}};
}

void keep_away(const std::string& notice, Settings& settings) {
  if (settings.dismissed.size() >= most_kept) settings.dismissed.erase(settings.dismissed.begin());
  settings.dismissed.insert(notice);
}

// What was saved can be opened later, too, from the list; a question is there only now.
double seconds_with_buttons(const std::vector<MessageButton>& buttons) {
  const auto is_of_what_was_saved = [](const MessageButton& button) {
    return button.offer == Offer::open || button.offer == Offer::show_in_folder;
  };
  return std::ranges::all_of(buttons, is_of_what_was_saved) ? seconds_to_open : seconds_to_answer;
}

float opacity_of(const Said& said, double now) {
  const double age = age_of(said.key, now), usual = seconds_shown(said.level);
  const double shown = said.notice ? notice_seconds : said.buttons.empty() ? usual : seconds_with_buttons(said.buttons);
  if (age < shown + message_fade_seconds) draw_again_in(until_faded_further(shown - age));
  return static_cast<float>(std::clamp((shown + message_fade_seconds - age) / message_fade_seconds, 0.0, 1.0));
}

}  // namespace

void note_past_messages(const Stats& stats) {
  constexpr std::size_t most = 200;
  PastMessages& past = ui_state().past_messages;
  const auto add = [&past](MessageLevel level, const std::string& text, const std::vector<MessageButton>& buttons) {
    const auto before = std::ranges::find(past.all, text, &PastMessage::text);
    const int count = before == past.all.end() ? 0 : before->count;
    if (count > 0) past.all.erase(before);
    past.all.push_back({level, text, buttons, std::time(nullptr), count + 1});
  };
  for (std::size_t i = 0; const auto& [subject, text] : notices_of(stats)) {
    std::string& told = past.notices[i++];
    if (told != *text && !text->empty()) add(notice_level, *text, {});
    told = *text;
  }
  const std::string& refused = ui_state().filter_error;
  if (past.filter_error != refused && !refused.empty()) add(filter_error_level, refused, {});
  past.filter_error = refused;
  double until = past.until;
  for (const Message& message : stats.messages) {
    if (message.seconds <= past.until || message.text.empty()) continue;
    until = std::max(until, message.seconds);
    add(message.level, message.text, message.buttons);
  }
  past.until = until;
  if (past.all.size() > most) past.all.erase(past.all.begin());
}

std::vector<Said> what_to_say(const Stats& stats, const Settings& settings) {
  const UiState& state = ui_state();
  std::vector<Said> all;
  std::set<std::string_view> subjects;  // the newest of each
  const auto add = [&](Said said) {
    said.opacity = opacity_of(said, stats.now);
    if (said.opacity > 0) all.push_back(std::move(said));
  };
  for (auto message = stats.messages.rbegin(); message != stats.messages.rend(); ++message) {
    // While a card tells why there is no picture, telling it twice helps nobody.
    if (message->text.empty() || message->text == stats.source.error) continue;
    const std::string& subject = message->subject.empty() ? message->text : message->subject;
    if (!subjects.insert(subject).second) continue;
    const std::string key = subject + '\n' + std::to_string(message->seconds) + '\n' + message->text;
    const bool late = stats.now - message->seconds > too_late && !state.shown_since.contains(key);
    if (!late && !state.dismissed.contains(key))
      add({message->level, subject, message->text, key, false, 1, message->buttons});
  }
  if (const std::string key = filter_error_key(); !state.filter_error.empty() && !state.dismissed.contains(key))
    add({filter_error_level, filter_error_subject, state.filter_error, key, false, 1});
  for (const auto& [subject, text] : notices_of(stats))
    if (!text->empty() && !settings.dismissed.contains(*text)) add({notice_level, subject, *text, *text, true, 1});
  return all;
}

void put_told_notices_away(const Stats& stats, Settings& settings) {
  for (const auto& [subject, text] : notices_of(stats))
    if (age_of(*text, stats.now) > notice_seconds + message_fade_seconds) keep_away(*text, settings);
}

void forget_told_filter_error(double now) {
  UiState& state = ui_state();
  const std::string key = filter_error_key();
  const auto since = state.shown_since.find(key);
  const bool told = since != state.shown_since.end() &&
                    now - since->second > seconds_shown(filter_error_level) + message_fade_seconds;
  if (told || state.dismissed.erase(key) > 0) state.filter_error.clear();
  // The same sentence may be needed again.
  std::erase_if(state.shown_since, [&](const auto& each) {
    return each.first.starts_with(filter_error_subject) && (state.filter_error.empty() || each.first != key);
  });
}

void note_shown(const Said& said, double now) { ui_state().shown_since.try_emplace(said.key, now); }

bool covers_messages() {
  const Momentary& now = momentary();
  const UiState& state = ui_state();
  return now.show_help || now.show_settings || now.show_messages || state.browser.open || state.save.open;
}

void rest_messages(const Stats& stats, const Settings& settings) {
  std::map<std::string, double>& since = ui_state().shown_since;
  const double rested = ImGui::GetIO().DeltaTime;
  for (const Said& said : what_to_say(stats, settings)) {
    const auto [shown, first] = since.try_emplace(said.key, stats.now);
    if (!first) shown->second = std::min(shown->second + rested, stats.now);
  }
}

void show_notices_again(const Stats& stats, Settings& settings) {
  settings.dismissed.clear();
  ui_state().dismissed.clear();
  // The time they were there for begins anew.
  for (const auto& [subject, text] : notices_of(stats)) ui_state().shown_since.erase(*text);
  put_hint_away(settings);
  settings.show_hint = true;
}

void put_away(const Said& said, Settings& settings) {
  if (!said.notice) {
    ui_state().dismissed.insert(said.key);
    return;
  }
  keep_away(said.text, settings);
}

}  // namespace convoscope::ui
