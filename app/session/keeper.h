#pragma once
// Keeps what the user set: settings.json for the machine and its window, session.json for what is shown. Saved within a
// second of every change, by a thread of its own, so that a crash loses nothing.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/background_jobs.h"
#include "app/session/kept_file.h"
#include "app/session/places.h"
#include "app/session/session_file.h"
#include "app/session/session_json.h"
#include "app/state/settings.h"

namespace convoscope {

// What a first start shows: the source and its filtered picture in a split, and a hint of keys.
void show_source_beside(Settings&);  // of one pane

class Keeper {
 public:
  struct Wanted {
    bool reset = false;  // begin anew; what was kept is put aside
    std::optional<std::string> session;
    std::optional<std::string> input;  // that the command line names
    // What plays where the source that was kept cannot, for a sentence.
    std::string plays() const { return input ? "'" + *input + "'" : test_pattern_plays; }
  };
  // Reads the files and changes nothing yet. Throws Error when the session that is named cannot be read.
  explicit Keeper(Wanted);

  bool first_start() const { return first_start_; }
  const Settings& remembered() const { return remembered_.settings; }
  double position() const { return remembered_.position; }  // of the source, where the session left it
  const std::filesystem::path& session_path() const { return session_.path(); }

  // What the options of the command line made of remembered(): they hold for this run and are not kept, unless what
  // they set is changed again. From here on the files are written.
  void begin(const Settings& with_options);
  // In every frame; a look at the clock and, a few times a second, a comparison.
  void follow(const Settings&, const Stats&);
  void finish(const Settings&, const Stats&);  // writes what is not yet written, and waits
  void save_as(const std::string& path, const Settings&, const Stats&);
  // Beside the session's file, before another session takes its place. Returns where; empty: nowhere to keep it.
  std::string keep_before(const Settings&, const Stats&);
  void forget_options();  // they no longer hold: everything was set anew
  void put_aside();       // both files, for a reset; tells where
  std::vector<SessionOffer> take_offers() { return std::exchange(remembered_.offers, {}); }  // of the beginning
  // What to tell the user. Failed: a warning.
  std::optional<BackgroundJobs::Outcome> poll();

 private:
  void keep(const Settings&, const Stats&);
  // Whether this run's session may take the place of the kept one: of a run that was begun with another's not before
  // the user has changed something of it, and then the kept one stays beside it.
  bool takes_place_of_kept(const Settings&);
  std::filesystem::path path_of_before() const;
  // Names the source while it is opened for the first time. What is left of it by a run that died says which source
  // not to begin with again.
  std::filesystem::path opening_mark() const { return session_.path().string() + ".opening"; }
  void avoid_deadly_source();
  void forget_opening();
  nlohmann::json without_options(nlohmann::json now, const nlohmann::json& remembered,
                                 const nlohmann::json& given) const;

  Wanted wanted_;
  SessionSlot slot_;
  KeptFile settings_, session_;
  Restored remembered_;
  Settings given_;                // the thread's once it has begun
  std::optional<Settings> kept_;  // as handed to the thread last
  nlohmann::json opened_;         // the session that the command line names, as the run began with it
  bool first_start_ = false, opening_ = false, takes_place_ = true;
  double looked_ = -1, kept_position_ = 0, position_kept_at_ = 0;
  std::vector<std::string> messages_;
  std::string told_;     // of the files' problems, last; the thread's
  BackgroundJobs jobs_;  // last, so that its thread ends before what it uses
};

}  // namespace convoscope
