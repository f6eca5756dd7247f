// The table of launches, from text to KernelFile.
#include <algorithm>
#include <array>
#include <charconv>

#include "kernels/own/kernel_file.h"
#include "kernels/text/edit_distance.h"

namespace convoscope::own {
namespace {

constexpr std::size_t most_of_each = 16;  // launches, memories, tunables …

class Table {
 public:
  Table(KernelFile& file, std::span<const Token> tokens) : file_(file), tokens_(tokens) {}

  void read() {
    find_table();
    while (!now().is(")")) {
      if (now().kind == Token::Kind::end) wrong("the table has no end: a ')' is missing");
      statement();
    }
    check();
  }

 private:
  const Token& now() const { return ahead(0); }
  const Token& ahead(std::size_t count) const { return tokens_[std::min(i_ + count, tokens_.size() - 1)]; }
  [[noreturn]] void wrong(const std::string& what) const { throw SourceError(now().place, what); }
  bool take(std::string_view word) {
    if (!now().is(word)) return false;
    ++i_;
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) wrong("'" + std::string(word) + "' is missing here");
  }
  std::string name(const char* of) {
    if (now().kind != Token::Kind::name) wrong(std::string("the name of ") + of + " is missing here");
    return std::string(tokens_[i_++].word);
  }
  int number() {
    const std::string_view word = now().word;
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (now().kind != Token::Kind::number || error != std::errc() || end != word.data() + word.size())
      wrong("a whole number is missing here");
    ++i_;
    return value;
  }
  std::string text_if_any() {
    return now().kind == Token::Kind::text ? std::string(tokens_[i_++].word) : std::string();
  }
  Expression expression() {
    i_ = std::min(i_, tokens_.size() - 1);
    return take_expression(tokens_, i_);
  }
  template <class List>
  void one_more(const List& list, const char* what) const {
    if (list.size() >= most_of_each) wrong("a table has " + std::to_string(most_of_each) + " " + what + " at most");
  }

  void find_table() {
    bool includes = false;
    for (; now().kind != Token::Kind::end && !now().is("CONVOSCOPE_TABLE"); ++i_)
      includes |= now().is("include") && ahead(1).word == "convoscope_kernel.h";
    if (!includes) throw SourceError({1, 1}, "the file has to begin with #include \"convoscope_kernel.h\"");
    if (now().kind == Token::Kind::end)
      wrong("the table of launches is missing: CONVOSCOPE_TABLE(launch my_kernel(in, out, …) grid (…) block (…);)");
    file_.table = now().place;
    ++i_;
    expect("(");
  }

  void statement() {
    static const std::vector<std::string> words{"kind",  "format", "tunable", "let",
                                                "needs", "fill",   "memory",  "launch"};
    const Token word = now();
    ++i_;
    if (word.is("kind"))
      kind();
    else if (word.is("format"))
      formats();
    else if (word.is("tunable"))
      tunable();
    else if (word.is("let"))
      let();
    else if (word.is("needs"))
      need();
    else if (word.is("fill"))
      fill();
    else if (word.is("memory"))
      memory();
    else if (word.is("launch"))
      launch();
    else
      unknown(word, "a table knows", words);
    expect(";");
  }

  [[noreturn]] static void unknown(const Token& word, const std::string& known, const std::vector<std::string>& words) {
    const std::string near = nearest_word(std::string(word.word), words);
    std::string all;
    for (const std::string& one : words) all += (all.empty() ? " " : ", ") + one;
    throw SourceError(word.place, "'" + std::string(word.word) + "' is unknown here: " +
                                      (near.empty() ? known + all : "is '" + near + "' meant?"));
  }

