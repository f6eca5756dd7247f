#include "app/lessons/lesson_page.h"

#include "app/lessons/verdict.h"
#include "app/page/html.h"
#include "app/page/page.h"

namespace convoscope::lessons {
namespace {

using nlohmann::ordered_json;

bool is_matrix(const ordered_json& value) {
  return value.is_array() && !value.empty() && value[0].is_array() && !value[0].empty() && !value[0][0].is_array();
}

class LessonPage {
 public:
  LessonPage(const Lesson& lesson, Values& values, const LessonPageSettings& settings)
      : lesson_(lesson), values_(values), settings_(settings) {}

  std::string html() {
    std::string body;
    if (settings_.worksheet) body += html_element("p", "Name: ______________________________", "note");
    if (!lesson_.summary.empty()) body += html_element("p", html_text(lesson_.summary));
    std::string about;
    if (lesson_.minutes > 0) about += "About " + std::to_string(lesson_.minutes) + " minutes. ";
    if (!lesson_.reads.empty()) about += "To read: " + lesson_.reads + ". ";
    about += "On a screen: convoscope lesson run " + lesson_.name + " --window";
    body += html_element("p", html_text(about), "note");
    for (const Step& step : lesson_.steps) body += step_html(step);
    if (settings_.worksheet && settings_.answers) body += html_element("h2", "Answers") + answers_at_end_;
    return html_page(lesson_.title, body, settings_.machine);
  }

 private:
  std::string sentence_html(const Sentence& sentence) {
    std::string out;
    for (const Span& span : sentence) {
      const std::string text = span.kind == Span::Kind::value ? values_.text(span.expression) : span.text;
      const char* const tag = span.kind == Span::Kind::strong ? "strong" : span.kind == Span::Kind::code ? "code" : "";
      out += *tag ? "<" + std::string(tag) + ">" + html_text(text) + "</" + tag + ">" : html_text(text);
    }
    return out;
  }

  // Numbers in rows that stand by themselves are a table.
  std::string matrix_html(const ordered_json& value, const Expression& shown) {
    std::string rows;
    for (const ordered_json& row : value) {
      std::string cells;
      for (const ordered_json& each : row) cells += "<td>" + html_text(value_text(each, shown)) + "</td>";
      rows += "<tr>" + cells + "</tr>\n";
    }
    return "<div class=\"wide\"><table class=\"grid\">" + rows + "</table></div>\n";
  }

  std::string block_html(const Block& block) {
    if (block.kind == Block::Kind::code) return "<pre><code>" + html_text(block.spans[0].text) + "</code></pre>\n";
    if (block.spans.size() == 1 && block.spans[0].kind == Span::Kind::value) {
      const ordered_json value = values_.value(block.spans[0].expression);
      if (is_matrix(value)) return matrix_html(value, block.spans[0].expression);
    }
    return html_element("p", sentence_html(block.spans));
  }

  std::string prose_html(const Prose& prose) {
    std::string out;
    for (std::size_t i = 0; i < prose.size();) {
      if (prose[i].kind != Block::Kind::item) {
        out += block_html(prose[i++]);
        continue;
      }
      std::string items;
      for (; i < prose.size() && prose[i].kind == Block::Kind::item; ++i)
        items += html_element("li", sentence_html(prose[i].spans));
      out += html_element("ul", items);
    }
    return out;
  }

  std::string question_html(const Question& asked) {
    const std::string title = "Question " + std::to_string(++number_);
    std::string inside = html_element("h3", title) + prose_html(asked.text);
    if (!asked.choices.empty()) {
      std::string items;
      for (const Choice& choice : asked.choices) items += html_element("li", sentence_html(choice.text));
      inside += html_element("ol", items, "choices");
    }
    const std::string solved = html_element("p", "<strong>" + html_text(right_answer(asked, values_)) + "</strong>") +
                               prose_html(asked.solution);
    if (settings_.worksheet) {
      inside += html_element("div", "", "write") + html_element("div", "", "write");
      answers_at_end_ += html_element("h3", title) + solved;
    } else {
      for (std::size_t i = 0; i < asked.hints.size(); ++i)
        inside += html_details("Hint " + std::to_string(i + 1), html_element("p", sentence_html(asked.hints[i])));
      inside += settings_.answers ? solved : html_details("Solution", solved);
    }
    return html_element("section", inside, "ask together");
  }

  std::string step_html(const Step& step) {
    std::string out = html_element("h2", html_text(step.title)) + prose_html(step.text);
    std::string tasks;
    if (!step.look.empty()) tasks += html_element("p", "<strong>Look:</strong> " + sentence_html(step.look));
    if (!step.act.empty()) tasks += html_element("p", "<strong>Do:</strong> " + sentence_html(step.act));
    if (!tasks.empty()) out += html_element("div", tasks, "tasks");
    for (const Question& question : step.questions) out += question_html(question);
    return out;
  }

  const Lesson& lesson_;
  Values& values_;
  const LessonPageSettings& settings_;
  int number_ = 0;
  std::string answers_at_end_;
};

}  // namespace

std::string lesson_page(const Lesson& lesson, Values& values, const LessonPageSettings& settings) {
  return LessonPage(lesson, values, settings).html();
}

}  // namespace convoscope::lessons
