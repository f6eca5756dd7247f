#include "kernels/own/compiled.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/own/carried.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

constexpr const char* copy_name = "kernel.cu";
constexpr std::size_t most_instances = 256;
constexpr std::size_t most_errors = 20;
constexpr std::chrono::seconds compiler_patience{60};

std::string pixel_of(PixelFormat format) { return format == PixelFormat::rgba8 ? "Rgba8" : "float"; }

std::string type_of(const KernelFile& file, const Argument& argument, PixelFormat format) {
  switch (argument.kind) {
    case Argument::Kind::input:
      return "ImageView<const " + pixel_of(format) + ">";
    case Argument::Kind::output:
      return "ImageView<" + pixel_of(format) + ">";
    case Argument::Kind::weights:
      return "const float*";
    case Argument::Kind::border:
      return "Border";
    case Argument::Kind::epilogue:
      return "Epilogue";
    case Argument::Kind::memory:
      return type_name(file.memories[argument.index], format) + "*";
    case Argument::Kind::number:
      break;
  }
  return "int";
}

// Every choice of the tunables that a launch has among its template arguments, the others at their first.
std::vector<Tuning> tunings_of(const KernelFile& file, const Launch& launch) {
  std::vector<Tuning> all{{}};
  for (const OwnTunable& tunable : file.tunables) {
    if (std::ranges::find(launch.template_words, tunable.id) == launch.template_words.end()) continue;
    std::vector<Tuning> more;
    for (const Tuning& tuning : all)
      for (const int value : tunable.values) {
        more.push_back(tuning);
        more.back()[tunable.id] = value;
      }
    if (more.size() * 4 > most_instances)
      throw SourceError(launch.place, "its tunables make " + std::to_string(more.size() * 4) +
                                          " kernels of it; the most is " + std::to_string(most_instances));
    all = std::move(more);
  }
  return all;
}

class Wrapper {
 public:
  explicit Wrapper(const KernelFile& file) : file_(file) {}

  std::string text() {
    for (const Launch& launch : file_.launches)
      for (const PixelFormat format : file_.formats)
        for (int sets = 1; sets <= (file_.two_sets ? 2 : 1); ++sets)
          for (const Tuning& tuning : tunings_of(file_, launch)) add(launch, format, sets, tuning);
    std::ostringstream out;
    out << "#include \"judge.h\"\n#include \"convoscope_kernel.h\"\n#include \"judge_side.h\"\nnamespace {\n#include \""
        << copy_name << "\"\n"
        << calls_.str() << "}  // namespace\n";
    const char* const shown = "extern \"C\" __attribute__((visibility(\"default\"))) ";
    out << shown << "const ConvoscopeKernel convoscope_kernels[] = {" << rows_.str() << "{nullptr, nullptr}};\n";
    out << shown << "const ConvoscopeArray convoscope_arrays[] = {\n";
    for (const Filled& filled : file_.filled)
      out << "#line " << filled.place.line << " \"" << copy_name << "\"\n{\"" << filled.array
          << "\", const_cast<float*>(&" << filled.array << "[0]), sizeof " << filled.array << "},\n";
    out << "{nullptr, nullptr, 0}};\n" << shown << "const ConvoscopeType convoscope_types[] = {\n";
    for (const OwnMemory& memory : file_.memories)
      for (const PixelFormat format : file_.formats)
        out << "#line " << memory.place.line << " \"" << copy_name << "\"\n{\"" << type_name(memory, format)
            << "\", sizeof(" << type_name(memory, format) << ")},\n";
    out << "{nullptr, 0}};\n";
    return out.str();
  }

