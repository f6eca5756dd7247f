#pragma once
// The program and ffmpeg in a folder of a test.
#include <string>

#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {

inline const std::string offscreen = " --offscreen --backend cpu --window 320x200 ";

inline void ffmpeg(const Folder& folder, const std::string& arguments) {
  shell("cd '" + folder.path().string() + "' && ffmpeg -nostdin -v error -y " + arguments);
}

// Its exit code; what it says is in the files out and err. `before`: what the shell does first.
inline int convoscope(const Folder& folder, const std::string& arguments, const std::string& before = "") {
  return bash(folder.path(), before + "timeout 60 \"$CONVOSCOPE\" " + arguments + " >out 2>err");
}

// What filter leaves where it could not make all of a file: "out.part.mkv" of "out.mkv".
inline std::string part_of(const std::string& output) {
  const std::size_t dot = output.rfind('.');
  return output.substr(0, dot) + ".part" + output.substr(dot);
}

}  // namespace convoscope
