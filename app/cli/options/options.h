#pragma once
// How every command reads its options: CLI11 collects texts, values.cpp gives them meaning, so that every message about
// a value reads the same.
#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace convoscope {

inline constexpr int max_side = 16384;  // the largest texture that OpenGL 4.5 hardware must take

// What was written, before it is understood.
struct Texts {
  std::map<std::string, std::vector<std::string>> options;
  std::map<std::string, bool> flags;

  bool has(const std::string& name) const { return options.contains(name) && !options.at(name).empty(); }
  const std::string& last(const std::string& name) const { return options.at(name).back(); }
  std::vector<std::string> list(const std::string& name) const;  // repeated options and comma-separated values alike
};

void option(CLI::App&, Texts&, const std::string& name, const char* type, const char* group, const std::string& help);
void flag(CLI::App&, Texts&, const std::string& name, const char* group, const std::string& help);
void format_app(CLI::App&);

// Runs CLI11 and says in our words what it found wrong (throws Error). Returns the text of --help, if asked for.
std::optional<std::string> collect(CLI::App&, int argc, const char* const* argv, Texts&);

FilterSpec named_filter(const std::string&);  // throws Error

// --max-pixels and --trust-playlists.
void add_safety(CLI::App&, Texts&, const char* group);
void read_safety(const Texts&, Settings&);

// --backend and --device, for each command the same.
void add_backend(CLI::App&, Texts&, const char* group, bool takes_emulated = true);
void read_backend(const Texts&, Invocation&);

// The options of each command and what --help says of them; the manual page and the shells' completion read them, too.
void describe_window(CLI::App&, Texts&);
void describe_list(CLI::App&, Texts&);
void describe_verify(CLI::App&, Texts&);
void describe_bench(CLI::App&, Texts&);
void describe_filter_file(CLI::App&, Texts&);
void describe_doctor(CLI::App&, Texts&);

// One parser a command; argv[0] is the command's own name.
void parse_window(int argc, const char* const* argv, const FirstSettings&, Invocation&);
void parse_list(int argc, const char* const* argv, Invocation&);
void parse_verify(int argc, const char* const* argv, Invocation&);
void parse_bench(int argc, const char* const* argv, Invocation&);
void parse_filter_file(int argc, const char* const* argv, Invocation&);
void parse_doctor(int argc, const char* const* argv, Invocation&);

}  // namespace convoscope
