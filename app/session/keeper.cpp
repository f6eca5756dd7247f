#include "app/session/keeper.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "app/session/json_text.h"
#include "app/session/text_file.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::json;

constexpr double look_again = 0.25, keep_position_again = 10;  // seconds

// What makes sense together only: an option that sets one of them replaces all for its run.
const std::vector<std::vector<const char*>> groups{
    {"source", "source_options"},
    {"panes", "workbench", "parked", "active_pane", "baseline_pane", "view", "split", "difference", "blink_seconds"}};

const char* leader_of(const std::string& key) {
  for (const auto& group : groups)
    for (const char* const member : group)
      if (key == member) return group.front();
  return key == "position" ? "source" : nullptr;
}

std::string session_text(Settings settings, const SessionFacts& facts) {
  settings.source.input = whole_source(settings.source.input);
  return write_json(session_json(settings, facts), 2) + '\n';
}

// To be shared: it has the rights of any new file, or those of the one that it replaces. Returns the whole path.
std::string save_session(const std::string& path, const Settings& settings, const SessionFacts& facts) {
  std::error_code error;
  std::string whole = std::filesystem::absolute(path, error).string();
  make_folders(std::filesystem::path(whole).parent_path());  // where that fails, the file cannot be made either
  try {
    write_file(whole, session_text(settings, facts), OutputFile::Use::whole_or_nothing);
  } catch (const Error& problem) {
    throw Error("The session has not been saved. " + std::string(problem.what()) + " Ctrl+S saves it elsewhere.");
  }
  return whole;
}

// Empty where the file holds other things altogether: their names may be those of a later version's values, but then
// some of this version's would be among them.
json read_kept(KeptFile& file, const json& defaults) {
  json read = file.read();
  const auto is_known = [&](const auto& entry) { return defaults.contains(entry.key()); };
  const auto entries = read.items();
  if (read.empty() || std::any_of(entries.begin(), entries.end(), is_known)) return read;
  file.note_foreign();
  return json::object();
}

}  // namespace

void show_source_beside(Settings& settings) {
  PaneSettings source = settings.active();
  source.strategy = "source";
  source.tuning.clear();
  settings.group().panes.insert(settings.group().panes.begin(), source);
  settings.group().active_pane = settings.group().baseline_pane = 1;
  settings.group().view = View::split;
}

Keeper::Keeper(Wanted wanted)
    : wanted_(std::move(wanted)), settings_(settings_path(), "settings"), session_(slot_.path(), "session") {
  remembered_.settings = default_settings();
  first_start_ = wanted_.reset;
  if (wanted_.reset) return;
  const json machine = read_kept(settings_, machine_json(remembered_.settings));
  settings_.note_skipped(read_machine(machine, remembered_.settings));
  json session = read_kept(session_, session_json(remembered_.settings, {}));
  first_start_ = machine.empty() && session.empty() && slot_.first() && !wanted_.session;
  if (wanted_.session) {
    remembered_ = open_session(*wanted_.session, remembered_.settings, wanted_.plays());
  } else {
    // A window beside another begins with what that one shows.
    const bool others = session.empty() && !slot_.first();
    if (others) session = KeptFile(convoscope::session_path(), "session").read();
    remembered_ = restore_kept_session(session, session_.path().string(), remembered_.settings, SessionOrigin::own,
                                       wanted_.plays());
    if (!others) session_.note_skipped(remembered_.skipped);
  }
  if (!wanted_.session) avoid_deadly_source();
  for (std::string& remark : remembered_.remarks) messages_.push_back(std::move(remark));
}

void Keeper::avoid_deadly_source() {
  SourceSettings& source = remembered_.settings.source;
  const FileText mark = read_small_file(opening_mark());
  if (!mark.text || source.input == SourceSettings().input || *mark.text != source.input) return;
  remembered_.remarks.push_back("The last run ended while it opened " + in_quotes(source.input) + ", so " +
                                wanted_.plays() + " plays. Open it again if that was a coincidence.");
  source = SourceSettings();
  remembered_.position = 0;
}

void Keeper::begin(const Settings& with_options) {
  given_ = with_options;
  takes_place_ = !wanted_.session;
  if (wanted_.session) opened_ = session_json(with_options, {});
  if (first_start_) {  // also without the options
    remembered_.settings.show_hint = true;
    show_source_beside(remembered_.settings);
  }
  opening_ = !session_.path().empty() && replace_file(opening_mark(), with_options.source.input).empty();
  if (wanted_.reset) {
    put_aside();
  } else {
    for (KeptFile* file : {&settings_, &session_})
      for (std::string& said : file->settle()) messages_.insert(messages_.begin(), std::move(said));
  }
}

