// The pictures of a folder, or those that a pattern such as shots/*.png names, one after another.
#include <algorithm>
#include <cctype>
#include <utility>

#include "app/files/paths.h"
#include "app/media/ffmpeg/media_input.h"
#include "app/media/read/clip_folder.h"
#include "app/media/read/image_list.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// Names that differ in their numbers alone are frames; others are pictures to be looked at, one a second.
bool is_run(const ImageList& images) {
  const auto without_numbers = [](std::string path) {
    std::erase_if(path, [](unsigned char c) { return std::isdigit(c); });
    return path;
  };
  return std::ranges::all_of(images.paths(), [&, first = without_numbers(images.first())](const std::string& path) {
    return without_numbers(path) == first;
  });
}

MediaInput pictures_media(const SourceSettings& settings) {
  MediaInput media;
  media.from = MediaInput::From::pictures;
  media.images.emplace(settings.input);
  media.address = media.images->first();
  media.format = require_format("image2", "image sequences");
  media.set("framerate", rate_text(settings.rate, is_run(*media.images) ? "25" : "1"));
  media.set("pattern_type", "none");
  return media;
}

std::unique_ptr<FrameReader> open_pictures(const ReaderOptions& options, Interrupt& interrupt) {
  const std::string& input = options.source.input;
  std::vector<std::string> clips = is_folder(input) ? clips_of_folder(input) : std::vector<std::string>();
  return clips.empty() ? open_file_reader(options, interrupt) : open_clip_folder(std::move(clips));
}

std::vector<std::filesystem::path> members(const std::string& input) {
  try {
    const ImageList list(input);
    return {list.paths().begin(), list.paths().end()};
  } catch (const Error&) {  // there are none
    return {};
  }
}

}  // namespace

extern const Source pictures_source{
    .kind = {.id = "pictures",
             .title = "Pictures",
             .form = "a folder of pictures or clips, \"shots/*.png\"",
             .help =
                 "The pictures in a folder, or those that match a pattern, in the order in which people count. If "
                 "their names are numbers, 25 are shown a second, otherwise one, or as many as --rate says. If most "
                 "of them are clips, these play one after another in the window."},
    .takes =
        [](const std::string& input) {
          return is_on_disk(input) ? is_folder(input) : is_glob(input) && !names_no_file(input);
        },
    .open = open_pictures,
    .media = pictures_media,
    .files = members,
};

}  // namespace convoscope
