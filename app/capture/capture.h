#pragma once
// What leaves the program as pictures: recordings, screenshots, the clipboard, animations. Owned by app.cpp, which
// calls it once a frame; nothing here waits on the way of a frame unless a patient recording is running.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/capture/last_seconds.h"
#include "app/capture/recording.h"
#include "app/files/file_names.h"
#include "app/gl/compositor/compositor.h"
#include "app/gl/compositor/picture_tap.h"
#include "app/gl/window/context.h"
#include "app/jobs/background_jobs.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

class Capture {
 public:
  // `file`: that was saved; empty: none was.
  using Say = std::function<void(MessageLevel, const std::string& text, const char* subject, const std::string& file)>;
  // All of them outlive this; stats is written to. The context is current in every call.
  Capture(const Context&, const Settings&, Stats&, Say);
  ~Capture();

  struct Start {
    std::string path;
    bool patient = false;        // every picture is taken, the caller waits for the encoder
    bool throws = false;         // waits until the file is open and throws Error when it cannot be; else that is told
    bool for_exit_code = false;  // of the command line: failed() answers for it
    std::optional<bool> with_panels{};  // instead of what the user chose for recordings
    bool renders = false;               // it is told as a rendering
  };
  // Records from the next frame on. `view`: what App composes, for the size of the picture alone.
  void start(const Start&, const Composition& view);
  // Begins to finish the file; told when it is done, after the remark. With one it is not whole and stays a part.
  void stop(const std::string& remark = {});
  void finish();  // waits for that
  // The same where OpenGL can no longer be asked. Nothing but the program's end comes after it.
  void finish_without_gl();
  bool recording() const { return recording_ != nullptr; }
  bool waits_for_every_frame() const { return recording_ && recording_->patient(); }
  bool failed() const { return failed_; }                // a recording for the exit code is not whole
  bool takes_still() const { return !wanted_.empty(); }  // a screenshot, of the frame that is drawn next
  // Whether after_draw() may save what is in the window.
  bool takes_window() const { return (recording_ && with_panels_) || !wanted_.empty(); }

  // After the frame is drawn and before it is swapped.
  // `position`: of the frame on screen, in the source.
  void after_draw(bool new_frame, std::span<const PaneTexture>, const Composition&, double position);

  void save_screenshot(const std::string& path);  // of the frame drawn last, at once; throws Error
  // Of the next frame drawn; compressed and written by a thread of its own, and told when it is done. None of these
  // where too many are not done yet: told, too.
  void save_next_frame(const std::string& path = {});  // empty: a free name
  void copy_next_frame(const Composition&);            // what is seen of the panes, to the clipboard
  void save_last_seconds();

  // For a recording: a path that no file has yet, of the folder and the name that the user chose. Looks at the disk.
  std::string free_name(const char* kind, const char* ending) const;

 private:
  struct Still {
    std::unique_ptr<ReadBack> read_back;
    std::function<BackgroundJobs::Done(const Image&)> use;  // throws Error
  };
  bool has_room();  // says so where there is none
  void take_stills(bool wait = false);
  void keep_last_seconds(std::span<const PaneTexture>, const Composition&);
  void record(bool new_frame, std::span<const PaneTexture>, const Composition&, double position);
  RecordingSettings settings_for(const Start&, const Composition& view) const;
  bool due(bool new_frame, bool has_picture, double position);
  bool within_rate(double time);
  NameFacts name_facts(const char* kind) const;
  std::string folder(const std::string& usual) const;
  void fill_canvas(std::span<const PaneTexture>, Composition);
  void say(MessageLevel level, const std::string& text, const char* subject, const std::string& file = {}) {
    say_(level, text, subject, file);
  }
  void say_what_was_recorded(const std::string& text);
  void say_outcome(const BackgroundJobs::Outcome&);
  void report();
  std::int64_t frames_dropped() const;
  void update_stats();

  const Context& context_;
  const Settings& settings_;
  Stats& stats_;
  const Say say_;
  std::unique_ptr<PictureTap> tap_;
  std::unique_ptr<Compositor> compositor_;  // of pictures without panels, made when first needed
  std::unique_ptr<Recording> recording_;
  bool with_panels_ = true, for_exit_code_ = false, failed_ = false;
  SoundSettings sound_recorded_;     // what the recording was told of its filter
  std::int64_t dropped_before_ = 0;  // when the recording began
  double next_due_ = 0;              // on the program's clock, or of the source; for a rate that was asked for
  std::string remark_;
  std::vector<std::function<BackgroundJobs::Done(const Image&)>> wanted_;  // stills of the next frame
  std::vector<Still> stills_;                                              // on their way from the GPU
  std::unique_ptr<LastSeconds> last_seconds_;                              // while they are kept
  BackgroundJobs jobs_;
};

const char* recording_ending(const RecordingChoices&);  // "mkv"

}  // namespace convoscope
