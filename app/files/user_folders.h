#pragma once
// The user's own folders, as the desktop names them.
#include <string>

namespace convoscope {

struct UserFolders {
  std::string pictures, videos;  // from the root on; folders that are there
};

// As $XDG_CONFIG_HOME/user-dirs.dirs has them (else ~/.config/…), else ~/Pictures and ~/Videos; where those are not
// there the home folder, and without one `otherwise`. Looks at the disk.
UserFolders user_folders(const std::string& otherwise);

}  // namespace convoscope
