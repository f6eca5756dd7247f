// Lessons as text: what may be said in them, what is refused and how, and what is said of answers.
#include "app/lessons/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "app/cli/commands/lesson_values.h"
#include "app/lessons/answers.h"
#include "app/lessons/lesson_json.h"
#include "app/lessons/lesson_page.h"
#include "app/lessons/pack.h"
#include "app/lessons/progress.h"
#include "app/lessons/verdict.h"
#include "tests/cli/folder.h"
#include "tests/error_of.h"

namespace convoscope::lessons::test {
namespace {

using nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* small_lesson = R"(# A small lesson
minutes: 5
about: Three numbers,
  and no more.
let sum = compute input="1 2 3" filter="1 1 1" border=zero

## The first step

The sum in the **middle** is {sum outputs[1]}, as `compute` says.

```
1 2 3
```

- one
- two

```session
{"workbench": "picture"}
```
look: There.
do: Press `E`.
show: section/Filter

### Question: number

What is the first output?

answer: {sum outputs[0]}
if {sum outputs[1]}: That is the second.
if 1: A neighbour is missing.
hint: 1 + 2.
hint: Less than 4.
solution: It is {sum outputs[0]}.

### Question: choice

Which one?

- [ ] This one -- It has {sum outputs[2]}.
- [x] That one
solution: That one.

## The second step

{sum outputs}
)";

// Outputs 3, 6 and 5, as the program would compute them; each command is asked for once.
struct Asked {
  int times = 0;
  Evaluate evaluate() {
    return [this](const Expression& expression) {
      ++times;
      if (expression.command == "bench") {
        const bool fast = expression.option("strategy") == "fast";
        return ordered_json{{"strategy", fast ? "fast" : "slow"},
                            {"median_ms", fast ? 1.0 : 2.0},
                            {"median_low_ms", fast ? 0.9 : 1.9},
                            {"median_high_ms", fast ? 1.1 : 2.1}};
      }
      return ordered_json{
          {"outputs", {3, 6, 5}}, {"right", expression.option("strategy") != "wrong"}, {"table", {{1, 2}, {3, 4}}}};
    };
  }
};

std::string refusal(const std::string& text) {
  return error_of([&] { parse_lesson(text, "bad", "bad.md"); });
}

TEST(LessonText, HasStepsTextsAndQuestions) {
  const Lesson lesson = parse_lesson(small_lesson, "small", "small.md");
  EXPECT_EQ(lesson.title, "A small lesson");
  EXPECT_EQ(lesson.summary, "Three numbers, and no more.");
  EXPECT_EQ(lesson.minutes, 5);
  ASSERT_EQ(lesson.steps.size(), 2u);
  const Step& step = lesson.steps[0];
  EXPECT_EQ(step.title, "The first step");
  EXPECT_EQ(step.show, "section/Filter");
  EXPECT_EQ(step.session, "{\"workbench\":\"picture\"}");
  ASSERT_EQ(step.text.size(), 4u) << "a paragraph, code and two items";
  EXPECT_EQ(step.text[1].kind, Block::Kind::code);
  EXPECT_EQ(step.text[3].kind, Block::Kind::item);
  ASSERT_EQ(questions_of(lesson).size(), 2u);
  EXPECT_EQ(step.questions[0].hints.size(), 2u);
  EXPECT_EQ(expressions_of(lesson).size(), 6u);
  Asked asked;
  Values values(asked.evaluate());
  EXPECT_EQ(values.text(step.text[0].spans), "The sum in the middle is 6, as compute says.");
  EXPECT_EQ(values.text(lesson.steps[1].text[0].spans), "3 6 5");
  EXPECT_EQ(asked.times, 1) << "the same command is run once";
}

TEST(LessonText, IsRefusedByItsLine) {
  EXPECT_THAT(refusal(""), HasSubstr("'bad.md', line 1: There is no title"));
  EXPECT_THAT(refusal("# T\n\n## S\n\nA {compute outputs[0] input=\"1\"\n"),
              HasSubstr("line 5: A brace is not closed"));
  EXPECT_THAT(refusal("# T\n## S\nA `code\n"), HasSubstr("line 3: A backquote has no other one"));
  EXPECT_THAT(refusal("# T\n## S\n```\nno end\n"), HasSubstr("line 3: Three backquotes begin here"));
  EXPECT_THAT(refusal("# T\nminutes: many\n## S\n"), HasSubstr("line 2: "));
  EXPECT_THAT(refusal("# T\nlevel: 3\n## S\n"), HasSubstr("line 2: The header of a lesson has"));
  EXPECT_THAT(refusal("# T\n## S\n### Question: guess\n"), HasSubstr("line 3: A question is begun by"));
  EXPECT_THAT(refusal("# T\n## S\n### Question: number\nWhat?\nanswer: 7\n"),
              HasSubstr("line 5: An answer is an expression in braces"));
  EXPECT_THAT(refusal("# T\n## S\n### Question: choice\nWhich?\n- [ ] a\n- [ ] b\nsolution: c\n"),
              HasSubstr("line 3: A choice needs two answers or more, and one that is right"));
  EXPECT_THAT(refusal("# T\n## S\n```session\n[1]\n```\n"), HasSubstr("line 3: The session is no JSON object"));
  EXPECT_THAT(refusal("# T\n## S\n```session\n" + std::string(100000, '[') + "\n```\n"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(std::string(most_lesson_bytes + 1, 'x')), HasSubstr("larger than 256 KiB"));
}

std::string expression_refusal(const std::string& text) {
  return error_of([&] { parse_expression(text, {}, true); });
}

// A lesson opens no file, starts nothing and writes nothing.
TEST(LessonText, CanSayNothingButColumnsOfThreeCommands) {
  EXPECT_EQ(expression_refusal("compute outputs[0] input=\"1 2\" filter=\"1\""), "no error");
  EXPECT_EQ(expression_refusal("list load_reduction strategy=tiled-halo filter=box:radius=2 tune=tile_width=16"),
            "no error");
  EXPECT_EQ(expression_refusal("compute at.block.loads input=ones:16x16 filter=box:radius=2 at=1,1"), "no error");
  EXPECT_THAT(expression_refusal("filter outputs input=a.mp4"), HasSubstr("begins with list, compute, bench"));
  EXPECT_THAT(expression_refusal("compute outputs input=/etc/passwd filter=\"1\""),
              HasSubstr("a lesson opens no file"));
  EXPECT_THAT(expression_refusal("compute outputs input=\"1\" filter=../mine.json"),
              HasSubstr("a lesson opens no file"));
  EXPECT_THAT(expression_refusal("compute outputs input=\"1\" filter=ones:3x3"),
              HasSubstr("neither weights nor a filter"));
  EXPECT_THAT(expression_refusal("bench median_ms strategy=auto json=out.json"), HasSubstr("'json'"));
  EXPECT_THAT(expression_refusal("bench median_ms strategy=auto file=on"), HasSubstr("is none that bench takes"));
  EXPECT_THAT(expression_refusal("compute outputs input=\"1\" bordr=zero"), HasSubstr("Did you mean 'border'?"));
  EXPECT_THAT(expression_refusal("compute input=\"1\""), HasSubstr("names no column"));
  EXPECT_THAT(expression_refusal(""), HasSubstr("empty"));
}

TEST(LessonText, ColumnsAreFoundOrNamed) {
  const ordered_json printed{{"outputs", {{1, 2}, {3, 4}}}, {"at", {{"loads", 7}}}};
  EXPECT_EQ(column_of(printed, "outputs[1][0]"), 3);
  EXPECT_EQ(column_of(printed, "at.loads"), 7);
  EXPECT_THAT(error_of([&] { column_of(printed, "at.lods"); }), HasSubstr("there are loads"));
  EXPECT_THAT(error_of([&] { column_of(printed, "outputs[2]"); }), HasSubstr("of a list of 2"));
  EXPECT_THAT(error_of([&] { column_of(printed, "outputs["); }), HasSubstr("lacks a bracket"));
  Expression shown;
  EXPECT_EQ(value_text(printed["outputs"], shown), "1 2 / 3 4");
  EXPECT_EQ(value_text(5120, shown), "5,120");
  shown.digits = 2;
  shown.times = 100;
  EXPECT_EQ(value_text(0.12345, shown), "12.35");
}

TEST(LessonAnswers, AreRightWrongAndExplained) {
  const Lesson lesson = parse_lesson(small_lesson, "small", "small.md");
  Asked asked;
  Values values(asked.evaluate());
  const Question& number = *questions_of(lesson)[0];
  EXPECT_TRUE(verdict_on(number, "3", values).right);
  EXPECT_TRUE(verdict_on(number, " 6/2 ", values).right);
  EXPECT_EQ(verdict_on(number, "6", values).said, "That is the second.");
  EXPECT_EQ(verdict_on(number, "1", values).said, "A neighbour is missing.");
  EXPECT_THAT(verdict_on(number, "4", values).said, AllOf(Not(HasSubstr("3")), HasSubstr("not it yet")));
  EXPECT_THAT(verdict_on(number, "three", values).said, HasSubstr("not made of numbers"));
  EXPECT_FALSE(verdict_on(number, "3 3", values).right);
  const Question& choice = *questions_of(lesson)[1];
  EXPECT_TRUE(verdict_on(choice, "B", values).right);
  EXPECT_EQ(verdict_on(choice, "a", values).said, "It has 5.");
  EXPECT_FALSE(verdict_on(choice, "c", values).right);
  for (const Question* question : questions_of(lesson))
    EXPECT_TRUE(verdict_on(*question, right_answer(*question, values), values).right);
}

TEST(LessonAnswers, OfStrategiesAreComputedAndMeasured) {
  Asked asked;
  Values values(asked.evaluate());
  const Lesson lesson = parse_lesson(
      "# T\n## S\n### Question: badge\nWhich?\nanswer: {compute input=\"1\" filter=\"1\"}\nshown: ok\nsolution: a\n"
      "### Question: faster\nWhich?\nanswer: {bench filter=box}\nthan: slow\nshown: fast\nsolution: b\n",
      "t", "t.md");
  const Question &badge = *questions_of(lesson)[0], &faster = *questions_of(lesson)[1];
  EXPECT_TRUE(verdict_on(badge, "tiled-halo", values).right);
  EXPECT_FALSE(verdict_on(badge, "wrong", values).right);
  EXPECT_THAT(verdict_on(badge, "a b", values).said, HasSubstr("no strategy's id"));
  EXPECT_TRUE(verdict_on(faster, "fast", values).right);
  EXPECT_THAT(verdict_on(faster, "slow", values).said, HasSubstr("cannot be told apart"));
}

// A lesson on tiles is opened where the window computes on the CPU, too.
TEST(LessonAnswers, OfWhatIsCountedAreTheSameOnEveryBackend) {
  const Expression expression =
      parse_expression("list loads_per_output strategy=tiled-halo filter=box:radius=2", {}, true);
  const ordered_json emulated = lesson_evaluation(BackendChoice::emulated, 0)(expression);
  const ordered_json beside_cpu = lesson_evaluation(BackendChoice::cpu, 0)(expression);
  ASSERT_FALSE(emulated["model"].empty());
  for (const char* const column : {"model", "load_reduction", "ghost_share", "tile"})
    EXPECT_EQ(beside_cpu[column], emulated[column]) << column;
}

TEST(LessonAnswers, GoThroughAFileAndIntoATable) {
  const Lesson lesson = parse_lesson(small_lesson, "small", "small.md");
  Asked asked;
  Values values(asked.evaluate());
  ordered_json form = answers_template(lesson, values);
  EXPECT_EQ(form["schema"], answers_schema);
  EXPECT_EQ(form["answers"][1]["choices"]["b"], "That one");
  form["student"] = "=Ada";
  form["answers"][0]["answer"] = 3;
  form["answers"][1]["answer"] = "a";
  const Answers answers = parse_answers(form.dump(), "ada.json");
  const std::vector<AnswerResult> results = results_of(lesson, answers, values);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].right);
  EXPECT_FALSE(results[1].right);
  EXPECT_EQ(results_json(lesson, answers, results)["right"], 1);
  EXPECT_EQ(class_csv({{answers, results}}),
            "student,lesson,right,questions,question 1,question 2\n\"'=Ada\",\"small\",1,2,1,0\n");
  EXPECT_EQ(parse_answers(answers_json(answers).dump(), "again").typed, answers.typed);
}

