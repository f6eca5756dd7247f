#pragma once
// Packets of whole files to frames, as Decoder gives them: each packet is opened by what it holds, whatever came
// before.
#include <memory>
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/stills/still.h"

namespace convoscope {

class StillDecoder {
 public:
  StillDecoder(std::string name, std::int64_t max_pixels, const Interrupt* interrupt)
      : name_(std::move(name)), max_pixels_(max_pixels), interrupt_(interrupt) {}

  // As Decoder's. A key frame's packet begins a file; the others go on in it.
  int send(const AVPacket*);
  int receive(AVFrame&);
  void flush();
  // With the picture that came last, or at the end: whether it is damaged, or one before it did not come; asked once.
  bool take_damage() { return std::exchange(damaged_, false); }

 private:
  int decode();
  const std::string name_;
  const std::int64_t max_pixels_;
  const Interrupt* const interrupt_;
  Owned<AVPacket> whole_, waiting_;  // the file that is open, and what is to be decoded next
  std::unique_ptr<Still> still_;     // of whole_
  Owned<AVFrame> frame_;
  bool draining_ = false, damaged_ = false;
};

}  // namespace convoscope
