#pragma once
// An option of the command line is one row of a table: its name, what stands behind it, its help, and how it is read
// and into what. Help, the manual page, the shells' completion and parsing have nothing but these rows. CLI11 collects
// texts, and values.cpp gives them meaning, so that every message about a value reads the same.
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/options/output_names.h"

namespace convoscope {

struct Workbench;

inline constexpr int max_side = 16384;  // the largest texture that OpenGL 4.5 hardware must take

// What was written, before it is understood. By the long names; of an argument: "INPUT".
struct Texts {
  std::map<std::string, std::vector<std::string>> options;
  std::map<std::string, bool> flags;

  bool has(const std::string& name) const;  // an option with a value, or a flag
  const std::string& last(const std::string& name) const { return options.at(name).back(); }
  std::vector<std::string> list(const std::string& name) const;  // repeated options and comma-separated values alike
};

// One command line while the rows of its command are read.
struct Reading {
  const Texts& texts;
  Invocation& invocation;
  std::string option{};                  // of the row at hand, or "INPUT"
  OutputNames names{};                   // what is read and written, to be checked in the end
  Beginning beginning{};                 // of the window
  const Workbench* workbench = nullptr;  // that --workbench names

  Settings& settings() const { return invocation.settings; }
  bool has(const std::string& name) const { return texts.has(name); }
  // What stands behind the row's option, the last time that it was written. The others throw Error.
  const std::string& text() const { return texts.last(option); }
  int whole(int minimum, int maximum) const;
  double real(double minimum, double maximum) const;
  Size size(int minimum) const;  // pixels
  bool on() const;               // on, off
};

// Rows are read turn by turn, and in the order of the table within one.
enum class Turn {
  first,   // what decides what the others begin with
  input,   // what is played, and on which workbench
  panes,   // which there are
  usual,   // what the panes and the window are told
  late,    // what is checked against the strategies that were named
  output,  // what is written
};

struct Option {
  std::string name;   // "--size"; "-V,--version"; without hyphens: an argument
  std::string value;  // "WxH"; empty for a flag and an argument
  std::string help;   // with its line breaks
  // Called once where the option was written, throws Error. Empty: another row's reads it as well.
  std::function<void(Reading&)> read;
  std::vector<std::string> (*words)() = nullptr;  // what may stand behind it, where that is a choice of words
  bool required = false;                          // of an argument
  bool many = false;                              // of the last argument: it may be written again and again
  bool Workbench::*of = nullptr;                  // it belongs to the workbenches that have this, and to no other
  std::string group = "Options";
  Turn turn = Turn::usual;

  bool is_argument() const { return !name.starts_with('-'); }
  bool is_flag() const { return value.empty() && !is_argument(); }
  std::string key() const { return name.substr(name.rfind(',') + 1); }  // the long name
};
using Options = std::vector<Option>;

// A command with all that --help says of it.
struct Command {
  std::string name;  // "list"; empty for the window's
  std::string description, footer;
  Options options;
};

Options block(const char* group, Turn, Options);
Options block(const char* group, Turn, bool Workbench::*of, Options);
Options joined_blocks(std::initializer_list<Options>);

// Sets one of the invocation's flags.
std::function<void(Reading&)> sets(bool Invocation::*);

// Runs CLI11 and says in our words what it found wrong (throws Error). argv[0] is the command's own name. Returns the
// text of --help, if asked for.
std::optional<std::string> collect(const Command&, int argc, const char* const* argv, Texts&);

// The rows of one turn that were written, or all rows, turn by turn.
void read_turn(const Options&, Turn, Reading&);
void read_all(const Options&, Reading&);

FilterSpec named_filter(const std::string&);  // throws Error

// Rows that several commands have.
Options safety_options(const char* group);  // --max-pixels and --trust-playlists
Options backend_options(const char* group, bool takes_emulated = true);

// Words that stand behind options of several commands.
std::vector<std::string> filter_words();
std::vector<std::string> strategy_words();
std::vector<std::string> border_words();
std::vector<std::string> format_words();
std::vector<std::string> precision_words();
std::vector<std::string> layout_words();
std::vector<std::string> tile_numbers();  // of list tiles

std::vector<std::string> command_names();  // as they are typed; with help

Command window_command();
Command list_command();
Command verify_command();
Command compute_command();
Command listing_command();
Command bench_command();
Command filter_command();
Command lesson_command();
Command grade_command();
Command new_kernel_command();
Command doctor_command();
Command experiment_command();
Command report_command();

// One parser a command; argv[0] is the command's own name.
void parse_window(int argc, const char* const* argv, const FirstSettings&, Invocation&);
void parse_list(int argc, const char* const* argv, Invocation&);
void parse_verify(int argc, const char* const* argv, Invocation&);
void parse_compute(int argc, const char* const* argv, Invocation&);
void parse_listing(int argc, const char* const* argv, Invocation&);
void parse_bench(int argc, const char* const* argv, Invocation&);
void parse_filter_file(int argc, const char* const* argv, Invocation&);
void parse_lesson_command(int argc, const char* const* argv, const FirstSettings&, Invocation&);
void parse_grade(int argc, const char* const* argv, Invocation&);
void parse_new_kernel(int argc, const char* const* argv, Invocation&);
void parse_doctor(int argc, const char* const* argv, Invocation&);
void parse_experiment(int argc, const char* const* argv, Invocation&);
void parse_report(int argc, const char* const* argv, Invocation&);

}  // namespace convoscope
