#pragma once
// What FFmpeg is to open, and what is to be expected of it: said by a source, read by Demuxer.
#include <optional>
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/read/image_list.h"

namespace convoscope {

inline constexpr int answer_patience = 10'000;  // milliseconds that a network or a camera may take for an answer

struct MediaInput {
  enum class From { file, pictures, network, device };

  From from = From::file;
  std::string address;                    // as FFmpeg takes it
  const AVInputFormat* format = nullptr;  // null: FFmpeg finds out
  Owned<AVDictionary> options;
  std::string path;                   // of a local file
  std::optional<std::string> script;  // to be read instead of what is in it, as concat's: see CheckedPlaylist
  std::optional<ImageList> images;    // read one by one, beside FFmpeg, which opens the first to say what they are
  bool may_stall = false;             // waited for a while only
  bool takes_any_size = false;        // its own size will do where the one that is asked for is refused
  // What a code of FFmpeg means here, a sentence; empty: nothing but the usual.
  std::string (*why_not)(const std::string& name, int status) = nullptr;
  const char* modes_are_listed = "";  // where, a sentence behind that about what it cannot give

  void set(const char* option, const std::string& value) {  // empty: not at all
    AVDictionary* all = options.release();
    av_dict_set(&all, option, value.empty() ? nullptr : value.c_str(), 0);
    options.reset(all);
  }
};

// Throws Error when this FFmpeg does not have it; `what` it is for, "cameras".
const AVInputFormat* require_format(const char* name, const char* what);
std::string size_text(int width, int height);  // "640x480"
std::string rate_text(double rate, const char* otherwise);

}  // namespace convoscope
