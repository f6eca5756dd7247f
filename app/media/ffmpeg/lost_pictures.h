#pragma once
// Which packets of a decoder became no picture, or one that an error was told of. A decoder with several threads tells
// of an error before it gives the pictures ahead of it, some tell it to the log alone and some not at all. So packets
// are numbered, errors and pictures bear those numbers, and damage is told where its picture would have been.
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>

#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

// sent(), failed(), lacks(), lacks_at_end() and forget() from the thread that decodes; hear_error() from any.
class LostPictures {
 public:
  void begin(AVCodecID codec);
  // The next to be decoded; its number, from 1 on, which its picture and its errors bear.
  std::int64_t sent(const AVPacket&);
  void hear_error(std::int64_t number);  // 0: of a packet that is not known
  // The decoder has returned an error: of the packet sent last, or of an earlier one where others are `under_way`.
  void failed(bool under_way);
  // With the next picture in its order: whether one before it is lost, or it is damaged itself. Of errors told of
  // pictures that came, only in codecs where each stands for itself: where one is missing that others refer to, a whole
  // stream may be told errors of.
  bool lacks(const AVFrame&);
  bool lacks_at_end();  // after the last picture: whether another ought to have come
  void forget();        // what was sent: decoding goes on elsewhere

 private:
  struct Sent {
    std::int64_t number, time;
    int part;
  };
  bool is_expected(const AVPacket&);
  bool is_lost(const Sent&);
  void drop_old();

  bool stands_alone_ = false, each_is_picture_ = false;
  std::int64_t last_ = 0;
  std::deque<std::int64_t> decoded_at_;  // the decoding times of the last packets
  int part_sent_ = 0, part_come_ = 0;    // of files that were joined, whose times begin anew
  std::deque<Sent> waiting_;             // for their pictures
  std::optional<std::int64_t> key_;      // the time of the first packet that needs no other one
  std::optional<std::int64_t> began_;    // the first picture's time: what comes before it refers to what is not there
  bool failed_ = false;
  std::mutex mutex_;
  std::set<std::int64_t> wrong_;  // numbers that an error was told of
  bool heard_ = false;            // of one that is not known
};

// The number of the packet that a decoder's context is at work on in the calling thread, and of a picture's packet; 0
// where this FFmpeg does not say.
std::int64_t packet_number(const AVCodecContext&);
std::int64_t packet_number(const AVFrame&);
void set_packet_number(AVCodecContext&, std::int64_t);

}  // namespace convoscope
