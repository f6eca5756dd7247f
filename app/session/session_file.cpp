#include "app/session/session_file.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

#include "app/media/read/embedded_text.h"
#include "app/media/sources/source.h"
#include "app/session/json_text.h"
#include "app/session/kept_file.h"
#include "app/session/session_json.h"
#include "app/session/text_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view picture_endings[] = {".png"}, recording_endings[] = {".mkv", ".mp4", ".mov"};

std::string ending_of(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

bool is_one_of(std::string_view ending, std::span<const std::string_view> endings) {
  return std::ranges::find(endings, ending) != endings.end();
}

bool is_session(const json& object) { return object.is_object() && object.contains("panes"); }

bool names_no_one_file(const std::string& input) {
  return input.empty() || input == "-" || names_no_file(input) || input.find_first_of("%*?") != std::string::npos;
}

}  // namespace

bool is_picture_or_recording(const std::string& name) {
  const std::string ending = ending_of(name);
  return name.find("://") == std::string::npos &&
         (is_one_of(ending, picture_endings) || is_one_of(ending, recording_endings));
}

bool may_hold_session(const std::string& name) {
  const bool put_aside = fs::path(name).stem().extension() == ".json";  // "session.json.before-reset"
  return is_picture_or_recording(name) ||
         (name.find("://") == std::string::npos && (ending_of(name) == ".json" || put_aside));
}

std::optional<SessionFile> read_session_file(const std::string& path) {
  const std::string ending = ending_of(path);
  if (is_one_of(ending, picture_endings) || is_one_of(ending, recording_endings)) {
    const std::optional<std::string> text =
        is_one_of(ending, picture_endings) ? text_of_png(path, session_key) : container_text(path, session_key);
    if (!text) return {};
    JsonText read = read_json(*text);
    return is_session(read.value) ? std::optional(SessionFile{std::move(read.value), {}}) : std::nullopt;
  }
  FileText file = read_small_file(path);
  if (!file.problem.empty()) throw Error("The session " + in_quotes(path) + " " + file.problem + ".");
  if (!file.text)
    throw Error("There is no file " + in_quotes(path) +
                ", so no session was opened. Check its name, or start without it: the window then begins with what it "
                "showed last, and Ctrl+S saves a session.");
  JsonText read = read_json(*file.text);
  if (!is_session(read.value)) {
    if (!read.problem.empty() && read.value.is_object())
      throw Error(in_quotes(path) + " holds no session: the file " + read.problem + ". Mend it with a text editor.");
    return {};
  }
  SessionFile session{std::move(read.value), {}};
  if (!read.problem.empty()) session.remark = in_quotes(path) + " " + read.problem + "; what comes before it was used.";
  return session;
}

Restored restore_session(const SessionFile& file, const std::string& holder, const Settings& machine,
                         SessionOrigin origin, const std::string& plays) {
  Restored restored = restore_kept_session(file.object, holder, machine, origin, plays);
  if (!restored.skipped.empty())
    restored.remarks.insert(restored.remarks.begin(),
                            "The session " + in_quotes(holder) + " " + skipped_text(restored.skipped) + ".");
  if (!file.remark.empty()) restored.remarks.insert(restored.remarks.begin(), file.remark);
  return restored;
}

Restored restore_kept_session(const json& object, const std::string& holder, const Settings& machine,
                              SessionOrigin origin, const std::string& plays) {
  Restored restored{machine, 0, {}, {}, {}};
  Settings& settings = restored.settings;
  const bool foreign = origin == SessionOrigin::foreign;
  read_session(session_json(default_settings(), {}), settings);
  std::string no_network;
  if (foreign) {
    json checked = object;
    if (auto offer = settle_foreign_network(checked, holder, no_network)) restored.offers.push_back(*std::move(offer));
    restored.skipped = read_session(checked, settings, &restored.position);
  } else {
    restored.skipped = read_session(object, settings, &restored.position);
  }
  if (origin != SessionOrigin::own) settings.recording.folder = machine.recording.folder;
  const std::string named = settings.source.input;
  const ForeignName known = foreign ? foreign_source(named, holder, machine.recent)
                                    : ForeignName{find_source(named, holder, machine.recent), ""};
  settings.source.input = known.path;
  if (!known.asked.empty())
    restored.offers.push_back(source_offer(known.asked, holder));
  else if (known.path.empty() || is_gone(known.path))
    restored.remarks.push_back("The session's source " + in_quotes(named) + " is not there, so " + plays +
                               " plays. Everything else is as it was.");
  if (!no_network.empty())
    restored.remarks.push_back("The session's network " + in_quotes(no_network) +
                               " is not there, so its first layer stands alone. Everything else is as it was.");
  if (known.path.empty() || is_gone(known.path)) {
    settings.source = SourceSettings();
    settings.playback.loop_a = settings.playback.loop_b = std::nullopt;
    restored.position = 0;
  }
  return restored;
}

Restored open_session(const std::string& path, const Settings& machine, const std::string& plays) {
  const std::optional<SessionFile> file = read_session_file(path);
  if (!file)
    throw Error(in_quotes(path) +
                " holds no session. Give a saved session, or a screenshot or recording made by this program.");
  return restore_session(*file, path, machine, origin_of_named(path), plays);
}

std::string find_source(const std::string& name, const std::string& holder, const std::vector<std::string>& recent) {
  if (names_no_one_file(name) || fs::path(name).is_absolute()) return name;
  std::error_code error;
  const fs::path beside = fs::absolute(holder, error).parent_path() / name;
  if (fs::exists(beside, error)) return beside.string();
  for (const std::string& known : recent)
    if (fs::path(known).filename() == name && fs::exists(known, error)) return fs::absolute(known, error).string();
  return {};
}

std::string whole_source(const std::string& input) {
  std::error_code error;
  if (names_no_one_file(input) || !fs::exists(input, error)) return input;
  const fs::path whole = fs::absolute(input, error);
  return error ? input : whole.lexically_normal().string();
}

bool is_gone(const std::string& input) {
  std::error_code error;
  return !names_no_one_file(input) && !fs::exists(input, error);
}

}  // namespace convoscope
