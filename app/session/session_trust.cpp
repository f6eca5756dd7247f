#include "app/session/session_trust.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/files/paths.h"
#include "app/media/read/local_files.h"
#include "app/media/read/playlist.h"
#include "app/media/sources/source.h"
#include "app/session/places.h"
#include "app/session/session_file.h"
#include "kernels/filter/banks/network_layers.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& holder) {
  std::error_code unknown;
  return fs::absolute(holder, unknown).lexically_normal().parent_path();
}

// The name in the folder that a bare name means: also where a session has written the whole path of the same folder.
std::string bare_name(const std::string& name, const fs::path& folder) {
  const fs::path path = fs::path(name).lexically_normal();
  const std::string last = path.filename().string();
  if (last.empty() || last == "." || last == "..") return "";
  return path.parent_path().empty() || (path.is_absolute() && path.parent_path() == folder) ? last : "";
}

bool is_pattern_of_names(const std::string& name) { return name.find_first_of("%*?[") != std::string::npos; }

// Whether all that it means lies in the folder, links seen through. Whether it is there, and nothing else, is asked of
// the disk: a pipe is not opened.
bool lies_beside(const fs::path& path, const std::string& holder) {
  std::error_code unknown;
  const fs::file_status itself = fs::symlink_status(path, unknown);
  if (fs::is_symlink(itself)) return false;  // whatever it leads to, a look there may reach a network
  if (fs::exists(itself)) return is_below(path, holder);
  if (!is_pattern_of_names(path.filename().string())) return false;
  const std::vector<fs::path> files = local_files(path.string());
  return !files.empty() && std::ranges::all_of(files, [&](const fs::path& file) { return is_below(file, holder); });
}

std::string whole(const std::string& name, const fs::path& folder) {
  return (fs::path(name).is_absolute() ? fs::path(name) : folder / name).lexically_normal().string();
}

bool listens(const std::string& address) {
  constexpr std::string_view binding[] = {"udp:", "udplite:", "rtp:", "srtp:", "rist:"};
  return address.find("listen") != std::string::npos ||
         std::ranges::any_of(binding, [&](std::string_view scheme) { return address.starts_with(scheme); });
}

std::string what_it_is(const std::string& input) {
  const std::string quoted = "'" + printable(input) + "'";
  if (input.starts_with("file:")) return "the file " + quoted;
  if (listens(input) && names_no_file(input)) return "a port of this machine that others can send to, " + quoted;
  for (const OfferedSource& source : known_sources())
    if (source.kind->names(input)) return "the " + std::string(source.kind->id) + " " + quoted;
  return "the file " + quoted;
}

std::string beginning_of(const SessionOffer& offer) {
  return "The session in '" + printable(offer.holder) + "' names " + offer.what;
}

}  // namespace

SessionOrigin origin_of_opened(const std::string& holder) {
  if (is_picture_or_recording(holder)) return SessionOrigin::foreign;
  std::error_code none;
  const fs::path own = session_path().parent_path();
  const bool is_ours =
      !own.empty() && fs::equivalent(folder_of(holder), own, none) && !fs::is_symlink(fs::symlink_status(holder, none));
  return is_ours ? SessionOrigin::own : SessionOrigin::foreign;
}

SessionOrigin origin_of_named(const std::string& holder) {
  const SessionOrigin opened = origin_of_opened(holder);
  return opened == SessionOrigin::foreign && !is_picture_or_recording(holder) ? SessionOrigin::named : opened;
}

std::string question_of(const SessionOffer& offer) {
  return beginning_of(offer) + ". It is " +
         (offer.weights.empty() ? "opened only if you say so; until then the test pattern plays."
                                : "read only if you say so.");
}

std::string why_not_taken(const SessionOffer& offer) {
  return beginning_of(offer) + ", which does not lie beside it and is not opened unasked. Give it " +
         (offer.weights.empty() ? "as INPUT, too." : "with --bank, too.");
}

ForeignName foreign_source(const std::string& name, const std::string& holder, const std::vector<std::string>& recent) {
  if (name.empty() || name == "-") return {};
  if (source_named("pattern").kind.names(name)) return {name, ""};
  if (names_no_file(name) || name.starts_with("file:")) return {"", name};
  const fs::path folder = folder_of(holder);
  const std::string bare = bare_name(name, folder);
  if (bare.empty()) return {"", whole(name, folder)};
  const std::string beside = (folder / bare).string();
  if (lies_beside(beside, holder)) return {beside, ""};
  std::error_code none;
  if (fs::is_symlink(fs::symlink_status(beside, none))) return {"", beside};
  for (const std::string& known : recent)
    if (fs::path(known).filename() == bare && fs::exists(known, none)) return {"", fs::absolute(known, none).string()};
  return fs::path(name).is_absolute() ? ForeignName{"", name} : ForeignName{};
}

SessionOffer source_offer(const std::string& input, const std::string& holder) {
  return {holder, what_it_is(input), input, ""};
}

std::optional<SessionOffer> settle_foreign_network(nlohmann::json& session, const std::string& holder,
                                                   std::string& missing) {
  const auto layer = session.find("layer");
  if (layer == session.end() || !layer->is_object()) return {};
  const auto network = layer->find("network");
  if (network == layer->end() || !network->is_string()) return {};
  const std::string name = network->get<std::string>();
  if (name.empty() || find_network_kind(name)) return {};
  const fs::path folder = folder_of(holder);
  const std::string bare = bare_name(name, folder);
  const fs::path beside = folder / bare;
  if (!bare.empty() && lies_beside(beside, holder)) {
    *network = beside.string();
    return {};
  }
  layer->erase(network);
  if (bare.empty() || fs::path(name).is_absolute())
    return SessionOffer{holder, "the network '" + printable(whole(name, folder)) + "'", "", whole(name, folder)};
  missing = name;
  return {};
}

}  // namespace convoscope
