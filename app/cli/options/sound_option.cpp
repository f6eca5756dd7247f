#include "app/cli/options/sound_option.h"

#include "app/cli/options/values.h"
#include "app/state/sound_kind.h"
#include "app/state/sound_taps.h"

namespace convoscope {

void add_sound(CLI::App& app, Texts& texts, const char* group) {
  option(
      app, texts, "--sound", "SPEC", group,
      "What is heard goes through this filter: low-pass:cutoff=1000,\ntaps (\"0.25 0.5 0.25\"), or off; see convoscope "
      "list filters\n--kind signal");
  option(app, texts, "--sound-strategy", "ID", group,
         "How to compute that (default: auto, the likely\nfastest of the CPU); see convoscope\nlist strategies --kind "
         "signal");
}

void read_sound(const Texts& texts, Settings& settings) {
  SoundSettings& sound = settings.sound;
  if (texts.has("--sound")) {
    const std::string text = texts.last("--sound");
    sound.filtered = text != "off";
    if (sound.filtered) sound.filter = parse_sound_filter(text);
  }
  if (texts.has("--sound-strategy")) sound.strategy = parse_sound_strategy(texts.last("--sound-strategy"));
}

std::string parse_sound_strategy(const std::string& id) {
  return parse_choice("strategy for sound", id, strategy_ids(sound_kind));
}

}  // namespace convoscope
