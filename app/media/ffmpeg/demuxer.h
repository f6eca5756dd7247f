#pragma once
// What the user named, opened: a file, an image sequence, an address, a camera or the screen; its packets in order.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/interrupt.h"
#include "app/media/ffmpeg/media_input.h"
#include "app/media/ffmpeg/open_guard.h"
#include "app/media/stills/still_file.h"
#include "app/state/settings.h"
#include "kernels/files/descriptor.h"

namespace convoscope {

class Demuxer {
 public:
  enum class Sound {
    none,        // the packets of the picture only
    with_it,     // those of the sound too; and the input "-" is y4m on standard input
    or_alone,    // the same, or those of the sound where there is no picture beside it
    whole_file,  // the same, and the file is read through once to find streams that begin late; to be sought then
  };
  // Throws Error, SoundAlone where there is sound instead of the picture. `interrupt` outlives the demuxer. Not for a
  // source that FFmpeg does not read.
  Demuxer(const SourceSettings&, Interrupt& interrupt, Sound = Sound::none);

  // The next packet of the picture (of the sound too, if asked for), 0; AVERROR_EOF at the end; AVERROR_EXIT when
  // interrupted; else what went wrong. Throws Error when the source names what may not be opened.
  int read(AVPacket&);
  // Goes to the last key frame at or before `timestamp` (decoding time, the stream's units). False when it cannot.
  bool seek(std::int64_t timestamp);
  // After read() has come to an end: whether the source should have gone on.
  bool cut_off() const;
  // Or whether something that is no frame follows the frames of y4m; a sentence about that. `are`: "are filtered".
  bool other_follows() const { return other_follows_; }
  std::string what_follows(std::int64_t frames, const std::string& are) const;
  // " of 'shots/02.png'", for a sentence about what is damaged; empty where the source is not many pictures.
  std::string of_picture(std::int64_t number) const;
  // Whether the file was damaged where read() has been, so that what is in it may not have come; asked once.
  bool take_damage() { return std::exchange(damaged_, false); }
  // Whether a network source that has come to its end ought to have gone on, after pictures of so many seconds: it has
  // said how long it is, and that is not all of it.
  bool ends_early(double seconds) const;
  std::string why_early(double seconds) const;  // a sentence about that
  // A sentence where pictures have come to a folder or a sequence since it was opened; empty otherwise. Looks at the
  // disk.
  std::string has_grown() const;
  // Throws Error after all of it was read and none of it could be decoded.
  [[noreturn]] void refuse_without_picture() const;
  // A sentence about what read() returned.
  std::string why_not(int status) const;
  // What the source gives instead of what was asked for or it should say, a sentence; empty when it gives just that.
  const std::string& warning() const { return warning_; }

  const AVStream& stream() const { return *stream_; }  // of the picture, or of the sound that is alone
  bool has_picture() const { return stream_->codecpar->codec_type == AVMEDIA_TYPE_VIDEO; }
  AVFormatContext& format() const { return *format_; }
  MediaInput::From from() const { return input_.from; }
  bool live() const { return live_; }          // no end, no way back
  bool still() const { return still_; }        // a single picture
  bool seekable() const { return seekable_; }  // anywhere
  bool animated_avif() const;
  bool counted() const { return input_.images.has_value(); }  // every packet is a picture, and its time is its number
  // The stream's declared beginning, in its units.
  std::int64_t start() const { return stream_->start_time == AV_NOPTS_VALUE ? 0 : stream_->start_time; }

 private:
  void open(const SourceSettings&);
  void find_streams(std::int64_t max_pixels);
  int open_format();
  bool open_still(std::int64_t max_pixels);
  void refuse_index_at_end() const;
  bool lacks_bytes() const;  // of a network's file that has come to its end
  std::string substitution(const SourceSettings& asked) const;
  void set_deadline();
  void note_break(const AVPacket&);
  void note_gif(const AVPacket&);
  bool gif_has_more() const;
  int read_file(AVPacket&);
  bool index_has_more() const;
  bool is_playlist() const { return input_.may_stall && input_.from == MediaInput::From::file; }
  const SourceSettings source_;
  std::string name_, warning_;
  Interrupt& interrupt_;
  MediaInput input_;
  std::optional<Descriptor> part_;  // an earlier run's, which no run takes the place of while it is read
  const Sound sound_;
  bool trusted_ = false;
  Owned<AVIOContext> standard_input_;    // before what reads it
  std::string begin_;                    // the first bytes of it, or of a y4m file
  std::optional<StillFile> still_file_;  // read in place of format_
  std::optional<OpenGuard> guard_;       // before what it guards
  Owned<AVFormatContext> format_;
  AVStream* stream_ = nullptr;
  bool live_ = false, still_ = false, seekable_ = false;
  bool counts_bytes_ = false;     // y4m, where each byte belongs to a frame
  std::int64_t whole_until_ = 0;  // the end of the last whole packet then
  bool other_follows_ = false;
  std::int64_t max_pixels_ = 0;
  std::optional<RefusedSize> refused_;  // of a picture that FFmpeg looked at to know its kind
  bool damaged_ = false;
  bool unfinished_ = false;                  // the last packet, of a GIF
  std::int64_t gif_end_ = -1;                // where it ends in the file; -1: unknown
  int broken_off_ = 0;                       // packets that may still show why the stream has broken off
  std::int64_t last_read_ = AV_NOPTS_VALUE;  // the time of the packet before
  std::optional<int> pictures_read_ = 0;     // since the beginning; none once it was sought
};

}  // namespace convoscope
