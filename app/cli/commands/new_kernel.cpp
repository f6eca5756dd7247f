// convoscope new-kernel: a file of the user's own to begin with.
#include "kernels/own/new_kernel.h"

#include <cstdio>
#include <filesystem>

#include "app/cli/commands/commands.h"
#include "kernels/files/output_file.h"
#include "kernels/own/carried.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

// What is there stays, unless it is the same.
void write_beside(const fs::path& path, std::string_view text) {
  std::error_code error;
  if (fs::exists(path, error)) {
    std::fprintf(stderr, "%s is there already and stays as it is.\n", path.c_str());
    return;
  }
  write_file(path.string(), text);
  std::fprintf(stdout, "%s\n", path.c_str());
}

}  // namespace

int run_new_kernel(const Invocation& invocation) {
  own::NewKernel wanted;
  if (!invocation.kinds.empty()) wanted.kind = invocation.kinds.front();
  if (!invocation.formats.empty()) wanted.format = invocation.formats.front();
  wanted.fork = invocation.own.fork;
  const std::string text = own::new_kernel_text(wanted);
  const fs::path path = invocation.output, folder = path.parent_path();
  std::error_code error;
  if (!invocation.own.force && fs::exists(path, error))
    throw Error("The file " + in_quotes(path.string()) +
                " is there already. Choose another name, or add --force to replace it.");
  write_file(path.string(), text);
  std::fprintf(stdout, "%s\n", path.c_str());
  // The header is the program's own: one of another version is replaced by what this one explains.
  const fs::path header = folder / "convoscope_kernel.h";
  write_file(header.string(), kernel_header);
  std::fprintf(stdout, "%s\n", header.c_str());
  write_beside(folder / "compile_commands.json", own::compile_commands_text(path.string()));
  std::fprintf(stderr, "Now: convoscope grade %s\n", path.c_str());
  return 0;
}

}  // namespace convoscope
