// The options of lesson.
#include <array>
#include <utility>

#include "app/cli/options/lesson_words.h"
#include "app/cli/options/options.h"
#include "app/cli/options/values.h"
#include "app/lessons/pack.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using What = LessonWish::What;

constexpr std::array<std::pair<const char*, What>, 5> actions{{{"list", What::list},
                                                               {"run", What::run},
                                                               {"check", What::check},
                                                               {"export", What::export_page},
                                                               {"results", What::results}}};

std::vector<std::string> action_words() {
  std::vector<std::string> words;
  for (const auto& [word, what] : actions) words.emplace_back(word);
  return words;
}

const char* word_of(What wanted) {
  for (const auto& [word, what] : actions)
    if (what == wanted) return word;
  return "";
}

LessonWish& wish(Reading& at) { return at.invocation.lesson; }

// A row that belongs to one of the actions.
Option only_for(What what, const char* name, const char* value, const char* help, void (*read)(Reading&)) {
  return {name, value, help, [what, read](Reading& at) {
            if (wish(at).what != what)
              throw Error(at.option + " is for lesson " + word_of(what) + ", not for lesson " + word_of(wish(at).what) +
                          ".");
            read(at);
          }};
}

void read_action(Reading& at) {
  const std::string word = parse_choice("action of lesson", at.text(), action_words());
  for (const auto& [name, what] : actions)
    if (word == name) wish(at).what = what;
}

// What stands behind the action: a lesson and files, or files alone.
void sort_arguments(const Texts& texts, LessonWish& wish) {
  std::vector<std::string> rest;
  if (texts.has("LESSON")) rest = texts.options.at("LESSON");
  const std::string command = std::string("lesson ") + word_of(wish.what);
  if (wish.what == What::results) {
    if (rest.empty()) throw Error("Name the files of answers: convoscope lesson results *.json.");
    wish.files = std::move(rest);
    return;
  }
  if (wish.what != What::list) {
    if (rest.empty())
      throw Error("Name the lesson: convoscope " + command + " 1. `convoscope lesson list` has them all.");
    wish.name = rest[0];
    rest.erase(rest.begin());
  }
  if (wish.what == What::check && wish.question) {
    if (!texts.has("--typed")) throw Error("--question needs --typed: the answer to it.");
    if (!rest.empty()) throw Error("--question takes its answer from --typed, not from " + in_quotes(rest[0]) + ".");
    return;
  }
  if (wish.what == What::check && rest.size() != 1)
    throw Error("Name one file of answers: convoscope " + command + " " + wish.name + " answers.json.");
  if (wish.what != What::check && !rest.empty())
    throw Error(in_quotes(rest[0]) + " is one argument too many for " + command + ".");
  wish.files = std::move(rest);
  if (wish.what == What::export_page && wish.html.empty())
    throw Error("Say where the page goes: convoscope " + command + " " + wish.name + " --html lesson.html.");
}

}  // namespace

std::vector<std::string> lesson_words() {
  std::vector<std::string> words;
  for (const lessons::PackedLesson& lesson : lessons::own_lessons().lessons) words.push_back(lesson.name);
  return words;
}

Command lesson_command() {
  return {
      "lesson",
      "Lessons along the book's chapters: to go through in a terminal or in the window, to print, and to check\n"
      "the answers of a class. Every number in them is worked out on this machine.",
      "Examples:\n  convoscope lesson list\n  convoscope lesson run 1\n  convoscope lesson run 1 --window\n"
      "  convoscope lesson run 1 --template > answers.json\n  convoscope lesson check 1 answers.json\n"
      "  convoscope lesson export 1 --html lesson.html --worksheet\n"
      "  convoscope lesson results --csv answers/*.json",
      joined_blocks(
          {block("Options", Turn::first, {{"WHAT", "", joined(action_words()), read_action, action_words, true}}),
           block("Options", Turn::late,
                 {{.name = "LESSON",
                   .value = "",
                   .help = "Its number, its name or how that begins; then, for check\nand results, files of answers",
                   .read = {},
                   .words = lesson_words,
                   .many = true}}),
           block("Lessons", Turn::usual,
                 {{"--pack", "FOLDER", "Somebody else's lessons, the .md files of a folder",
                   [](Reading& at) { wish(at).pack = at.text(); }}}),
           block("Running", Turn::usual,
                 {only_for(What::run, "--window", "", "In the window instead of the terminal", [](Reading&) {}),
                  only_for(What::run, "--template", "", "Print answers.json to be filled in, and ask nothing",
                           [](Reading& at) { wish(at).blank = true; }),
                  only_for(What::run, "--step", "N", "With --json: this step alone, from 1",
                           [](Reading& at) { wish(at).step = at.whole(1, 100) - 1; }),
                  only_for(What::run, "--quick", "", "With --json: nothing is measured, and … stands for it",
                           [](Reading& at) { wish(at).quick = true; }),
                  only_for(What::check, "--question", "N", "One answer, which stands behind --typed",
                           [](Reading& at) { wish(at).question = at.whole(1, 100); }),
                  only_for(What::check, "--typed", "TEXT", "The answer to --question",
                           [](Reading& at) { wish(at).typed = at.text(); })}),
           block(
               "Output", Turn::usual,
               {only_for(What::export_page, "--html", "FILE", "The lesson as a page in one file",
                         [](Reading& at) {
                           wish(at).html = at.text();
                           check_output(at.option, at.text(), {});
                         }),
                only_for(What::export_page, "--worksheet", "", "To be written on: lines instead of hints and solutions",
                         [](Reading& at) { wish(at).worksheet = true; }),
                only_for(What::export_page, "--answers", "", "With the solutions open; of a worksheet at its end",
                         [](Reading& at) { wish(at).answers = true; }),
                only_for(What::results, "--csv", "", "A table for a spreadsheet",
                         [](Reading& at) { wish(at).csv = true; }),
                {"--json", "", "JSON instead of text: of list, run and check", sets(&Invocation::json)}}),
           backend_options("Machine")})};
}

void parse_lesson_command(int argc, const char* const* argv, const FirstSettings& first, Invocation& invocation) {
  const Command command = lesson_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("WHAT")) throw Error("Say what to do: " + joined(action_words()) + ".");
  Reading at{texts, invocation};
  read_turn(command.options, Turn::first, at);
  read_turn(command.options, Turn::usual, at);
  sort_arguments(texts, invocation.lesson);
  if (!texts.has("--window")) return;
  if (invocation.lesson.blank) throw Error("--window and --template exclude each other: one asks, the other prints.");
  std::vector<std::string> words{"convoscope", "--lesson", invocation.lesson.name};
  if (!invocation.lesson.pack.empty()) words.insert(words.end(), {"--pack", invocation.lesson.pack});
  for (const char* name : {"--backend", "--device"})
    if (texts.has(name)) words.insert(words.end(), {name, texts.last(name)});
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  invocation = Invocation();
  parse_window(static_cast<int>(pointers.size()), pointers.data(), first, invocation);
}

}  // namespace convoscope
