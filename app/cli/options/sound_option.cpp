#include "app/cli/options/sound_option.h"

#include "app/cli/options/values.h"
#include "app/state/sound_kind.h"
#include "app/state/sound_taps.h"

namespace convoscope {

Options sound_options() {
  return block("Sound", Turn::usual,
               {{"--sound", "SPEC",
                 "What is heard goes through this filter: low-pass:cutoff=1000,\ntaps (\"0.25 0.5 0.25\"), or off; see "
                 "convoscope list filters\n--kind signal",
                 [](Reading& at) {
                   SoundSettings& sound = at.settings().sound;
                   sound.filtered = at.text() != "off";
                   if (sound.filtered) sound.filter = parse_sound_filter(at.text());
                 }},
                {"--sound-strategy", "ID",
                 "How to compute that (default: auto, the likely\nfastest of the CPU); see convoscope\nlist strategies "
                 "--kind signal",
                 [](Reading& at) { at.settings().sound.strategy = parse_sound_strategy(at.text()); }}});
}

std::string parse_sound_strategy(const std::string& id) {
  return parse_choice("strategy for sound", id, strategy_ids(sound_kind));
}

}  // namespace convoscope
