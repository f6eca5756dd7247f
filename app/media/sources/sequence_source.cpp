// Numbered pictures, by a name with a place for the number: frame%04d.png.
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "app/files/numbered_names.h"
#include "app/media/ffmpeg/media_input.h"
#include "app/media/read/local_files.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

bool is_sequence(const std::string& input) { return number_place(input) && !is_on_disk(local_path(input)); }

constexpr int longest_name = 255;  // bytes, of any file system: no number has more digits

bool is_longer_than_any_name(std::string digits) {
  digits.erase(0, digits.find_first_not_of('0'));
  return digits.size() > 3 || std::atoi(digits.c_str()) > longest_name;
}

// What FFmpeg fills with as many zeros as it is told, for each number that it tries.
void check_digits(const std::string& input) {
  for (auto place = number_place(input); place; place = number_place(input, place->end))
    if (is_longer_than_any_name(place->digits))
      throw Error("'" + input + "' has a number of more than " + std::to_string(longest_name) +
                  " digits, but no file system has names longer than " + std::to_string(longest_name) +
                  " bytes. Write how many digits the names have, as in frame%04d.png.");
}

// "04" digits as image2 counts: so many, filled up with zeros, or more.
std::string number_expression(int least_digits) {
  std::string filled;
  for (int left = std::max(least_digits, 1); left > 0; --left) filled += "[0-9]";
  return "@(" + filled + "|[1-9]" + filled + "*([0-9]))";
}

std::vector<fs::path> members_of_sequence(const std::string& input) {
  const fs::path pattern = local_path(input);
  std::string expression;
  const std::string name = pattern.filename().string();
  std::optional<NumberPlace> place = number_place(name);
  for (std::size_t i = 0; i < name.size();) {
    if (place && i == place->begin) {
      expression += number_expression(place->least_digits());
      i = place->end;
      place = number_place(name, i);
    } else {
      expression += std::isalnum(static_cast<unsigned char>(name[i])) ? "" : "\\";
      expression += name[i++];
    }
  }
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (::fnmatch(expression.c_str(), at->path().filename().c_str(), FNM_EXTMATCH) == 0) found.push_back(at->path());
  return found;
}

std::string no_picture_like(const std::string& name) {
  return "There is no picture named like '" + name + "'. Check the folder and the number of digits.";
}

MediaInput sequence_media(const SourceSettings& settings) {
  check_digits(settings.input);
  MediaInput media;
  media.from = MediaInput::From::pictures;
  media.address = settings.input;
  media.format = require_format("image2", "image sequences");
  media.set("framerate", rate_text(settings.rate, "25"));
  // One by one, as image2 looks for the last number in strides and then ends at the first gap between.
  std::vector<std::string> paths;
  for (const fs::path& path : members_of_sequence(settings.input)) paths.push_back(path.string());
  if (!paths.empty()) {
    media.images.emplace(std::move(paths));
    media.address = media.images->first();
    media.set("pattern_type", "none");
  } else if (fs::path(local_path(settings.input)).parent_path().string().find('%') == std::string::npos) {
    throw Error(no_picture_like(settings.input));  // FFmpeg would try many numbers, and heed no signal meanwhile
  } else {                                         // the number is in the name of a folder
    media.set("start_number_range", "100000");
  }
  media.why_not = [](const std::string& name, int status) {
    return status != AVERROR(ENOENT) ? std::string() : no_picture_like(name);
  };
  return media;
}

}  // namespace

extern const Source sequence_source{
    .kind = {.id = "sequence",
             .title = "Sequence",
             .form = "frame%04d.png",
             .help = "Numbered pictures, one after another: the name has a place for the number."},
    .takes = is_sequence,
    .open = open_file_reader,
    .media = sequence_media,
    .files = members_of_sequence,
};

}  // namespace convoscope
