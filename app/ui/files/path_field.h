#pragma once
// A text field for a path, an address or another source, that completes what is typed from the folder it names.
#include <array>
#include <optional>
#include <string>

#include "app/state/files.h"
#include "app/ui/memory/file_dialogs.h"

namespace convoscope::ui {

// At ImGui's cursor, as wide as the next item. True when Enter was pressed. `at_rest`: shown instead of the text while
// nobody types; empty: the text.
bool draw_path_field(const char* id, const char* hint, PathField&, const std::string& tip,
                     const std::string& at_rest = {});

// What Tab makes of it: as far as all names of the listing that begin so go on alike; a folder gets its slash.
std::string completed(const std::string& typed, const std::string& base, const FolderListing&);

}  // namespace convoscope::ui
