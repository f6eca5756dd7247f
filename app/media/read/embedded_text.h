#pragma once
// A text that a picture or recording carries beside its pixels, by its key.
#include <optional>
#include <string>

namespace convoscope {

// Nothing when there is none. Throw Error when the file cannot be read as what it is. May take a while: not for the
// window's thread.
std::optional<std::string> text_of_png(const std::string& path, const std::string& key);
std::optional<std::string> container_text(const std::string& path, const std::string& key);

}  // namespace convoscope
