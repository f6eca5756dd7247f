#include "kernels/own/new_kernel.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/own/carried.h"
#include "kernels/own/source_text.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::vector<std::string> lines_of_text(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

bool is_namespace(const std::string& line) {
  return line.starts_with("namespace ") || line.starts_with("}  // namespace");
}

// What is said of it, and its device code: all between its namespace and the end of its last kernel.
struct Cut {
  std::string words, code;
};
Cut cut(std::string_view lesson) {
  const std::vector<std::string> lines = lines_of_text(lesson);
  const auto space = std::ranges::find_if(lines, is_namespace);
  const auto kernels = [](const std::string& line) { return line.find("__global__") != std::string::npos; };
  const auto last = std::find_if(lines.rbegin(), lines.rend(), kernels).base();
  const auto end = std::find(last, lines.end(), "}");
  Cut parts;
  for (auto line = lines.begin(); line != space && line->starts_with("//"); ++line) parts.words += *line + "\n";
  for (auto line = space; line != end + 1; ++line) {
    const bool blank = line->empty() && (parts.code.empty() || parts.code.ends_with("\n\n"));
    if (!is_namespace(*line) && line->find("ConstantOwner") == std::string::npos && !blank) parts.code += *line + "\n";
  }
  return parts;
}

bool names_word(std::string_view text, std::string_view word) {
  return std::ranges::any_of(tokens_of(text), [&](const Token& token) { return token.is(word); });
}

std::string tunables_text(const Strategy& strategy, std::string_view launches) {
  std::ostringstream out;
  for (const Tunable& tunable : strategy.tunables) {
    if (!names_word(launches, tunable.id)) continue;
    out << "  tunable " << tunable.id << " = " << tunable.initial << " of ";
    for (std::size_t i = 0; i < tunable.values.size(); ++i) out << (i ? ", " : "") << tunable.values[i];
    out << " \"" << tunable.title << "\";\n";
  }
  return out.str();
}

std::string fork_text(const NewKernel& wanted) {
  const auto all = carried_lessons();
  const auto lesson = std::ranges::find_if(
      all, [&](const CarriedLesson& one) { return one.kind == wanted.kind->id && one.id == wanted.fork; });
  if (lesson == all.end()) {
    std::string known;
    for (const std::string& id : forkable(*wanted.kind)) known += (known.empty() ? "" : ", ") + id;
    throw Error("There is no strategy " + in_quotes(wanted.fork) + " of the kind " + std::string(wanted.kind->id) +
                " that can be copied out. These can: " + known + ".");
  }
  const Strategy& strategy = *find_strategy(Backend::emulated, lesson->id, *wanted.kind);
  const Cut parts = cut(*lesson->source);
  std::string table = "  kind " + std::string(wanted.kind->id) + ";\n";
  if (wanted.format) table += std::string("  format ") + to_string(*wanted.format) + ";\n";
  table += tunables_text(strategy, *lesson->launches) + std::string(*lesson->launches);
  return "// A copy of the strategy '" + wanted.fork + "' of Convoscope's ladder.\n" + parts.words +
         "#include \"convoscope_kernel.h\"\n\nCONVOSCOPE_TABLE(\n" + table + ")\n\n" + parts.code;
}

std::string plain_text(const NewKernel& wanted) {
  if (wanted.kind->id == "signal") return std::string(new_signal);
  std::string text(new_image);
  if (!wanted.format) return text;
  const std::string pixel = *wanted.format == PixelFormat::rgba8 ? "Rgba8" : "float";
  replace_all(text, "template <class Pixel>\n", "");
  replace_all(text, "my_filter<Pixel>", "my_filter");
  replace_all(text, "ImageView<const Pixel>", "ImageView<const " + pixel + ">");
  replace_all(text, "ImageView<Pixel>", "ImageView<" + pixel + ">");
  replace_all(text, "Accumulator<Pixel, 1>", "Accumulator<" + pixel + ", 1>");
  replace_all(text, "const Pixel pixel", "const " + pixel + " pixel");
  replace_all(text, "  kind image;\n", std::string("  kind image;\n  format ") + to_string(*wanted.format) + ";\n");
  return text;
}

}  // namespace

std::vector<std::string> forkable(const Kind& kind) {
  std::vector<std::string> ids;
  for (const Strategy* strategy : strategies(Backend::emulated, kind))
    for (const CarriedLesson& one : carried_lessons())
      if (one.kind == kind.id && one.id == strategy->id) ids.emplace_back(one.id);
  return ids;
}

std::string new_kernel_text(const NewKernel& wanted) {
  const std::string id(wanted.kind->id);
  if (id != "image" && id != "signal")
    throw Error("Kernel files of the kind " + id + " are not there yet: image and signal are.");
  const auto formats = wanted.kind->formats;
  if (wanted.format && std::ranges::find(formats, *wanted.format) == formats.end())
    throw Error(std::string("The kind ") + id + " has no format " + to_string(*wanted.format) + ".");
  return wanted.fork.empty() ? plain_text(wanted) : fork_text(wanted);
}

std::string compile_commands_text(const std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const nlohmann::ordered_json command{
      {"directory", path.parent_path().string()},
      {"file", path.filename().string()},
      {"arguments", {"g++", "-x", "c++", "-std=c++20", "-Wno-unknown-pragmas", "-c", path.filename().string()}}};
  return nlohmann::ordered_json::array({command}).dump(2) + "\n";
}

}  // namespace convoscope::own
