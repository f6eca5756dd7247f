#pragma once
// The desktop's own program for folders.
#include <string>

namespace convoscope {

// Begins to show the folder there and does not wait for it. False: this desktop has no xdg-open.
bool show_folder_on_desktop(const std::string& folder);

}  // namespace convoscope
