#pragma once
// How a part of ours is known again: what is not whole bears a mark (an extended attribute of the file system) and,
// while somebody writes or reads it, a lock. A file of the same name that somebody else made has no mark.
#include <optional>
#include <string>

#include "kernels/files/descriptor.h"

namespace convoscope {

// Marks and locks a file that was just made, for as long as it is open; where the file system keeps no attributes it
// stays without a mark, and nobody takes it for ours later.
void begin_part(const Descriptor&);
// It is whole, so nobody may overwrite it.
void end_part(const Descriptor&);
// Removes what an earlier run has left, unless somebody writes or reads it now. False: it is no such part.
bool remove_left_part(const std::string& path);
bool remove_left_part(int folder, const std::string& name);  // the same in an open folder
// While what is returned is open, no other run overwrites it. Empty: it is no part of ours.
std::optional<Descriptor> read_part(const std::string& path);

}  // namespace convoscope
