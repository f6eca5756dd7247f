#pragma once
// The rows of options as texts: the manual page and the shells' completion are made from the same tables as --help.
#include <string>
#include <vector>

namespace convoscope {

struct OptionRow {
  std::vector<std::string> names;  // "-V", "--version"; of an argument: "INPUT"
  std::string value;               // "SPEC"; empty for a flag or an argument
  std::string group, help;         // help: one line
  std::vector<std::string> words;  // that may stand behind it; empty where that is not a choice of words
  bool argument = false, required = false;

  const std::string& name() const { return names.back(); }  // the long one
};

struct CommandTable {
  std::string name;  // "list"; empty for the window's
  std::string description, footer;
  std::vector<OptionRow> rows;  // arguments first
};

std::vector<CommandTable> command_tables();  // the window's first

// A script for "bash", "zsh" or "fish" that completes the options. Throws Error for any other shell.
std::string completion_script(const std::string& shell);

}  // namespace convoscope