  void kind() {
    const Token word = now();
    file_.kind = find_kind(name("a kind"));
    std::vector<std::string> known;
    for (const Kind* one : kinds()) known.emplace_back(one->id);
    if (!file_.kind) unknown(word, "the kinds are", known);
    if (!is_taken(*file_.kind))
      throw SourceError(word.place, "kernels of the kind '" + std::string(file_.kind->id) +
                                        "' cannot be graded yet: image and signal can");
  }
  static bool is_taken(const Kind& kind) { return kind.id == "image" || kind.id == "signal"; }

  void formats() {
    do {
      const Token word = now();
      const std::string which = name("a format");
      constexpr std::array all{PixelFormat::rgba8, PixelFormat::gray32f};
      const auto found = std::ranges::find(all, which, [](PixelFormat f) { return std::string(to_string(f)); });
      if (found == all.end()) unknown(word, "the formats are", {"rgba8", "gray32f"});
      file_.formats.push_back(*found);
    } while (take(","));
  }

  void tunable() {
    one_more(file_.tunables, "tunables");
    OwnTunable made;
    const Token word = now();
    made.id = new_name("a tunable");
    expect("=");
    made.initial = number();
    expect("of");
    do made.values.push_back(number());
    while (take(","));
    made.explanation = text_if_any();
    if (!std::ranges::is_sorted(made.values, std::ranges::less_equal()) || made.values.size() > 64)
      throw SourceError(word.place, "the choices of a tunable are up to 64 numbers, from the smallest to the largest");
    if (std::ranges::find(made.values, made.initial) == made.values.end())
      throw SourceError(word.place, "the first value of a tunable is one of its choices");
    file_.tunables.push_back(std::move(made));
  }

  // Every name means one thing.
  std::string new_name(const char* of) {
    const Token word = now();
    const std::string made = name(of);
    static constexpr std::array taken{"in", "out", "border", "epilogue", "filter", "taps", "filter_by_columns"};
    const Problem any;
    const bool known = std::ranges::find(taken, made) != taken.end() || file_.names(any, {})(made).has_value() ||
                       std::ranges::find(file_.memories, made, &OwnMemory::name) != file_.memories.end();
    if (known) throw SourceError(word.place, "'" + made + "' has a meaning already: choose another name");
    return made;
  }

  void let() {
    one_more(file_.lets, "names");
    std::string made = new_name("a number");
    expect("=");
    file_.lets.emplace_back(std::move(made), expression());
  }

  void need() {
    one_more(file_.needs, "needs");
    if (now().is("rank_one") && ahead(1).is(";")) {
      ++i_;
      file_.needs.push_back({{}, "the filter must be separable"});
      return;
    }
    Expression condition = expression();
    file_.needs.push_back({std::move(condition), text_if_any()});
  }

  Contents contents(const Token& word) const {
    if (word.is("filter")) return Contents::filter;
    if (word.is("filter_by_columns")) return Contents::filter_by_columns;
    if (word.is("taps")) return Contents::taps;
    unknown(word, "an array is filled with", {"filter", "filter_by_columns", "taps"});
  }

  void fill() {
    one_more(file_.filled, "arrays to fill");
    const Place place = now().place;
    std::string array = name("a __constant__ array");
    expect("with");
    const Contents with = contents(now());
    ++i_;
    file_.filled.push_back({std::move(array), with, place});
  }

  void memory() {
    one_more(file_.memories, "memories");
    const Place place = now().place;
    OwnMemory made{new_name("the memory"), {}, {}, place};
    expect("=");
    while (now().kind == Token::Kind::name || now().is("<") || now().is(">") || now().is(","))
      made.type += tokens_[i_++].word;
    if (made.type.empty()) wrong("a type is missing here, like float");
    expect("[");
    made.count = expression();
    expect("]");
    file_.memories.push_back(std::move(made));
  }

