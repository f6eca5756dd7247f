#pragma once
// Many pictures as one clip: those of a folder, or those that a pattern such as shots/*.png names, in the order in
// which people count. Used by one thread.
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

class ImageList {
 public:
  // All of the same kind: the most frequent one. Throws Error: no such folder, no pictures.
  explicit ImageList(const std::string& folder_or_pattern);
  explicit ImageList(std::vector<std::string> paths);  // at least one

  const std::vector<std::string>& paths() const { return paths_; }
  const std::string& first() const { return paths_.front(); }
  std::int64_t size() const { return static_cast<std::int64_t>(paths_.size()); }
  const std::string& note() const { return note_; }  // what was left out, a sentence; may be empty
  void go_to(std::int64_t picture);
  // The next file as a packet of the stream, its number as its time; AVERROR_EOF after the last. A file that cannot be
  // read is a damaged packet, so that its time passes.
  int read(AVPacket&, int stream_index);

 private:
  std::vector<std::string> paths_;
  std::string note_;
  std::size_t next_ = 0;
};

bool is_folder(const std::string& path);

}  // namespace convoscope
