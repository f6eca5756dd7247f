#include "kernels/own/grade.h"

#include <algorithm>
#include <chrono>

#include "kernels/own/child.h"
#include "kernels/own/compiled.h"
#include "kernels/own/story.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// What is the likeliest to be the cause of the others.
int rank(Fault::Kind kind) {
  using enum Fault::Kind;
  constexpr Fault::Kind order[] = {deadline,      crash,     wild,         barrier,    race_shared,
                                   race_global,   read_only, kept_state,   misaligned, array_bounds,
                                   outside_write, unwritten, outside_read, other};
  return static_cast<int>(std::ranges::find(order, kind) - std::begin(order));
}

void find_lines(const Compiled& compiled, std::vector<Fault>& faults) {
  std::vector<std::uint64_t> addresses;
  for (const Fault& fault : faults) {
    addresses.push_back(fault.code);
    addresses.push_back(fault.other);
  }
  const std::vector<int> lines = lines_of_code(compiled, addresses);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].line == 0) faults[i].line = lines[2 * i];
    faults[i].other_line = lines[2 * i + 1];
  }
}

void add_findings(Grade& made, const Told& told) {
  if (told.secret_only && told.faults.empty())
    made.findings.push_back(
        "It is right for all known cases and wrong for secret ones: it knows sizes or filters by heart.");
  std::size_t few = 2;  // of stories, and of faults one each kind
  for (const std::string& story : told.stories)
    if (few-- > 0) made.findings.push_back(story);
  std::vector<Fault::Kind> said;
  for (const Fault& fault : made.faults) {
    if (std::ranges::find(said, fault.kind) != said.end() || said.size() >= 4) continue;
    said.push_back(fault.kind);
    const auto place = rank(fault.kind) <= rank(Fault::Kind::misaligned) && said.size() == 1 ? made.findings.begin()
                                                                                             : made.findings.end();
    made.findings.insert(place, story_of_fault(fault));
  }
  if (made.findings.empty() && !told.worst.empty()) made.findings.push_back("Outputs are wrong: " + told.worst + ".");
}

void add_trust(Grade& made, const Told& told, const GradeOptions& options) {
  made.trust = {"every load and store was looked at: bounds, initialisation, races, barriers",
                "outputs were poisoned, inputs compared afterwards, and each run had an input of its own",
                "__device__ variables were as new before each run",
                std::to_string(options.secret) + " cases followed from the seed " + std::to_string(options.seed),
                told.not_confined.empty() ? "the kernel ran in a process without network and without files to write"
                                          : told.not_confined};
}

void judge(Grade& made, const KernelFile& file, const Compiled& compiled, const GradeOptions& options) {
  Told told = run_in_child(file, compiled, options);
  if (!told.unusable.empty()) {
    made.errors.emplace_back(told.unusable_at, told.unusable);
    return;
  }
  made.asked = told.asked;
  made.not_asked = told.not_asked;
  made.why_not_asked = told.why_not_asked;
  made.secret_only = told.secret_only;
  made.first_wrong = told.first_wrong;
  made.worst = told.worst;
  made.faults = std::move(told.faults);
  find_lines(compiled, made.faults);
  std::ranges::stable_sort(made.faults, {}, [](const Fault& fault) { return rank(fault.kind); });
  if (!told.wrong && told.asked < told.not_asked) {
    told.wrong = true;
    made.findings.push_back("It takes " + std::to_string(told.asked) + " of " +
                            std::to_string(told.asked + told.not_asked) +
                            " cases only: " + (told.why_not_asked.empty() ? "" : told.why_not_asked[0].first) + ".");
  }
  made.verdict = told.wrong ? Grade::Verdict::wrong : Grade::Verdict::right;
  add_findings(made, told);
  add_trust(made, told, options);
  if (told.tally.places.empty()) return;
  const Asked asked = asked_for_counts(file);
  made.counts = counts_of(told.tally, lines_of_code(compiled, told.code), asked);
  made.why_slower = why_slower(made.counts, asked);
}

}  // namespace

Grade grade(const std::string& path, const GradeOptions& options) {
  Grade made;
  made.file = path;
  try {
    made.source = read_kernel_text(path);
    const KernelFile file(path, made.source);
    made.kind = file.kind->id;
    made.errors = not_emulated(file);
    if (!made.errors.empty()) return made;
    const Compiler compiler = find_compiler();
    const TemporaryFolder folder;
    const auto begin = Clock::now();
    const Compiled compiled = compile(file, compiler, folder);
    made.compile_seconds = seconds_since(begin);
    made.errors = compiled.errors;
    if (compiled.library.empty()) return made;
    const auto ran = Clock::now();
    judge(made, file, compiled, options);
    made.run_seconds = seconds_since(ran);
  } catch (const SourceError& error) {
    made.errors.push_back(error);
    made.verdict = Grade::Verdict::unusable;
  } catch (const UnreadableKernel& error) {  // of many files the others are graded
    made.errors.emplace_back(Place{}, error.what());
    made.verdict = Grade::Verdict::unusable;
  }
  return made;
}

int exit_code_of(Grade::Verdict verdict) { return static_cast<int>(verdict); }

const char* to_string(Grade::Verdict verdict) {
  constexpr const char* words[] = {"right", "wrong", "unusable"};
  return words[static_cast<std::size_t>(verdict)];
}

}  // namespace convoscope::own
