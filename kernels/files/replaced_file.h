#pragma once
// Small files that are replaced as a whole: written into a draft beside them, which then takes their name. Nothing here
// throws.
#include <string>
#include <string_view>

namespace convoscope {

// Leaves the old file or the new one, whatever ends the program, and nobody reads half a file, whoever else writes
// it. The new one is for this user alone; nothing is written through a link. A draft is locked while it is written and
// bears the mark of a part (part_mark.h): one that a killed program has left goes at the next call for the same name,
// and of others' files none does. `folder` is an open one, or AT_FDCWD. False: errno says why not, and the old file is
// as it was.
bool replace_as_whole(int folder, const std::string& name, std::string_view content);

}  // namespace convoscope
