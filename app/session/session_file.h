#pragma once
// A session in a file of its own, in a screenshot or in a recording.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session_trust.h"
#include "app/state/settings.h"

namespace convoscope {

// The key of the text in a PNG and in the metadata of a recording.
inline constexpr const char* session_key = "convoscope";

// Whether the name is one that a session can be in; looks at nothing but the name.
bool may_hold_session(const std::string& name);
bool is_picture_or_recording(const std::string& name);  // of these one that also plays

struct SessionFile {
  nlohmann::json object;
  std::string remark;  // what could not be read of it, a sentence
};
// Nothing when the file is readable and holds no session (a filter, any picture). Throws Error when it cannot be read.
// Not for the window's thread.
std::optional<SessionFile> read_session_file(const std::string& path);

struct Restored {
  Settings settings;
  double position = 0;               // in the source, seconds
  std::vector<std::string> remarks;  // what is not as it was, sentences
  std::string skipped;               // the names of values that make no sense
  std::vector<SessionOffer> offers;  // what it names and was not opened
};
// `holder`: the file that it was in. What is not the session's stays as in `machine`, and so does the folder for
// recordings unless the session is the program's own. A source that is gone or only offered gives the test pattern;
// `plays`: what is to be said to play then, where the command line has named something else.
inline constexpr const char* test_pattern_plays = "the test pattern";
Restored restore_session(const SessionFile&, const std::string& holder, const Settings& machine, SessionOrigin,
                         const std::string& plays = test_pattern_plays);
// The same of the file that the program keeps by itself: its KeptFile tells what was skipped.
Restored restore_kept_session(const nlohmann::json&, const std::string& holder, const Settings& machine,
                              SessionOrigin = SessionOrigin::own, const std::string& plays = test_pattern_plays);

// The session in a file that was named on the command line; throws Error when there is none.
Restored open_session(const std::string& path, const Settings& machine, const std::string& plays = test_pattern_plays);

// Where an embedded session's source is: its folder was left out, so it is looked for beside the file that held it and
// among the recent sources. Empty when it is nowhere.
std::string find_source(const std::string& name, const std::string& holder, const std::vector<std::string>& recent);

// The input with the whole path of a file, wherever the program is started from next.
std::string whole_source(const std::string& input);

// Whether the source names a file, and that is not there.
bool is_gone(const std::string& input);

}  // namespace convoscope
