// Numbers as a picture: typed, "numbers:8 2 5; 4 1 7", or in a file of them. They are filtered as they are, whatever
// their size; planes are frames, one a second. Behind "channels:" they lie one below the other in one picture, and are
// the channels of a layer.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/file_kinds.h"
#include "app/files/number_file.h"
#include "app/media/ffmpeg/decoder.h"
#include "app/media/read/image_list.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view numbers_prefix = "numbers:", channels_prefix = "channels:";
constexpr double numbers_rate = 1;

bool names_channels(const std::string& input) { return input.starts_with(channels_prefix); }
bool names_numbers(const std::string& input) { return input.starts_with(numbers_prefix) || names_channels(input); }

// Numbers have many files' ending; others read .txt too.
bool begins_with_numbers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(1024, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return !begin.empty() && looks_like_numbers(begin);
}

bool is_number_file(const std::string& input) {
  const std::string ending = ending_of(input);
  if (ending != "csv" && ending != "npy" && ending != "txt") return false;
  return is_on_disk(input) && !is_folder(input) && (ending != "txt" || begins_with_numbers(input));
}

NumberGrid numbers_of_input(const SourceSettings& source, std::vector<std::string>& remarks) {
  const std::string& input = source.input;
  NumberGrid grid;
  if (names_numbers(input)) {
    const std::string text = input.substr(input.find(':') + 1);
    if (!looks_like_numbers(text))
      throw Error(in_quotes(input) + " has no numbers. Write them like \"numbers:8 2 5; 4 1 7\".");
    grid = read_numbers(text, "The input", remarks);
  } else {
    grid = read_numbers(input, "The file", remarks);
  }
  const int rows = names_channels(input) ? grid.rows * grid.planes : grid.rows;
  if (grid.columns > largest_side || rows > largest_side)
    throw Error("The numbers are " + std::to_string(grid.columns) + " wide and " + std::to_string(rows) +
                " high; as a picture they may have " + format_count(largest_side) +
                " a side. convoscope compute takes more.");
  check_picture_size(input, grid.columns, rows, source.max_pixels);
  return grid;
}

// Lives on the decoder thread. The numbers stay as long as a frame of them does.
class NumbersReader : public FrameReader {
 public:
  explicit NumbersReader(const SourceSettings& source)
      : grid_(std::make_shared<NumberGrid>(numbers_of_input(source, remarks_))),
        stacked_(names_channels(source.input) ? grid_->planes : 1) {
    const int frames = grid_->planes / stacked_;
    stats_.description = "numbers, " + std::to_string(grid_->columns) + " × " + std::to_string(grid_->rows) +
                         (frames > 1 ? ", " + std::to_string(frames) + " frames" : "") +
                         (stacked_ > 1 ? ", " + std::to_string(stacked_) + " channels" : "");
    stats_.decoder = "as they are";
    stats_.width = grid_->columns;
    stats_.height = grid_->rows * stacked_;
    stats_.rate = source.rate > 0 ? source.rate : numbers_rate;
    stats_.frames = frames;
    stats_.duration = static_cast<double>(stats_.frames) / stats_.rate;
    stats_.still = frames == 1;
    stats_.seekable = frames > 1;
    stats_.numbers = true;
  }

