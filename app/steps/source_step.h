#pragma once
// Where frames come from: the source that plays, and the one that was asked for beside it, whose first frame takes
// over.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/arguments.h"
#include "app/media/play/player.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/message_poster.h"

namespace convoscope {

// The folder of a file or of pictures; empty for what lies in none, such as a camera.
std::string folder_of_input(const std::string& input);

class SourceStep {
 public:
  SourceStep(const Invocation& invocation, const MessagePoster& poster) : invocation_(invocation), poster_(poster) {}

  // Settings::source instead of what plays, at once, from that second on. Fills Stats::source.
  void open(const Settings&, Stats&, double position = 0);
  void take_every_frame(bool every) { every_ = every; }  // of what is opened from now on, whatever the clock says
  void close();                                          // joins the decoders' threads
  // True: another source has been opened at once, since nothing played.
  bool obey(const Requests&, Settings&, Stats&);

  struct Taken {
    std::optional<VideoFrame> frame;
    bool of_another = false;  // source than before
  };
  Taken take_due(const PlaybackSettings&, Settings&, Stats&);  // where there is a player
  bool finds_due(const PlaybackSettings&);                     // whether there is something to take: that is kept
  bool lead_in(int frames) { return player_ && !at_hand_ && player_->lead_in(frames); }  // see Player
  void tell_errors(bool has_frame, const Stats&);                                        // after it
  // A first frame has come: the source is remembered as one that plays.
  void begin_to_play(Settings&, Stats&);
  void report(const Settings&, Stats&);  // Stats::source

  Player* player() { return player_.get(); }  // null: none
  bool plays() const { return plays_; }       // its first frame has come
  bool opens_another() const { return next_.player != nullptr; }
  bool is_awaited() const { return awaited_; }                                        // the next frame, by the user
  std::optional<double> sought() const { return awaited_ ? sought_ : std::nullopt; }  // where it is, in seconds
  bool take_awaited() {                                                               // that one has come
    sought_.reset();
    return std::exchange(awaited_, false);
  }
  bool failed() const { return failed_; }  // it never showed what was asked for, and nobody is there to mend it

 private:
  std::unique_ptr<Player> make_player(const SourceSettings&, const Device&, Retry) const;  // throws Error
  bool open_beside(const SourceSettings&, Settings&, Stats&);
  void tell_refused(const std::string& why, const std::string& input) const;  // with a way out, where there is one
  Taken take_of_next(const PlaybackSettings&, Settings&, Stats&);
  bool begin_clips(ClipNames, std::string folder, Settings&, Stats&);
  bool open_clip(std::size_t clip, int direction, bool around, Settings&, Stats&);
  std::optional<std::size_t> leave_out(std::size_t clip, int direction, bool around, const std::string& why, Stats&);
  bool step_clip(int direction, Settings&, Stats&);
  void look_ahead(const PlaybackSettings&, Stats&);
  void go_on(Settings&, Stats&);
  bool has_clip_news() const;
  PlaybackSettings listed(PlaybackSettings playback) const {  // a clip does not loop where another one follows
    playback.loop &= !following_;
    return playback;
  }
  void await_another();
  void judge_seek(const Settings&, const SourceStats&);

  const Invocation& invocation_;
  const MessagePoster& poster_;
  std::unique_ptr<Player> player_;
  SourceSettings playing_;             // of the player
  std::optional<VideoFrame> at_hand_;  // found by finds_due()
  std::optional<double> sought_;       // the last jump to a time, until a frame comes
  std::optional<double> seek_;         // of the command line, seconds; until the source's length is known
  bool plays_ = false, awaited_ = false, every_ = false, failed_ = false;

  struct Next {
    std::unique_ptr<Player> player;  // null: none
    SourceSettings source;
    double since = 0;
    bool told = false;  // that it takes its time
    // Of a clip of the list: where to go on if it cannot be played; 0: nowhere.
    std::optional<std::size_t> clip = {};
    int direction = 0;
    bool around = false;
  };
  Next next_;
  ClipNames taken_clips_;                 // that a folder has told of
  std::optional<std::size_t> following_;  // the clip that is opened where this one ends
  bool paused_ = false;
  std::optional<SourceSettings> refused_;  // the last one that failed beside the one that plays
};

}  // namespace convoscope