 private:
  void add(const Launch& launch, PixelFormat format, int sets, const Tuning& tuning) {
    const std::string name = instance_name(file_, launch, format, sets, tuning);
    if (!known_.insert(name).second) return;
    std::string values, types;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::string type = type_of(file_, launch.arguments[i], format);
      values += (i ? ", " : "") + ("convoscope_argument<" + type + ">(a[") + std::to_string(i) + "])";
      types += ", " + type;
    }
    const std::string at = "#line " + std::to_string(launch.place.line) + " \"" + copy_name + "\"\n";
    calls_ << at << "CONVOSCOPE_UNSEEN void convoscope_run_" << known_.size() << "(void** a) { " << name << "("
           << values << "); "
           << "static_assert(convoscope_fits<void" << types << ">(&" << name
           << "), \"a parameter of the kernel has another size than its argument: whole numbers are int\"); }\n";
    rows_ << "{\"" << name << "\", convoscope_run_" << known_.size() << "}, ";
  }

  const KernelFile& file_;
  std::set<std::string> known_;
  std::ostringstream calls_, rows_;
};

// The host's compiler cannot declare an array whose memory the launch gives; in its place is a pointer, in the same
// line.
std::string with_dynamic_shared(const std::string& text) {
  static const std::regex array(
      R"(extern[ \t]+__shared__[ \t]+(?:__align__\(\w+\)[ \t]*)?([\w:<>]+)[ \t]+(\w+)[ \t]*\[[ \t]*\])");
  return std::regex_replace(text, array, "$1* const $2 = static_cast<$1*>(convoscope_dynamic_shared())");
}

// Of the file where the compiler knows a place there, or of the place where a template of the header was asked for.
std::vector<SourceError> errors_in(const std::string& output) {
  static const std::regex error(R"(^([^:\n]+):(\d+):(\d+): (?:fatal )?error: (.*)$)");
  static const std::regex asked(R"(^kernel\.cu:(\d+):(\d+): .*(required from|in instantiation).*$)");
  static const std::regex undefined(R"(^.*kernel\.cu:(\d+): undefined reference to [`'](.*)'$)");
  std::vector<SourceError> errors;
  Place before;  // g++ says first who asked, clang++ afterwards
  std::istringstream lines(output);
  std::smatch found;
  for (std::string line; std::getline(lines, line) && errors.size() < most_errors;) {
    if (line.size() > 2000) line.resize(2000);
    if (std::regex_match(line, found, asked)) {
      before = {std::stoi(found[1]), std::stoi(found[2])};
      if (!errors.empty() && errors.back().place.line == 0) errors.back().place = before;
    } else if (std::regex_match(line, found, error)) {
      const bool here = found[1] == copy_name;
      const bool unclosed = found[4].str().find("convoscope_run_") != std::string::npos;
      errors.emplace_back(here ? Place{std::stoi(found[2]), std::stoi(found[3])} : before,
                          unclosed ? "a brace before it is not closed, or there is one too many" : found[4].str());
      before = {};
      if (unclosed) break;
    } else if (std::regex_match(line, found, undefined)) {
      errors.emplace_back(Place{std::stoi(found[1]), 0}, "'" + found[2].str() + "' is no function of the device");
    }
  }
  return errors;
}

Compiled failed(const Ran& ran, const char* step) {
  if (ran.output.find("No space left on device") != std::string::npos)
    return {
        .errors = {SourceError(Place{}, "the temporary folder is full: free some of it, or name another in TMPDIR")},
        .output = ran.output};
  Compiled compiled{.errors = errors_in(ran.output), .output = ran.output};
  if (ran.timed_out)
    compiled.errors.emplace_back(Place{}, std::string("the compiler took more than a minute to ") + step + " it");
  else if (compiled.errors.empty())
    compiled.errors.emplace_back(Place{}, std::string("the compiler could not ") + step + " it" +
                                              (ran.output.empty() ? " and does not say why" : ": ") +
                                              ran.output.substr(0, std::min<std::size_t>(ran.output.size(), 400)));
  return compiled;
}

}  // namespace

Compiler find_compiler() {
  std::vector<std::string> names{"g++", "clang++", "c++"};
  if (const char* const own = std::getenv("CXX"); own && *own) names.insert(names.begin(), own);
  for (const std::string& name : names) {
    const std::string path = find_program(name);
    if (path.empty()) continue;
    const std::string real = std::filesystem::weakly_canonical(path).filename().string();
    return {path, real.find("clang") != std::string::npos};
  }
  throw Error(
      "There is no C++ compiler here, which a kernel file needs where there is no GPU. Install one: sudo apt install "
      "g++ (or clang); or name yours: CXX=/path/to/g++.");
}