TEST(LessonAnswers, OfAnotherKindAreRefusedByName) {
  const auto why = [](const std::string& text) { return error_of([&] { parse_answers(text, "a.json"); }); };
  EXPECT_THAT(why("[]"), HasSubstr("'a.json' is no JSON object"));
  EXPECT_THAT(why("{\"schema\":\"x\"}"), HasSubstr("is not of the schema"));
  EXPECT_THAT(why("{\"schema\":\"convoscope-lesson-answers\",\"version\":2}"), HasSubstr("another version"));
  EXPECT_THAT(why("{\"schema\":\"convoscope-lesson-answers\",\"version\":1,\"lesson\":\"x\",\"student\":\"\","
                  "\"answers\":[{\"question\":1e9}]}"),
              HasSubstr("no `question` from 1 to 100"));
}

TEST(LessonPages, HaveTheNumbersAndAskForNothing) {
  const Lesson lesson = parse_lesson(small_lesson, "small", "small.md");
  Asked asked;
  Values values(asked.evaluate());
  const std::string page = lesson_page(lesson, values, {false, false, "Here."});
  EXPECT_THAT(page, HasSubstr("The sum in the <strong>middle</strong> is 6, as <code>compute</code> says."));
  EXPECT_THAT(page, HasSubstr("<summary>Hint 1</summary>"));
  EXPECT_THAT(page, HasSubstr("<summary>Solution</summary>"));
  const std::string sheet = lesson_page(lesson, values, {true, false, {}});
  EXPECT_THAT(sheet, AllOf(HasSubstr("class=\"write\""), Not(HasSubstr("It is 3.")), Not(HasSubstr("1 + 2."))));
  EXPECT_THAT(lesson_page(lesson, values, {true, true, {}}), HasSubstr("<h2>Answers</h2>"));
  EXPECT_EQ(lesson_json(lesson, values, 1)["steps"][0].size(), 1u) << "the title alone";
  EXPECT_THROW(lesson_json(lesson, values, 2), Error);
}

