#pragma once
// What FFmpeg may open besides what the user named. Lists, sequences and some containers name other files and
// addresses: each is looked at here before it is opened, and what is opened within it is asked in the same way, or
// cannot name anything.
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/media_input.h"

namespace convoscope {

class OpenGuard {
 public:
  // For one demuxer: outlives the context that it guards. `input` is what it opens and outlives this. `trusted`: a
  // local list may name any file of this machine.
  OpenGuard(const MediaInput& input, bool trusted) : input_(input), trusted_(trusted) {}
  ~OpenGuard();
  OpenGuard(const OpenGuard&) = delete;
  OpenGuard& operator=(const OpenGuard&) = delete;

  // Once, before avformat_open_input(), with the options for it. Devices and standard input name nothing: not for them.
  void attach(AVFormatContext&, AVDictionary*& options);
  // Why something was not opened, a sentence about the first; empty when everything was that is there.
  const std::string& refusal() const { return refusal_; }
  // After avformat_open_input() has said that it is no valid input: whether it is of a format that is not read without
  // trust, a sentence; empty when that is not the reason.
  std::string why_not_read() const;

 private:
  struct Answer {
    int status = 0;
    std::string address, protocols;  // to open, and what that may open in turn
  };
  Answer look_at(const std::string& url);
  Answer look_at_local(std::string url);
  Answer look_at_remote(const std::string& url);
  static int open(AVFormatContext*, AVIOContext**, const char* url, int flags, AVDictionary** options);
  static int read_script(void* self, std::uint8_t* to, int most);
  static std::int64_t seek_script(void* self, std::int64_t offset, int whence);
  void use_script(AVFormatContext&);
  bool is_local() const { return input_.from != MediaInput::From::network; }

  const MediaInput& input_;
  const bool trusted_;
  std::string refusal_;
  AVFormatContext* guarded_ = nullptr;  // while its script has not been read
  AVIOContext* script_ = nullptr;
  std::int64_t script_at_ = 0;
};

}  // namespace convoscope
