#pragma once
// Where the pictures of a whole file go: a container with encoder and copied sound, y4m, or pictures.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/interrupt.h"
#include "app/media/write/recorder.h"
#include "kernels/convert/video_frame.h"
#include "kernels/convert/yuv_layout.h"

namespace convoscope {

class FileOutput {
 public:
  virtual ~FileOutput() = default;
  // rgba of the size in the settings. Time and duration in their ticks, ascending. Throws Error when it cannot be
  // written; what was written plays.
  virtual void add(const Image& rgba, std::int64_t time, std::int64_t duration) = 0;
  // The same as planes, of the layout that there is for this output; the block is kept as long as it is needed.
  virtual void add_planes(std::shared_ptr<void> block, const YuvLayout&, std::int64_t time, std::int64_t duration);
  virtual void add_sound(AVPacket&) {}  // takes its content; stream_index and times are the input's
  // The output is closed and takes its name when it is `whole`. False: it has not, and what was written stays where
  // where_left() says, as it does without this. Throws Error likewise.
  virtual bool finish(bool whole) = 0;
  // Throws Error when what is written was deleted, moved away or replaced meanwhile: nobody would ever see the rest.
  virtual void check_is_there() const = 0;
  virtual bool takes_any_size() const { return false; }  // of each picture; else that of the settings
  virtual std::string where_left() const = 0;            // for a sentence: "'out.part.mkv'"; empty: gone
  virtual std::string encoder() const = 0;
  virtual std::int64_t damaged_sound() const { return 0; }  // packets that were left out
  virtual std::string note() const { return {}; }           // what is not as in the input; the end of a sentence
};

inline constexpr auto between_looks = std::chrono::seconds(1);  // at whether a file that is written is still there

constexpr const char* nothing_is_left = "No picture was kept, so there is no file. ";

struct CopiedSound {
  const AVStream* stream;  // of the input
};

// .mp4, .mov and .mkv. Rate 0: it varies. Throws Error: no encoder, the container cannot hold the sound, the file
// cannot be made.
std::unique_ptr<FileOutput> open_muxed_output(const RecordingSettings&, const std::vector<CopiedSound>&,
                                              AVRational stream_rate);
// y4m has no times: at this rate a picture whose time has not come yet is left out, and one that lasts is repeated, but
// not for longer than a minute; note() counts them. Where the rate is that of the pictures each comes once, also where
// their times are a little off. 4:4:4 when lossless, else 4:2:0; limited range, BT.709
// from 720 lines on, else BT.601, as its readers assume. The interrupt outlives it: a reader that takes nothing (of
// standard output) is not waited for once it says stop.
std::unique_ptr<FileOutput> open_y4m_output(const RecordingSettings&, AVRational rate, const Interrupt&);

// Of the kinds in picture_file.h: every picture in a file of its own where the name has a place for its number, which
// begins at 1 (frame%04d.png), else the only one.
std::unique_ptr<FileOutput> open_picture_output(const RecordingSettings&);
bool names_pictures(const std::string& path);  // it has that place

// What y4m takes: room for a line in front, so that a picture is one piece. And what encoders of 4:2:0 take.
YuvLayout y4m_layout(int width, int height, bool lossless);
YuvLayout encoded_layout(int width, int height);

bool ends_in(const std::string& path, const char* extension);  // any case
const char* container_of(const std::string& path);             // FFmpeg's name: "matroska", "mov" or "mp4"

// The picture as an FFmpeg frame of at least its size; the last column and row are repeated to fill it.
void copy_padded(const Image& rgba, AVFrame& to);
Owned<AVFrame> make_picture(int width, int height, AVPixelFormat);

}  // namespace convoscope