  bool read(Frame& frame) override {
    if (next_ >= stats_.frames) return false;
    const auto plane = static_cast<std::size_t>(stats_.width) * static_cast<std::size_t>(stats_.height);
    VideoFrame& picture = frame.picture;
    picture = {};
    picture.format = {.layout = PlaneLayout::numbers,
                      .width = stats_.width,
                      .height = stats_.height,
                      .bits = 32,
                      .full_range = true,
                      .stacked = stacked_};
    picture.planes[0] = grid_->values.data() + static_cast<std::size_t>(next_) * plane;
    picture.pitch[0] = static_cast<std::size_t>(stats_.width) * sizeof(float);
    picture.owner = grid_;
    picture.number = next_;
    picture.seconds = static_cast<double>(next_++) / stats_.rate;
    frame.duration = stats_.still ? 0 : 1 / stats_.rate;
    return true;
  }
  bool seek_seconds(double seconds) override {
    return seek_frame(static_cast<std::int64_t>(std::floor(seconds * stats_.rate + 1e-6)));
  }
  bool seek_frame(std::int64_t number) override {
    next_ = stats_.still ? 0 : std::max<std::int64_t>(number, 0);
    return true;
  }
  SourceStats describe() const override { return stats_; }
  bool still() const override { return stats_.still; }
  std::optional<std::string> take_warning() override {
    if (remarks_.empty()) return {};
    const std::string remark = remarks_.back();
    remarks_.pop_back();
    return remark;
  }

 private:
  std::vector<std::string> remarks_;  // before the grid, whose reading fills it
  std::shared_ptr<const NumberGrid> grid_;
  int stacked_;  // planes in a picture
  SourceStats stats_;
  std::int64_t next_ = 0;
};

std::string why_no_numbers(const SourceSettings& source) {
  if (!names_numbers(source.input)) return {};
  try {
    std::vector<std::string> remarks;
    numbers_of_input(source, remarks);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// The worked examples of the book.
std::vector<SourceChoice> number_examples() {
  const auto example = [](const char* numbers, const char* title, const char* tip) {
    return SourceChoice{.input = std::string(numbers_prefix) + numbers,
                        .title = title,
                        .tip = tip,
                        .path = {},
                        .place = {},
                        .problem = {},
                        .modes = {}};
  };
  return {
      example("8 2 5 4 1 7 3", "Seven samples",
              "One row: with the filter 1 3 5 3 1 and border zero it becomes 51 53 52 47 46 51 37."),
      example("1 2 3 4 5 6 7", "Seven samples in order", "One row, to be tried with 3 4 5 4 3 and each border."),
      example("1 2 3 4 5; 5 6 7 8 9; 9 0 1 2 3; 4 5 6 7 8", "An image of 4 × 5",
              "To be tried with the filter 1 0 1; 0 1 0; 1 0 1 and border zero."),
      SourceChoice{
          .input = std::string(channels_prefix) + "1 2 3; 1 1 0; 2 0 1;; 0 2 1; 0 3 1; 1 0 2;; 1 2 0; 0 1 2; 1 1 0",
          .title = "A layer's three channels",
          .tip = "For the Layer workbench: 3 × 3 values each, one channel below the other.",
          .path = {},
          .place = {},
          .problem = {},
          .modes = {}},
      example("1 2 3 4 5; 2 3 4 5 6; 3 4 5 6 7; 4 5 6 7 8; 5 6 7 8 5", "The image patch",
              "With 1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1 its centre becomes 321."),
  };
}

}  // namespace

extern const Source numbers_source{
    .kind = {.id = "numbers",
             .title = "Numbers",
             .form = "\"numbers:8 2 5; 4 1 7\", .csv, .npy",
             .help =
                 "Numbers of your own, or of a file: a semicolon ends a row, two a frame. They are filtered as "
                 "they are, and shown as numbers too. With channels: in place of numbers: the planes are channels of "
                 "a layer.",
             .named = names_numbers},
    .takes =
        [](const std::string& input) { return (names_numbers(input) && !is_on_disk(input)) || is_number_file(input); },
    .check = why_no_numbers,
    .choices = number_examples,
    .open = [](const ReaderOptions& options, Interrupt&) -> std::unique_ptr<FrameReader> {
      return std::make_unique<NumbersReader>(options.source);
    },
    .files =
        [](const std::string& input) {
          return names_numbers(input) ? std::vector<std::filesystem::path>()
                                      : std::vector<std::filesystem::path>{input};
        },
    .endless = true,
};

}  // namespace convoscope
