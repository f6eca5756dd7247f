#pragma once
// The filters of a session: by name where a catalogue can make them again, else by their weights.
#include <string>

#include "app/session/fields.h"
#include "app/state/settings.h"

namespace convoscope {

nlohmann::json filter_json(const FilterSpec&);
FilterSpec read_filter(const nlohmann::json&);  // throws Error, or nlohmann's

// For sound. Throw the same.
SignalFilterSpec read_signal_filter(const nlohmann::json&);
std::string read_sound_strategy(const nlohmann::json&);
int read_sound_block(const nlohmann::json&);

template <class V>
void sound_fields(V& v, typename V::template Subject<SoundSettings>& sound) {
  const auto as_it_is = [](const auto& value) { return nlohmann::json(value); };
  v.flag("filtered", sound.filtered);
  v.value(
      "filter", sound.filter, [](const SignalFilterSpec& spec) { return nlohmann::json(spec_text(spec)); },
      read_signal_filter);
  v.value("strategy", sound.strategy, as_it_is, read_sound_strategy);
  v.value("block", sound.block, as_it_is, read_sound_block);
  v.flag("scope", sound.scope);
  v.flag("compare", sound.compare);
}

}  // namespace convoscope