  void launch() {
    one_more(file_.launches, "launches");
    Launch made;
    made.place = now().place;
    made.kernel = name("a kernel");
    if (take("<")) {
      do {
        if (now().kind != Token::Kind::name && now().kind != Token::Kind::number)
          wrong("Pixel, Sums, a tunable or a number is missing here");
        made.template_words.emplace_back(tokens_[i_++].word);
      } while (take(","));
      expect(">");
    }
    expect("(");
    if (!take(")")) {
      do made.arguments.push_back(argument());
      while (take(","));
      expect(")");
    }
    expect("grid");
    made.grid = extents();
    expect("block");
    made.block = extents();
    if (take("shared")) made.shared = expression();
    file_.launches.push_back(std::move(made));
  }

  std::vector<Expression> extents() {
    std::vector<Expression> list;
    expect("(");
    do list.push_back(expression());
    while (take(","));
    expect(")");
    if (list.size() > 3) wrong("a grid and a block have three extents at most");
    return list;
  }

  Argument argument() {
    using enum Argument::Kind;
    const bool alone = ahead(1).is(",") || ahead(1).is(")");
    const auto named = [&](std::string_view word) { return alone && now().is(word); };
    Argument made;
    if (named("in")) made.kind = input;
    if (named("out")) made.kind = output;
    if (named("border")) made.kind = border;
    if (named("epilogue")) made.kind = epilogue;
    if (named("filter") || named("filter_by_columns") || named("taps")) {
      made.kind = weights;
      made.index = static_cast<std::size_t>(contents(now()));
    }
    const auto found = std::ranges::find(file_.memories, now().word, &OwnMemory::name);
    if (alone && found != file_.memories.end()) {
      made.kind = memory;
      made.index = static_cast<std::size_t>(found - file_.memories.begin());
    }
    if (made.kind == number)
      made.number = expression();
    else
      ++i_;
    return made;
  }

  void check() {
    if (!file_.kind) file_.kind = kinds()[0];
    if (file_.launches.empty()) throw SourceError(file_.table, "the table has no launch");
    bool any_pixel = false;
    for (const Launch& launch : file_.launches)
      for (const std::string& word : launch.template_words) {
        any_pixel |= word == "Pixel";
        file_.two_sets |= word == "Sums";
        const bool known = word == "Pixel" || word == "Sums" || (word[0] >= '0' && word[0] <= '9') ||
                           std::ranges::find(file_.tunables, word, &OwnTunable::id) != file_.tunables.end();
        if (!known)
          throw SourceError(launch.place, "'" + word + "' is no template argument: Pixel, Sums, a tunable or a number");
      }
    if (file_.formats.empty() && (any_pixel || file_.kind->formats.size() == 1))
      file_.formats.assign(file_.kind->formats.begin(), file_.kind->formats.end());
    if (file_.formats.empty())
      throw SourceError(file_.table,
                        "no launch has Pixel among its template arguments: say the format, like \"format gray32f;\"");
    check_numbers();
  }

  // With some problem or other, so that what is misspelt is told at once.
  void check_numbers() const {
    const Problem problem{.width = 640, .height = 360, .filter = {.width = 3, .height = 3, .weights = {1}}};
    const Names names = file_.names(problem, {});
    for (const auto& [name, number] : file_.lets) static_cast<void>(names(name));
    for (const Need& need : file_.needs)
      if (!need.condition.empty()) need.condition.value(names);
    for (const OwnMemory& memory : file_.memories) memory.count.value(names);
    for (const Launch& launch : file_.launches) {
      for (const Expression& extent : launch.grid) extent.value(names);
      for (const Expression& extent : launch.block) extent.value(names);
      for (const Argument& argument : launch.arguments)
        if (!argument.number.empty()) argument.number.value(names);
      if (!launch.shared.empty()) launch.shared.value(names);
    }
  }

  KernelFile& file_;
  std::span<const Token> tokens_;
  std::size_t i_ = 0;
};

}  // namespace

KernelFile::KernelFile(std::string path_of_it, std::string text_of_it)
    : path(std::move(path_of_it)), text(std::move(text_of_it)) {
  const std::vector<Token> tokens = tokens_of(text);
  Table(*this, tokens).read();
}

}  // namespace convoscope::own
