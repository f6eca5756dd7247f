#pragma once
// What a session names outside of itself, and how much of it is opened unasked. What somebody else made, and every
// picture and recording, opens nothing but what lies beside it: no address, no port, no camera, no other folder.
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace convoscope {

enum class SessionOrigin {
  own,      // a file that the program keeps for itself: opens what it names, and has its folder for recordings
  named,    // a session that was given by name on the command line: opens what it names
  foreign,  // any other, and whatever is in a picture or a recording
};

// Of a file that was dropped on the window or chosen in it. Looks at the disk.
SessionOrigin origin_of_opened(const std::string& holder);
SessionOrigin origin_of_named(const std::string& holder);

// Something that is opened only when the user says so.
struct SessionOffer {
  std::string holder;           // the file that names it
  std::string what;             // "the address 'https://…'"
  std::string source, weights;  // an INPUT, or the file or folder of a network: the other is empty
};
std::string question_of(const SessionOffer&);    // sentences, beside a button
std::string why_not_taken(const SessionOffer&);  // where nobody can be asked

// What to make of a name: a whole path to use, or what to ask about; neither when it is nowhere.
struct ForeignName {
  std::string path;
  std::string asked;
};
// The source of a foreign session. Looks at nothing but the folder of the holder and the names in `recent`.
ForeignName foreign_source(const std::string& name, const std::string& holder, const std::vector<std::string>& recent);
SessionOffer source_offer(const std::string& input, const std::string& holder);

// Takes the path of its network out of a foreign session, or makes it a whole one where that lies beside the holder.
// `missing` becomes its name where it is nowhere.
std::optional<SessionOffer> settle_foreign_network(nlohmann::json& session, const std::string& holder,
                                                   std::string& missing);

}  // namespace convoscope
