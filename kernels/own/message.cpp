#include "kernels/own/message.h"

#include <nlohmann/json.hpp>

namespace convoscope::own {
namespace {

using nlohmann::json;

json fault_json(const Fault& f) {
  return {static_cast<int>(f.kind), f.words, f.name, f.code, f.other, f.line, f.thread, f.count};
}
Fault fault_of(const json& j) {
  return {.kind = static_cast<Fault::Kind>(j.at(0).get<int>()),
          .words = j.at(1),
          .name = j.at(2),
          .code = j.at(3),
          .other = j.at(4),
          .line = j.at(5),
          .thread = j.at(6),
          .count = j.at(7)};
}

json tally_json(const PlaceTally& t) {
  return {t.loads, t.stores, t.shared, t.warps, t.lanes, t.sectors, t.least, t.conflicts};
}
PlaceTally tally_of(const json& j) { return {j.at(0), j.at(1), j.at(2), j.at(3), j.at(4), j.at(5), j.at(6), j.at(7)}; }

}  // namespace

std::string message_of(const Told& told) {
  json faults = json::array(), places = json::array();
  for (const Fault& fault : told.faults) faults.push_back(fault_json(fault));
  std::size_t i = 0;
  for (const auto& [code, place] : told.tally.places) places.push_back({told.code.at(i++), tally_json(place)});
  const json all{{"asked", told.asked},
                 {"not_asked", told.not_asked},
                 {"why_not_asked", told.why_not_asked},
                 {"faults", faults},
                 {"stories", told.stories},
                 {"first_wrong", told.first_wrong},
                 {"worst", told.worst},
                 {"wrong", told.wrong},
                 {"secret_only", told.secret_only},
                 {"not_confined", told.not_confined},
                 {"places", places},
                 {"sums", {told.tally.threads, told.tally.without_output, told.tally.distinct}},
                 {"unusable", told.unusable},
                 {"line", told.unusable_at.line},
                 {"column", told.unusable_at.column}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool read_message(const std::string& text, Told& told) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object()) return false;
  try {
    told.asked = all.at("asked");
    told.not_asked = all.at("not_asked");
    told.why_not_asked = all.at("why_not_asked").get<std::vector<std::pair<std::string, int>>>();
    for (const json& fault : all.at("faults")) told.faults.push_back(fault_of(fault));
    told.stories = all.at("stories").get<std::vector<std::string>>();
    told.first_wrong = all.at("first_wrong");
    told.worst = all.at("worst");
    told.wrong = all.at("wrong");
    told.secret_only = all.at("secret_only");
    told.not_confined = all.at("not_confined");
    for (const json& place : all.at("places")) {
      const std::uint64_t code = place.at(0);
      told.tally.places[code] = tally_of(place.at(1));
    }
    for (const auto& [code, place] : told.tally.places) told.code.push_back(code);
    told.tally.threads = all.at("sums").at(0);
    told.tally.without_output = all.at("sums").at(1);
    told.tally.distinct = all.at("sums").at(2);
    told.unusable = all.at("unusable");
    told.unusable_at = {all.at("line"), all.at("column")};
    told.whole = true;
  } catch (const json::exception&) {
    return false;
  }
  return true;
}

}  // namespace convoscope::own
