#pragma once
#include <string>
#include <vector>

namespace convoscope {

std::vector<std::string> lesson_words();  // the names of the program's own lessons

}  // namespace convoscope
