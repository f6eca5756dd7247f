#pragma once
// The session: kept while the program runs, opened from files, and set back to the defaults.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/gl/window/context.h"
#include "app/session/keeper.h"
#include "app/session/session_opener.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/state/window_side.h"
#include "app/steps/message_poster.h"

namespace convoscope {

class SessionStep {
 public:
  // `keeper`: null where nothing is to be kept. All of them outlive this.
  SessionStep(Keeper* keeper, const Invocation& invocation, const MessagePoster& poster)
      : keeper_(keeper), invocation_(invocation), poster_(poster), source_restored_(!invocation.input_given) {}

  std::vector<Place> places() const;  // where the program keeps something
  // What a file holds that is no session is left in the requests. A number: Settings::source is another session's and
  // is to be opened, at that second.
  std::optional<double> obey(Requests&, Settings&, const Stats&);
  // A lesson's session, which is somebody else's: `holder` names a file in its folder, empty: none. What was shown is
  // kept as before any other session. Settings::source is to be opened at that second.
  double show(const nlohmann::json& session, const std::string& holder, Settings&, const Stats&);
  // What was shown before one, with the place in its source.
  double show_again(Settings, double position, Settings&, const Stats&);
  // Once a frame. True: Settings::source is to be opened instead of what cannot be played.
  bool follow(Settings&, const Stats&, const Context&);
  void end(const Settings&, const Stats&);  // writes what is not yet written, and waits

 private:
  double begin(Restored, Settings&, const Stats&);
  double reset(Settings&, const Stats&);
  void ask_about(const std::vector<SessionOffer>&);
  void remember_window_size(Settings&, const Context&);

  Keeper* const keeper_;
  const Invocation& invocation_;
  const MessagePoster& poster_;
  SessionOpener opener_;
  bool source_restored_;  // and not seen since
  std::int64_t restored_at_ = 0;
  WindowSide window_width_, window_height_;
  std::pair<int, int> seen_size_;
};

}  // namespace convoscope