TEST(LessonText, IsShownAtOnceWithoutWhatIsMeasured) {
  const Lesson lesson = parse_lesson(
      "# T\n## S\n{bench median_ms strategy=slow} ms and {compute outputs[0] input=\"1\" filter=\"1\"}\n", "t", "t");
  Asked asked;
  Values quick(asked.evaluate(), false), whole(asked.evaluate());
  EXPECT_EQ(quick.text(lesson.steps[0].text[0].spans), "… ms and 3");
  EXPECT_TRUE(quick.left_out());
  EXPECT_FALSE(lesson_json(lesson, quick, 0)["measured"]);
  EXPECT_EQ(whole.text(lesson.steps[0].text[0].spans), "2 ms and 3");
  EXPECT_FALSE(whole.left_out());
}

TEST(LessonPacks, AreFoldersThatReachNoFurther) {
  const Folder folder;
  const std::filesystem::path place = folder.path();
  const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(place / name) << text; };
  EXPECT_THAT(error_of([&] { read_pack(place.string()); }), HasSubstr("has no lessons"));
  write("2-second.md", "# Second\n## S\n");
  write("10-tenth.md", "# Tenth\n## S\n");
  const auto names = [&] {
    std::vector<std::string> all;
    for (const PackedLesson& lesson : read_pack(place.string()).lessons) all.push_back(lesson.name);
    return all;
  };
  EXPECT_THAT(names(), ElementsAre("2-second", "10-tenth"));
  EXPECT_EQ(lesson_named(read_pack(place.string()), "2").name, "10-tenth");
  EXPECT_EQ(lesson_named(read_pack(place.string()), "sec").name, "2-second");
  EXPECT_THAT(error_of([&] { lesson_named(read_pack(place.string()), "tenht"); }), HasSubstr("Did you mean 'tenth'?"));
  write("course.txt", "# mine\n10-tenth.md\n");
  EXPECT_THAT(names(), ElementsAre("10-tenth"));
  write("course.txt", "../2-second\n");
  EXPECT_THAT(error_of([&] { read_pack(place.string()); }), HasSubstr("line 1: '../2-second' is no name of a lesson"));
  std::filesystem::remove(place / "course.txt");
  std::filesystem::create_symlink("/etc/passwd", place / "3-link.md");
  EXPECT_THAT(error_of([&] { read_pack(place.string()); }), HasSubstr("is no file of its own"));
}

TEST(LessonProgressFile, KeepsWhatMakesSense) {
  Progress progress;
  progress["small"] = {1, {1, 2}, true};
  EXPECT_EQ(parse_progress(progress_text(progress)), progress);
  EXPECT_TRUE(parse_progress("no").empty());
  const Progress odd = parse_progress("{\"lessons\":{\"a\":{\"step\":-3,\"solved\":[0,2,1e9],\"done\":1},\"b\":7}}");
  EXPECT_EQ(odd.at("a"), (LessonProgress{0, {2}, false}));
  EXPECT_FALSE(odd.contains("b"));
}

}  // namespace
}  // namespace convoscope::lessons::test
