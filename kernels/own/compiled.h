#pragma once
// A kernel file, compiled by the host's compiler for the emulated device, with a call for every load and store.
#include <string>
#include <vector>

#include "kernels/own/kernel_file.h"
#include "kernels/own/process.h"

namespace convoscope::own {

struct Compiler {
  std::string path;
  bool is_clang = false;
};
// $CXX, g++, clang++ or c++; throws Error that names the package where there is none.
Compiler find_compiler();

// "filter<Rgba8, 1>": a launch's kernel with its template arguments.
std::string instance_name(const KernelFile&, const Launch&, PixelFormat, int sets, const Tuning&);
std::string type_name(const OwnMemory&, PixelFormat);  // "Wide<Rgba8>"

struct Compiled {
  std::string library;              // its path, in the folder; empty: it could not be compiled
  std::vector<SourceError> errors;  // then, of the file where a place is known
  std::string output;               // of the compiler
};
// Takes a second or so. Throws Error where something besides the file is in the way.
Compiled compile(const KernelFile&, const Compiler&, const TemporaryFolder&);

// A place in the library in terms of the file: the innermost line of it that the address belongs to, when functions of
// the header are inlined into it. `addresses` are relative to where the library begins; 0 where nobody knows.
std::vector<int> lines_of_code(const Compiled&, const std::vector<std::uint64_t>& addresses);

}  // namespace convoscope::own
