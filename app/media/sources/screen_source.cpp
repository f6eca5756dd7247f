// The X11 screen that DISPLAY names.
#include <cerrno>
#include <cstdlib>

#include "app/media/ffmpeg/media_input.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::string display_name_of(const char* variable) {
  const char* const name = std::getenv(variable);
  return name ? name : "";
}

std::string why_no_screen() {
  if (!display_name_of("DISPLAY").empty()) return {};
  if (!display_name_of("WAYLAND_DISPLAY").empty())
    return "The screen of a Wayland session cannot be recorded: only X11 screens can. Log in to an X11 session.";
  return "There is no X11 screen to record: DISPLAY is not set. Start the program in a desktop session.";
}

MediaInput screen_media(const SourceSettings& settings) {
  MediaInput media;
  media.from = MediaInput::From::device;
  media.format = require_format("x11grab", "the screen");
  if (const std::string why = why_no_screen(); !why.empty()) throw Error(why);
  media.address = display_name_of("DISPLAY");
  media.set("framerate", rate_text(settings.rate, "30"));
  if (settings.width > 0 && settings.height > 0) media.set("video_size", size_text(settings.width, settings.height));
  media.takes_any_size = true;
  media.why_not = [](const std::string&, int status) {
    return status != AVERROR(EIO) ? std::string()
                                  : "The X11 screen '" + display_name_of("DISPLAY") +
                                        "' cannot be read: no X server answers there, or it does not let this program "
                                        "in. Check DISPLAY.";
  };
  return media;
}

}  // namespace

extern const Source screen_source{
    .kind = {.id = "screen",
             .title = "Screen",
             .form = "screen",
             .help =
                 "The whole X11 screen, live. If the window itself is on it, the picture appears again within itself.",
             .named = [](const std::string& input) { return input == "screen"; },
             .button = "Show the screen"},
    .takes = [](const std::string& input) { return input == "screen" && !is_on_disk(input); },
    .check = [](const SourceSettings&) { return why_no_screen(); },
    .choices =
        [] {
          return std::vector<SourceChoice>{{.input = "screen",
                                            .title = "The screen " + display_name_of("DISPLAY"),
                                            .tip = "Filter what this screen shows",
                                            .place = "Screen",
                                            .problem = why_no_screen()}};
        },
    .open = open_file_reader,
    .media = screen_media,
    .endless = true,
    .takes_size = true,
    .comes_back = true,
};

}  // namespace convoscope
