// Feeds one part of the program with input that nobody has thought of.
//
//   convoscope_fuzz TARGET [--seconds 20] [--seed 1] [--runs N] [--limit 60] [--corpus FOLDER] [--keep FOLDER] [FILE…]
//
// First the corpus as it is, then what is made of it; with files only those. An input lies in the kept folder while it
// is tried, so that whatever ends the program leaves it there; it belongs into the corpus with the mended fault.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>

#include "kernels/text/error.h"
#include "tests/cli/folder.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

namespace convoscope::fuzz {

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

char hang_message[4096];
void say_hang(int) {
  const auto written = ::write(STDERR_FILENO, hang_message, std::strlen(hang_message));
  static_cast<void>(written);
  std::abort();
}

struct Options {
  std::string target;
  std::map<std::string, std::string> values{{"--seconds", "20"}, {"--seed", "1"},  {"--runs", "1000000000"},
                                            {"--limit", "60"},   {"--corpus", ""}, {"--keep", "."}};
  std::vector<std::string> files;
  std::uint64_t number(const char* name) const { return std::strtoull(values.at(name).c_str(), nullptr, 10); }
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (options.values.contains(text) && i + 1 < argc)
      options.values[text] = argv[++i];
    else if (options.target.empty())
      options.target = text;
    else
      options.files.push_back(fs::absolute(text));
  }
  for (const char* folder : {"--corpus", "--keep"})
    if (!options.values[folder].empty()) options.values[folder] = fs::absolute(options.values[folder]);
  return options;
}

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto& some :
       {media_targets(), text_targets(), lesson_targets(), array_targets(), experiment_targets(), kept_file_targets()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

class Trial {
 public:
  Trial(const Target& target, const Options& options, const Place& place)
      : target_(target), limit_(static_cast<unsigned>(options.number("--limit"))), place_(place) {
    fs::create_directories(options.values.at("--keep"));
    kept_ = fs::path(options.values.at("--keep")) /
            ("last-" + target.name + "-" + std::to_string(::getpid()) + target.ending);
    std::snprintf(hang_message, sizeof hang_message, "%s does not return within %u s from the input in %s\n",
                  target.name.c_str(), limit_, kept_.c_str());
    std::signal(SIGALRM, say_hang);
  }
  // False, and a word about it, when the outcome is wrong.
  bool run(const std::string& input) const {
    write_file(kept_, input);
    ::alarm(limit_);
    std::string wrong;
    try {
      target_.run(input, place_);
    } catch (const Failure& failure) {
      wrong = failure.what;
    } catch (const std::exception& error) {
      wrong = std::string("an exception that nobody expects: ") + error.what();
    }
    ::alarm(0);
    if (!wrong.empty()) {
      std::fprintf(stderr, "%s: %s; the input is in %s\n", target_.name.c_str(), wrong.c_str(), kept_.c_str());
      return false;
    }
    fs::remove(kept_);
    return true;
  }

 private:
  const Target& target_;
  const unsigned limit_;
  const Place place_;
  fs::path kept_;
};

std::vector<std::string> corpus_of(const std::string& folder) {
  std::vector<std::string> inputs;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) inputs.push_back(read_file(entry));
  return inputs;
}

int fuzz(const Target& target, const Options& options) {
  const Folder place;
  for (const char* home : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"})
    ::setenv(home, place.path().c_str(), 1);
  fs::current_path(place.path());
  const Trial trial(target, options, place.path());
  if (!options.files.empty()) {
    for (const std::string& file : options.files)
      if (!trial.run(read_file(file))) return 1;
    return 0;
  }
  std::vector<std::string> seeds = target.seeds(place.path());
  const std::vector<std::string> corpus =
      options.values.at("--corpus").empty() ? std::vector<std::string>() : corpus_of(options.values.at("--corpus"));
  seeds.insert(seeds.end(), corpus.begin(), corpus.end());
  for (const std::string& seed : seeds)
    if (!trial.run(seed)) return 1;
  const auto end = Clock::now() + std::chrono::seconds(options.number("--seconds"));
  Mutator mutator(target, seeds, options.number("--seed"));
  std::uint64_t runs = 0;
  for (; runs < options.number("--runs") && Clock::now() < end; ++runs)
    if (!trial.run(mutator.next())) return 1;
  std::printf("%s: %zu seeds, %llu inputs\n", target.name.c_str(), seeds.size(), static_cast<unsigned long long>(runs));
  return runs > 0 ? 0 : 1;
}

}  // namespace
}  // namespace convoscope::fuzz

int main(int argc, char** argv) {
  using namespace convoscope::fuzz;
  const Options options = read_options(argc, argv);
  const std::vector<Target> targets = all_targets();
  for (const Target& target : targets)
    if (target.name == options.target) return fuzz(target, options);
  std::fprintf(stderr, "Name one of these targets:");
  for (const Target& target : targets) std::fprintf(stderr, " %s", target.name.c_str());
  std::fprintf(stderr, "\n");
  return 2;
}
