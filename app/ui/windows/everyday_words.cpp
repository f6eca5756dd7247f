#include "app/ui/windows/everyday_words.h"

#include <utility>

namespace convoscope::ui {
namespace {

// By the beginning of the name.
constexpr std::pair<std::string_view, std::string_view> everyday_words[] = {
    {"Playback: Play or pause", "stop start resume halt freeze"},
    {"Playback: Step one frame", "next previous single"},
    {"Playback: Loop", "repeat"},
    {"Playback: Clear A and B", "loop"},
    {"Playback: Faster", "speed"},
    {"Playback: Slower", "speed slow motion"},
    {"Playback: Normal speed", "reset 1x"},
    {"Playback: Sound", "mute unmute silence volume audio loudspeaker"},
    {"Playback: Filter what is heard", "sound audio lowpass low-pass highpass equaliser 1-D convolution"},
    {"Playback: Waveform and spectrum", "sound audio oscilloscope scope"},
    {"Playback: Volume up", "louder sound audio"},
    {"Playback: Volume down", "quieter softer sound audio"},
    {"Playback: To the first frame", "beginning start rewind restart"},
    {"Source: Open", "webcam video load image picture photo stream session movie"},
    {"Source: Try the source again", "reload reconnect refresh"},
    {"Source: Next clip", "file video playlist"},
    {"Source: Previous clip", "file video playlist previous"},
    {"Source: Show the unfiltered picture", "original without filter off bypass"},
    {"Picture: Zoom in", "magnify closer enlarge"},
    {"Picture: Zoom out", "farther shrink"},
    {"Picture: Fit the picture", "zoom reset whole"},
    {"Picture: One pixel to one", "zoom 100 % actual size"},
    {"Picture: Move", "pan scroll"},
    {"Filter: Larger radius", "bigger size stronger blur"},
    {"Filter: Smaller radius", "size weaker"},
    {"Filter: More gain", "contrast amplify stronger multiply"},
    {"Filter: Less gain", "contrast weaker"},
    {"Filter: More bias", "brightness brighter lighter offset"},
    {"Filter: Less bias", "brightness darker offset"},
    {"Filter: Next border", "padding boundary mirror replicate wrap"},
    {"Filter: Edit weights", "matrix kernel numbers coefficients"},
    {"Filter: Undo", "revert back"},
    {"Filter: Redo", "again"},
    {"Filter: Copy the weights", "matrix kernel coefficients"},
    {"Filter: Paste weights", "matrix kernel coefficients"},
    {"Filter: Normalise", "normalize scale sum"},
    {"Filter: Flip left and right", "mirror horizontal"},
    {"Filter: Flip top and bottom", "mirror vertical upside down"},
    {"Filter: Rotate", "turn 90"},
    {"Filter: Save the filter", "export matrix kernel json"},
    {"Filter: Load a filter", "open import matrix kernel json"},
    {"Strategy: Next strategy", "algorithm method implementation"},
    {"Strategy: Previous strategy", "algorithm method implementation"},
    {"Strategy: Colour", "gray color grayscale greyscale grey scale black and white monochrome pixel format"},
    {"Strategy: Next backend", "gpu cpu cuda emulated device"},
    {"Strategy: Clear the timings", "reset statistics times benchmark"},
    {"Timing: Sweep", "benchmark plot chart graph measure"},
    {"Timing: Compare times", "baseline speed-up reference"},
    {"Recording: Start or stop recording", "video capture film save"},
    {"Recording: Render", "export video save convert"},
    {"Recording: Save a screenshot", "photo image picture capture snapshot export png"},
    {"Recording: Copy the picture", "screenshot clipboard image"},
    {"Recording: Save the last seconds", "animation replay"},
    {"Views: View: single", "one alone"},
    {"Views: View: grid", "side by side tiles layout all together"},
    {"Views: View: split", "before and after wipe slider curtain side by side layout"},
    {"Views: View: difference", "subtract compare diff change"},
    {"Views: View: blink", "flicker alternate toggle compare"},
    {"Views: Next view", "layout"},
    {"Views: Difference: false colour", "heatmap heat map colormap color"},
    {"Views: Difference: more gain", "contrast amplify"},
    {"Panes: Add", "new duplicate compare"},
    {"Panes: Close", "remove delete"},
    {"Panes: Label", "card caption name"},
    {"Panes: Swap", "exchange"},
    {"Panes: Link", "lock sync together"},
    {"Inspect: Values", "pixel colour color picker eyedropper numbers"},
    {"Inspect: Magnifier", "zoom loupe pixels"},
    {"Inspect: Histogram", "levels distribution brightness"},
    {"Inspect: Explain", "why how computed sum"},
    {"Window: Full screen", "fullscreen maximise maximize"},
    {"Window: Dark or light", "theme colours colors black white night mode"},
    {"Window: Larger text", "font bigger size scale"},
    {"Window: Smaller text", "font size scale"},
    {"Window: Projector", "presentation beamer lecture"},
    {"Window: Settings", "options preferences configuration theme sound"},
    {"Window: Messages so far", "history notifications log errors past"},
    {"Window: Keys and mouse", "help shortcuts keyboard manual hotkeys"},
    {"Window: Recording panel", "sound audio video"},
    {"Window: Show or hide the panels", "sidebar toolbar"},
    {"Window: Show or hide the overlay", "labels captions text"},
    {"Window: Save the session", "settings project workspace state"},
    {"Window: Wait for the display", "tearing fps frame rate"},
    {"Window: Quit", "exit close leave end"},
};

}  // namespace

std::string everyday_words_of(std::string_view name) {
  std::string words;
  for (const auto& [begin, also] : everyday_words)
    if (name.starts_with(begin)) words += (words.empty() ? "" : " ") + std::string(also);
  return words;
}

}  // namespace convoscope::ui
