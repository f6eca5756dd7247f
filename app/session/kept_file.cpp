#include "app/session/kept_file.h"

#include "app/session/json_text.h"
#include "app/session/text_file.h"

namespace convoscope {

using nlohmann::json;

namespace {

constexpr const char* foreign = "is not one that this program writes";

// For whoever looks for the file: no part of it is left out.
std::string whole_in_quotes(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

}  // namespace

std::string cannot_be_kept_in(const std::filesystem::path& path, const std::string& why) {
  return whole_in_quotes(path) + " cannot be written (" + why +
         "). Check that its folder may be written to and has room; the next change is tried again.";
}

std::string skipped_text(const std::string& names) {
  return "has values that make no sense, which were skipped: " + names;
}

json KeptFile::read() {
  known_ = json::object();
  skipped_.clear();
  mistake_.clear();
  refusal_.clear();
  if (path_.empty()) return known_;
  const FileText file = read_small_file(path_);
  refusal_ = file.problem;
  if (!file.text) return known_;
  JsonText parsed = read_json(*file.text);
  if (!parsed.problem.empty() || !parsed.value.is_object()) {
    const bool has_some = parsed.value.is_object();
    mistake_ = has_some ? parsed.problem : foreign;
    // Nothing is known of the file that takes its place.
    return has_some ? std::move(parsed.value) : json::object();
  }
  known_ = std::move(parsed.value);
  return known_;
}

void KeptFile::note_foreign() {
  known_ = json::object();
  if (mistake_.empty()) mistake_ = foreign;
}

std::vector<std::string> KeptFile::settle() {
  std::vector<std::string> said;
  const std::string name = "The " + what_ + " file " + whole_in_quotes(path_);
  if (!refusal_.empty())
    said.push_back(name + " " + refusal_ + ". It is left as it is, and changes made in this run are not kept.");
  if (!skipped_.empty()) {
    const std::filesystem::path copy = mistake_.empty() ? copy_aside(path_, "broken") : std::filesystem::path();
    said.push_back(name + " " + skipped_text(skipped_) + ". The rest is used" +
                   (copy.empty() ? "." : ", and the file as it was is kept as " + whole_in_quotes(copy) + "."));
    skipped_.clear();
  }
  if (mistake_.empty()) return said;
  const std::filesystem::path aside = put_aside("broken");
  const char* const used = mistake_ == foreign ? "Nothing in it" : "What comes before it";
  if (aside.empty()) {
    refusal_ = mistake_;
    said.push_back(name + " " + mistake_ + ". " + used + " is used; the file is left as it is.");
  } else {
    said.push_back(name + " " + mistake_ + ". " + used + " is used, and the file is kept as " + whole_in_quotes(aside) +
                   ".");
  }
  mistake_.clear();
  return said;
}

std::string KeptFile::write(const json& now) {
  if (!refusal_.empty()) return {};  // told by settle()
  if (path_.empty())
    return "Neither XDG_CONFIG_HOME and XDG_STATE_HOME nor HOME are set to absolute paths, so what you set is not "
           "kept. Set HOME to keep it.";
  json changes = json::object();
  for (const auto& [key, value] : now.items())
    if (const auto known = known_.find(key); known == known_.end() || *known != value) changes[key] = value;
  if (changes.empty()) return {};
  // Another window or the user may have written to it since.
  const FileText file = read_small_file(path_);
  JsonText there = read_json(file.text.value_or("{}"));
  if (!file.text || !there.value.is_object() || there.value.empty()) changes = now;
  if (file.text && (!there.problem.empty() || !there.value.is_object())) {
    put_aside("broken");
    changes = now;
    if (!there.value.is_object()) there.value = json::object();
  }
  if (!there.value.is_object()) there.value = json::object();
  there.value.merge_patch(changes);
  if (const std::string why = replace_file(path_, write_json(there.value, 2) + '\n'); !why.empty())
    return "The " + what_ + " cannot be kept: " + cannot_be_kept_in(path_, why) +
           " Until then Ctrl+S saves a session elsewhere.";
  known_ = now;
  return {};
}

std::filesystem::path KeptFile::put_aside(const char* word) {
  known_ = json::object();
  return path_.empty() ? path_ : convoscope::put_aside(path_, word);
}

}  // namespace convoscope
