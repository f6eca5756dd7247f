#include "app/media/read/image_list.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "app/files/file_kinds.h"
#include "app/files/folder_listing.h"
#include "app/files/natural_order.h"
#include "app/files/paths.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr long largest_picture = 1L << 30;  // bytes of one file

std::vector<std::string> of_folder(const std::string& folder, std::string& note) {
  const FolderListing listing = list_whole_folder(folder);
  std::vector<std::string> paths;
  for (const FileEntry& entry : listing.entries)
    if (entry.kind == FileKind::picture) paths.push_back(join(folder, entry.name));
  const auto clips = static_cast<std::size_t>(
      std::ranges::count_if(listing.entries, [](const FileEntry& entry) { return is_clip(entry.kind); }));
  if (clips > paths.size())
    throw Error(
        "'" + printable(folder) + "' is a folder of " + counted(static_cast<std::int64_t>(clips), "clip") +
        ", and one clip is read at a time. Name one. In a shell, this reads all of them: for clip in '" +
        printable(folder) +
        "'/*; do convoscope filter \"$clip\" \"${clip%.*}-filtered.mkv\"; done (what cannot be read is named).");
  if (paths.empty())
    throw Error("'" + printable(folder) +
                "' is a folder without pictures and clips. Choose a file in it, or a folder of pictures or clips.");
  if (listing.cut)
    note = "'" + printable(folder) + "' has more than " + std::to_string(most_listed) +
           " files; the pictures among the first of them play.";
  else if (clips > 0)
    note = "'" + printable(folder) + "' has " + counted(static_cast<std::int64_t>(clips), "clip") +
           " beside its pictures, which play. Open a clip by itself.";
  return paths;
}

struct Glob {
  glob_t found{};
  ~Glob() { ::globfree(&found); }
};

std::vector<std::string> of_pattern(const std::string& pattern) {
  Glob glob;
  ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &glob.found);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < glob.found.gl_pathc; ++i)
    if (const std::string path = glob.found.gl_pathv[i]; kind_of_file(path) == FileKind::picture) paths.push_back(path);
  if (paths.empty())
    throw Error("No picture has a name like '" + printable(pattern) +
                "'. Check the folder and the pattern, such as shots/*.png.");
  return paths;
}

std::string family_of(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == "jpeg" ? "jpg" : ending == "tiff" ? "tif" : ending;
}

}  // namespace

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

ImageList::ImageList(const std::string& input) {
  paths_ = is_folder(input) ? of_folder(input, note_) : of_pattern(input);
  std::map<std::string, std::size_t> counts;
  for (const std::string& path : paths_) ++counts[family_of(path)];
  const std::string family = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
  const std::size_t left_out =
      std::erase_if(paths_, [&](const std::string& path) { return family_of(path) != family; });
  if (left_out > 0)
    note_ += std::string(note_.empty() ? "" : " ") + "Of the pictures in '" + printable(input) +
             "' those that end in ." + family + " play; " + std::to_string(left_out) +
             (left_out == 1 ? " of another kind is" : " of other kinds are") + " left out.";
  std::ranges::sort(paths_, natural_less);
}

ImageList::ImageList(std::vector<std::string> paths) : paths_(std::move(paths)) {
  std::ranges::sort(paths_, natural_less);
}

void ImageList::go_to(std::int64_t picture) {
  next_ = static_cast<std::size_t>(std::clamp<std::int64_t>(picture, 0, size()));
}

int ImageList::read(AVPacket& packet, int stream_index) {
  if (next_ >= paths_.size()) return AVERROR_EOF;
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(paths_[next_].c_str(), "rbe"), close);
  long bytes = 0;
  if (file && std::fseek(file.get(), 0, SEEK_END) == 0) bytes = std::ftell(file.get());
  const bool whole = bytes > 0 && bytes <= largest_picture;
  if (const int status = av_new_packet(&packet, whole ? static_cast<int>(bytes) : 1); status < 0) return status;
  packet.data[0] = 0;
  if (whole) {
    std::rewind(file.get());
    const std::size_t got = std::fread(packet.data, 1, static_cast<std::size_t>(bytes), file.get());
    av_shrink_packet(&packet, std::max(static_cast<int>(got), 1));
  }
  packet.stream_index = stream_index;
  packet.pts = packet.dts = static_cast<std::int64_t>(next_);
  packet.duration = 1;
  packet.flags |= AV_PKT_FLAG_KEY;
  ++next_;
  return 0;
}

}  // namespace convoscope
