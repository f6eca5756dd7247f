#include "app/media/read/clip_folder.h"

#include <algorithm>
#include <utility>

#include "app/files/folder_listing.h"
#include "app/files/paths.h"

namespace convoscope {
namespace {

class ClipFolder : public FrameReader {
 public:
  explicit ClipFolder(std::vector<std::string> clips)
      : clips_(std::make_shared<const std::vector<std::string>>(std::move(clips))) {}
  bool read(Frame&) override { return false; }
  bool seek_seconds(double) override { return true; }
  bool seek_frame(std::int64_t) override { return true; }
  SourceStats describe() const override {
    SourceStats stats;
    stats.clips = clips_;
    stats.seekable = true;  // else a loop would open it again and again
    return stats;
  }

 private:
  const ClipNames clips_;
};

}  // namespace

std::vector<std::string> clips_of_folder(const std::string& folder) {
  const FolderListing listing = list_whole_folder(folder);
  std::vector<std::string> clips;
  for (const FileEntry& entry : listing.entries)
    if (is_clip(entry.kind)) clips.push_back(join(folder, entry.name));
  return clips.size() > listing.pictures ? clips : std::vector<std::string>();
}

std::unique_ptr<FrameReader> open_clip_folder(std::vector<std::string> clips) {
  return std::make_unique<ClipFolder>(std::move(clips));
}

}  // namespace convoscope