json Keeper::without_options(json now, const json& remembered, const json& given) const {
  const auto same = [](const json& a, const json& b, const std::string& key) {
    const char* const leader = leader_of(key);
    if (!leader) return a[key] == b[key];
    for (const auto& group : groups)
      if (std::string_view(group.front()) == leader)
        for (const char* const member : group)
          if (a[member] != b[member]) return false;
    return true;
  };
  const json asked = now;
  for (const auto& [key, value] : asked.items()) {
    if (!given.contains(key) || !remembered.contains(key)) continue;
    if (!same(given, remembered, key) && same(asked, given, key)) now[key] = remembered[key];
  }
  return now;
}

std::filesystem::path Keeper::path_of_before() const {
  std::filesystem::path path = session_.path();
  return path.replace_filename(path.stem().string() + "-before.json");
}

bool Keeper::takes_place_of_kept(const Settings& settings) {
  if (takes_place_ || session_json(settings, {}) == opened_) return takes_place_;
  takes_place_ = true;
  if (session_.path().empty()) return true;
  jobs_.start([kept = session_.path(), before = path_of_before()] {
    const FileText own = read_small_file(kept);
    if (!own.text || own.text->empty() || !replace_file(before, *own.text).empty()) return std::string();
    return "What you change now is kept as your session. The one before it is kept in " + before.string() +
           "; drop that file on the window to get it back.";
  });
  return true;
}

void Keeper::keep(const Settings& settings, const Stats& stats) {
  const bool session_too = takes_place_of_kept(settings);
  kept_ = settings;
  kept_position_ = stats.source.position;
  position_kept_at_ = stats.now;
  jobs_.start([this, settings, session_too, facts = facts_of(stats)] {
    const Settings& before = remembered_.settings;
    SessionFacts earlier;
    earlier.position = remembered_.position;
    const auto whole = [](Settings changed, const SessionFacts& its) {
      changed.source.input = whole_source(changed.source.input);
      return session_json(changed, its);
    };
    std::string problem =
        settings_.write(without_options(machine_json(settings), machine_json(before), machine_json(given_)));
    const std::string second =
        session_too
            ? session_.write(without_options(whole(settings, facts), whole(before, earlier), whole(given_, earlier)))
            : std::string();
    if (!second.empty() && second != problem) problem += (problem.empty() ? "" : " ") + second;
    if (problem == told_) return std::string();
    told_ = problem;
    if (!problem.empty()) throw Error(problem);
    return std::string();
  });
}

void Keeper::follow(const Settings& settings, const Stats& stats) {
  if (looked_ >= 0 && stats.now < looked_ + look_again) return;
  looked_ = stats.now;
  if (opening_ && stats.frames_shown > 0) forget_opening();
  const bool moved = std::abs(stats.source.position - kept_position_) > 1e-3 &&
                     (settings.playback.paused || stats.now >= position_kept_at_ + keep_position_again);
  if (settings != kept_ || moved) keep(settings, stats);
}

void Keeper::finish(const Settings& settings, const Stats& stats) {
  forget_opening();
  keep(settings, stats);
  jobs_.finish();
}

void Keeper::save_as(const std::string& path, const Settings& settings, const Stats& stats) {
  jobs_.start([path, settings = Settings(settings), facts = facts_of(stats)] {
    return "Saved the session as " + save_session(path, settings, facts) +
           ". To open it, drop it on the window, or use Ctrl+O.";
  });
}

std::string Keeper::keep_before(const Settings& settings, const Stats& stats) {
  if (session_.path().empty()) return {};
  const std::filesystem::path path = path_of_before();
  jobs_.start([path, settings = Settings(settings), facts = facts_of(stats)] {
    const std::string why = replace_file(path, session_text(settings, facts));
    if (!why.empty()) throw Error("The session before this one is not kept: " + cannot_be_kept_in(path, why));
    return std::string();
  });
  return path.string();
}

void Keeper::forget_opening() {
  if (!std::exchange(opening_, false)) return;
  jobs_.start([mark = opening_mark()] {
    std::error_code ignored;
    std::filesystem::remove(mark, ignored);
    return std::string();
  });
}

void Keeper::forget_options() {
  jobs_.start([this] {
    given_ = remembered_.settings;
    return std::string();
  });
}

void Keeper::put_aside() {
  jobs_.start([this] {
    given_ = remembered_.settings;
    settings_.put_aside("before-reset");
    const std::filesystem::path aside = session_.put_aside("before-reset");
    if (aside.empty()) return std::string("Everything is back to the defaults.");
    return "Everything is back to the defaults. What was set before is kept in " + aside.string() +
           "; drop that file on the window to get it back.";
  });
}

std::optional<BackgroundJobs::Outcome> Keeper::poll() {
  if (!messages_.empty()) {
    BackgroundJobs::Outcome first{true, std::move(messages_.front())};
    messages_.erase(messages_.begin());
    return first;
  }
  while (std::optional<BackgroundJobs::Outcome> outcome = jobs_.poll())
    if (!outcome->text.empty()) return outcome;
  return {};
}

}  // namespace convoscope
