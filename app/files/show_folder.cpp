#include "app/files/show_folder.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace convoscope {

bool show_folder_on_desktop(const std::string& folder) {
  // A shell in between ends at once, so that nobody has to wait for what it has begun; the folder is one argument.
  const std::string script = "command -v xdg-open >/dev/null || exit 1; xdg-open \"$1\" >/dev/null 2>&1 &";
  const std::string shell = "/bin/sh", option = "-c", name = "convoscope";
  char* const arguments[] = {const_cast<char*>(shell.c_str()),  const_cast<char*>(option.c_str()),
                             const_cast<char*>(script.c_str()), const_cast<char*>(name.c_str()),
                             const_cast<char*>(folder.c_str()), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, shell.c_str(), nullptr, nullptr, arguments, environ) != 0) return false;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace convoscope
