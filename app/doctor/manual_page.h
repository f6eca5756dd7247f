#pragma once
#include <string>

namespace convoscope {

// convoscope(1) in troff, from the tables of --help and of the keys.
std::string manual_page();

}  // namespace convoscope
