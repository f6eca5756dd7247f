#include "app/doctor/manual_page.h"

#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command_tables.h"
#include "app/ui/ui.h"

namespace convoscope {
namespace {

// A line that begins with a dot or a quote would be a request, a bare hyphen is typeset as one that cannot be copied.
std::string escaped(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Indented lines stay as they are; the others are running text.
std::string prose(const std::string& text) {
  std::string out;
  bool kept = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("  ") != kept && !line.empty()) out += (kept = !kept) ? ".nf\n" : ".fi\n";
    out += line.empty() ? ".PP\n" : escaped(line) + "\n";
  }
  return out + (kept ? ".fi\n" : "");
}

std::string tagged(const std::string& tag, const std::string& text) {
  return ".TP\n" + tag + "\n" + escaped(text) + "\n";
}

std::string options(const CommandTable& table) {
  std::string out, group;
  for (const OptionRow& row : table.rows) {
    if (row.group != group && !row.argument) {
      group = row.group;
      out += ".PP\n\\fI" + escaped(group) + "\\fR\n";
    }
    std::string tag;
    for (const std::string& name : row.names) tag += (tag.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
    out += tagged(tag + (row.value.empty() ? "" : " \\fI" + escaped(row.value) + "\\fR"), row.help);
  }
  return out;
}

std::string keys() {
  std::string out, group, before;
  for (const KeyBinding& binding : key_bindings()) {
    const std::string row = tagged("\\fB" + escaped(binding.keys) + "\\fR", binding.action);
    if (row == std::exchange(before, row)) continue;  // "1 … 9" are nine
    if (binding.group != group) {
      group = binding.group;
      out += ".SS " + escaped(group) + "\n";
    }
    out += row;
  }
  return out;
}

}  // namespace

std::string manual_page() {
  std::string out = ".TH CONVOSCOPE 1 \"" CONVOSCOPE_RELEASED "\" \"convoscope " CONVOSCOPE_VERSION
                    "\" \"User Commands\"\n.SH NAME\nconvoscope \\- an oscilloscope for convolution kernels\n"
                    ".SH SYNOPSIS\n";
  const std::vector<CommandTable> tables = command_tables();
  for (const CommandTable& table : tables) {
    out += table.name.empty() ? "" : ".br\n";
    out += "\\fBconvoscope" + (table.name.empty() ? "" : " " + table.name) + "\\fR";
    for (const OptionRow& row : table.rows)
      if (row.argument) out += row.required ? " \\fI" + row.name() + "\\fR" : " [\\fI" + row.name() + "\\fR]";
    out += " [\\fIoptions\\fR]\n";
  }
  out += ".SH DESCRIPTION\n" + prose(tables[0].description) + ".SH OPTIONS\n" + options(tables[0]) + ".SH NOTES\n" +
         prose(tables[0].footer);
  out += ".SH COMMANDS\n";
  for (const CommandTable& table : tables)
    if (!table.name.empty())
      out += ".SS convoscope " + table.name + "\n" + prose(table.description) + options(table) + ".PP\n" +
             prose(table.footer);
  out += ".SH KEYS\nThese are the keys of the window; F1 shows them as well.\n" + keys();
  out +=
      ".SH FILES\nSettings are kept in $XDG_CONFIG_HOME/convoscope (~/.config/convoscope), the session in "
      "$XDG_STATE_HOME/convoscope (~/.local/state/convoscope), what was measured and compiled in "
      "$XDG_CACHE_HOME/convoscope (~/.cache/convoscope).\n\\fBconvoscope doctor\\fR shows where they are.\n";
  return out;
}

}  // namespace convoscope
