// Completion for the shells, from the tables of --help.
#include <map>

#include "app/cli/command_tables.h"
#include "app/cli/options/values.h"
#include "app/media/sources/source.h"

namespace convoscope {
namespace {

std::string spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string replaced(std::string text, const std::map<char, std::string>& by) {
  std::string out;
  for (const char c : text) out += by.contains(c) ? by.at(c) : std::string(1, c);
  return out;
}

// What is no choice of words may be the name of a file, and a FILTER may be either.
bool takes_file(const OptionRow& row) {
  return row.value == "FILE" || row.value == "SPEC" || row.name() == "INPUT" || row.name() == "OUTPUT" ||
         row.name() == "KERNEL";
}

std::string command_words(const std::vector<CommandTable>& tables) {
  std::string out;
  for (const CommandTable& table : tables)
    if (!table.name.empty()) out += table.name + " ";
  return out + "help";
}

// "$command == bench || $command == grade".
std::string with_file_of_json(const std::vector<CommandTable>& tables) {
  std::string out;
  for (const CommandTable& table : tables)
    for (const OptionRow& row : table.rows)
      if (row.name() == "--json" && !row.value.empty())
        out += (out.empty() ? "$command == " : " || $command == ") + table.name;
  return out;
}

// Words that are an INPUT: " pattern camera screen".
std::string source_words() {
  std::string out;
  for (const OfferedSource& source : known_sources())
    if (const std::string id(source.kind->id); source.kind->names(id)) out += " " + id;
  return out;
}

std::string bash_script(const std::vector<CommandTable>& tables) {
  std::string out =
      "# Completion of convoscope for bash, made by: convoscope help --completion bash\n_convoscope() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= files=yes\n"
      "  local command=${COMP_WORDS[1]}\n  case \"$before\" in\n";
  std::map<std::string, bool> seen;
  for (const CommandTable& table : tables)
    for (const OptionRow& row : table.rows) {
      if (row.argument || row.value.empty()) continue;
      const bool json_flag = row.name() == "--json";  // a flag of other commands: some name a file with it
      if (!seen.try_emplace(row.name()).second) continue;
      const std::vector<std::string>& values = row.words;
      out += "    " + row.name() + ") ";
      if (json_flag) out += "[[ " + with_file_of_json(tables) + " ]] && ";
      out += "words='" + spaced(values) + "' files=" + (takes_file(row) ? "yes" : "no") + " before= ;;\n";
    }
  out += "    --completion) words='bash zsh fish' files=no before= ;;\n";
  out += "    *) before=none ;;\n  esac\n  if [[ -n $before ]]; then\n    case \"$command\" in\n";
  for (std::size_t i = 1; i <= tables.size(); ++i) {
    const CommandTable& table = tables[i % tables.size()];  // the window's is for all others: last
    std::vector<std::string> options, arguments;
    for (const OptionRow& row : table.rows)
      if (row.argument)
        for (const std::string& value : row.words) arguments.push_back(value);
      else
        for (const std::string& name : row.names) options.push_back(name);
    out += "      " + (table.name.empty() ? "*" : table.name) + ") if [[ $word == -* ]]; then words='" +
           spaced(options) + "' files=no; else words='" + spaced(arguments) + "'; fi ;;\n";
    if (i + 1 == tables.size())
      out += "      help) words='" + command_words(tables) + " --man --completion' files=no ;;\n";
  }
  out += "    esac\n    if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then words='" + command_words(tables) +
         source_words() +
         "'; fi\n  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  if [[ $files == yes ]]; then mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\"); fi\n"
         "}\ncomplete -o filenames -F _convoscope convoscope\n";
  return out;
}

std::string zsh_script(const std::vector<CommandTable>& tables) {
  const auto text = [](const std::string& help) {
    return replaced(help, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}});
  };
  std::string out =
      "#compdef convoscope\n# Made by: convoscope help --completion zsh\n_convoscope() {\n"
      "  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n    compadd -- " +
      command_words(tables) + source_words() +
      "\n    _files\n    return\n  fi\n"
      "  local command=$words[2]\n  case $command in\n    help) compadd -- " +
      command_words(tables) + " ;;\n";
  for (std::size_t i = 1; i <= tables.size(); ++i) {
    const CommandTable& table = tables[i % tables.size()];
    out += "    " + (table.name.empty() ? "*" : table.name) + ")\n";
    if (!table.name.empty()) out += "      shift words\n      ((CURRENT--))\n";
    out += "      _arguments";
    for (const OptionRow& row : table.rows) {
      const std::vector<std::string>& values = row.words;
      const std::string action = values.empty()    ? takes_file(row) ? "_files" : " "
                                 : takes_file(row) ? "{compadd -- " + spaced(values) + "; _files}"
                                                   : "(" + spaced(values) + ")";
      if (row.argument) {
        out += " \\\n        ':" + text(row.name()) + ":" + action + "'";
        continue;
      }
      for (const std::string& name : row.names)
        out += " \\\n        '*" + name + "[" + text(row.help) + "]" +
               (row.value.empty() ? "" : ":" + text(row.value) + ":" + action) + "'";
    }
    out += " ;;\n";
  }
  return out + "  esac\n}\n_convoscope \"$@\"\n";
}

std::string fish_script(const std::vector<CommandTable>& tables) {
  const auto quoted = [](const std::string& text) {
    return "'" + replaced(text, {{'\'', "\\'"}, {'\\', "\\\\"}}) + "'";
  };
  const std::string commands = command_words(tables), start = "complete -c convoscope -n ";
  std::string out = "# Completion of convoscope for fish, made by: convoscope help --completion fish\n";
  out += start + "__fish_use_subcommand -a " + quoted(commands + source_words()) + "\n";
  for (const CommandTable& table : tables) {
    const std::string when = table.name.empty() ? quoted("not __fish_seen_subcommand_from " + commands)
                                                : quoted("__fish_seen_subcommand_from " + table.name);
    for (const OptionRow& row : table.rows) {
      const std::vector<std::string>& values = row.words;
      const std::string offered = values.empty() ? "" : " -a " + quoted(spaced(values));
      if (row.argument) {
        if (!values.empty()) out += start + when + " -f" + offered + "\n";
        continue;
      }
      out += start + when;
      for (const std::string& name : row.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!row.value.empty()) out += takes_file(row) ? " -r" : " -x";
      out += offered + " -d " + quoted(row.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  const std::string known = parse_choice("shell", shell, shells);
  const std::vector<CommandTable> tables = command_tables();
  return known == "bash" ? bash_script(tables) : known == "zsh" ? zsh_script(tables) : fish_script(tables);
}

}  // namespace convoscope
