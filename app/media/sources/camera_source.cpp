// A camera through Video4Linux: camera, camera:N, or its device file.
#include <cerrno>
#include <charconv>
#include <tuple>

#include "app/media/ffmpeg/media_input.h"
#include "app/media/read/camera.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::string_view camera_prefix = "camera:";

bool names_camera(const std::string& input) { return input == "camera" || input.starts_with(camera_prefix); }

// N of "camera:N", 0 for "camera".
int camera_number(const std::string& input) {
  if (input == "camera") return 0;
  const std::string digits = input.substr(camera_prefix.size());
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range)
    throw Error("'" + input + "' names no camera: its number is far above what any machine has.");
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0)
    throw Error("'" + input + "' does not name a camera: '" + digits + "' is not a number like the 0 in camera:0.");
  return number;
}

// Throws Error when there is none.
Camera find_camera(const std::string& input) {
  const std::vector<Camera> cameras = list_cameras();
  if (!names_camera(input)) {
    for (const Camera& camera : cameras)
      if (camera.path == input) return camera;
    return {.path = input};  // opening it will tell what it is
  }
  const auto number = static_cast<std::size_t>(camera_number(input));
  if (number < cameras.size()) return cameras[number];
  if (cameras.empty()) throw Error("No camera is found. Plug one in; on Linux it appears as /dev/video0.");
  throw Error("There is no camera " + std::to_string(number) + "; there " +
              (cameras.size() == 1 ? "is 1, camera 0" : "are " + std::to_string(cameras.size()) + ", from camera 0") +
              ".");
}

std::vector<SourceChoice> offered_cameras() {
  std::vector<SourceChoice> choices;
  for (Camera& camera : list_cameras()) {
    const std::string input = std::string(camera_prefix) + std::to_string(choices.size());
    choices.push_back({.input = input,
                       .title = camera.name,
                       .tip = camera.path,
                       .path = camera.path,
                       .place = camera.name.empty() ? input : camera.name,
                       .problem = camera.problem,
                       .modes = std::move(camera.modes)});
  }
  return choices;
}

MediaInput camera_media(const SourceSettings& settings) {
  MediaInput media;
  media.from = MediaInput::From::device;
  media.format = require_format("video4linux2", "cameras");
  media.may_stall = true;
  media.modes_are_listed = " For its modes see convoscope list cameras, or the list called Mode.";
  media.why_not = [](const std::string& name, int status) {
    return why_no_camera(name, status == AVERROR_EXIT ? ETIMEDOUT : status == AVERROR_EOF ? ENODEV : AVUNERROR(status));
  };
  const Camera camera = find_camera(settings.input);
  if (!camera.problem.empty()) throw Error(camera.problem);
  media.address = camera.path;
  SourceSettings asked = settings;
  // A driver that is asked for a size in a format that does not have it silently gives another.
  if (const std::optional<CameraMode> mode = choose_mode(camera.modes, settings))
    std::tie(asked.camera_format, asked.width, asked.height, asked.rate) =
        std::tie(mode->format, mode->width, mode->height, mode->rate);
  if (!asked.camera_format.empty()) media.set("input_format", asked.camera_format);
  if (asked.width > 0 && asked.height > 0) media.set("video_size", size_text(asked.width, asked.height));
  if (asked.rate > 0) media.set("framerate", std::to_string(asked.rate));
  return media;
}

}  // namespace

extern const Source camera_source{
    .kind = {.id = "camera",
             .title = "Camera",
             .form = "camera or camera:N",
             .help = "The Video4Linux cameras that are plugged in.",
             .named = names_camera,
             .as_chosen = [](const std::string& input) { return input == "camera" ? "camera:0" : input; },
             .look_again = "Search for cameras again",
             .nothing = "No camera was found. Plug one in; on Linux it appears as /dev/video0."},
    .takes =
        [](const std::string& input) {
          return input.starts_with("/dev/video") || (names_camera(input) && !is_on_disk(input));
        },
    .check = [](const SourceSettings& settings) -> std::string {
      try {
        if (names_camera(settings.input)) camera_number(settings.input);
      } catch (const Error& error) {
        return error.what();
      }
      return {};
    },
    .choices = offered_cameras,
    .open = open_file_reader,
    .media = camera_media,
    .endless = true,
    .takes_size = true,
    .comes_back = true,
};

}  // namespace convoscope