std::string instance_name(const KernelFile& file, const Launch& launch, PixelFormat format, int sets,
                          const Tuning& tuning) {
  std::string words;
  for (const std::string& word : launch.template_words) {
    const bool tunable = std::ranges::find(file.tunables, word, &OwnTunable::id) != file.tunables.end();
    words += (words.empty() ? "<" : ", ") + (word == "Pixel"  ? pixel_of(format)
                                             : word == "Sums" ? std::to_string(sets)
                                             : tunable        ? std::to_string(file.tuned(word, tuning))
                                                              : word);
  }
  return launch.kernel + (words.empty() ? "" : words + ">");
}

std::string type_name(const OwnMemory& memory, PixelFormat format) {
  return std::regex_replace(memory.type, std::regex("\\bPixel\\b"), pixel_of(format));
}

Compiled compile(const KernelFile& file, const Compiler& compiler, const TemporaryFolder& folder) {
  folder.write("judge.h", judge_types);
  folder.write("judge_side.h", judge_side);
  folder.write("convoscope_kernel.h", kernel_header);
  folder.write(copy_name, with_dynamic_shared(file.text));
  folder.write("wrapper.cpp", Wrapper(file).text());
  // Optimised as far as what is read into registers stays there; vectorised loads would be counted as one.
  std::vector<std::string> command{compiler.path,
                                   "-std=c++20",
                                   "-O1",
                                   "-g",
                                   "-fPIC",
                                   "-w",
                                   "-fvisibility=hidden",
                                   "-fsanitize=thread",
                                   "-fsanitize=bounds",
                                   "-fno-exceptions",
                                   "-fasynchronous-unwind-tables",
                                   "-fno-omit-frame-pointer",
                                   "-ffp-contract=off",
                                   "-fno-builtin-memcpy",
                                   "-fno-builtin-memset",
                                   "-nostdinc",
                                   "-nostdinc++"};
  if (compiler.is_clang)
    command.insert(command.end(), {"-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=20", "-mllvm",
                                   "-tsan-instrument-func-entry-exit=0"});
  else
    command.insert(command.end(), {"-fno-diagnostics-show-caret", "-fmax-errors=20", "-fno-tree-vectorize",
                                   "-fno-tree-sra", "-fno-ipa-sra", "--param=tsan-instrument-func-entry-exit=0"});
  command.insert(command.end(), {"-c", "wrapper.cpp", "-o", "kernel.o"});
  const Ran ran = run_program(command, folder.path(), compiler_patience);
  if (ran.exit_code != 0) return failed(ran, "compile");
  const Ran linked = run_program(
      {compiler.path, "-shared", "-nostdlib", "-Wl,--no-undefined", "-Wl,-z,now", "-o", "kernel.so", "kernel.o", "-lm"},
      folder.path(), compiler_patience);
  if (linked.exit_code != 0) return failed(linked, "link");
  return {.library = folder.path() + "/kernel.so", .errors = {}, .output = {}};
}

std::vector<int> lines_of_code(const Compiled& compiled, const std::vector<std::uint64_t>& addresses) {
  std::vector<int> lines(addresses.size(), 0);
  const std::string tool = find_program("addr2line");
  if (tool.empty() || addresses.empty()) return lines;
  std::vector<std::string> command{tool, "-a", "-i", "-e", compiled.library};
  for (const std::uint64_t address : addresses) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address - (address > 0)));
    command.emplace_back(text);
  }
  const Ran ran =
      run_program(command, std::filesystem::path(compiled.library).parent_path().string(), compiler_patience);
  // An address, then its frames from the innermost outwards.
  static const std::regex frame(R"(^.*/?kernel\.cu:(\d+).*$)");
  std::istringstream out(ran.output);
  std::smatch found;
  std::size_t at = 0;
  for (std::string line; std::getline(out, line);) {
    if (line.starts_with("0x"))
      ++at;
    else if (at > 0 && at <= lines.size() && lines[at - 1] == 0 && std::regex_match(line, found, frame))
      lines[at - 1] = std::stoi(found[1]);
  }
  return lines;
}

}  // namespace convoscope::own
