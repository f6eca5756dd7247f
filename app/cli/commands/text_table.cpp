#include "app/cli/commands/text_table.h"

#include <sys/ioctl.h>

#include <algorithm>

namespace convoscope {
namespace {

constexpr std::size_t usual_columns = 100, gap = 2;

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(separator, from), text.size());
    parts.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& given : parts_of(text, '\n')) {
    lines.push_back(characters(given) <= columns ? given : "");
    if (!lines.back().empty()) continue;
    for (const std::string& word : parts_of(given, ' ')) {
      std::string& line = lines.back();
      if (line.empty())
        line = word;
      else if (characters(line) + 1 + characters(word) <= columns)
        line += " " + word;
      else
        lines.push_back(word);
    }
  }
  return lines;
}

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t most = 0;
  for (const std::string& text : texts) most = std::max(most, characters(text));
  return most;
}

}  // namespace

std::size_t output_columns(int file) {
  winsize size{};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_columns;
}

std::string in_lines(const std::string& text, std::size_t columns) {
  std::string out;
  for (const std::string& line : lines_of(text, columns)) out += line + "\n";
  out.pop_back();
  return out;
}

TextTable::TextTable(std::vector<std::string> header, std::string_view alignment)
    : rows_{std::move(header)}, alignment_(alignment) {}

void TextTable::add(std::vector<std::string> row) {
  row.resize(rows_[0].size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text(std::size_t columns) const {
  const std::size_t count = rows_[0].size();
  std::vector<std::size_t> widths(count), least(count);
  std::size_t all = gap * (count - 1);
  for (std::size_t c = 0; c < count; ++c) {
    for (const auto& row : rows_) {
      widths[c] = std::max(widths[c], longest(parts_of(row[c], '\n')));
      least[c] = std::max(least[c], longest(lines_of(row[c], 1)));
    }
    if (alignment_[c] != 'w') least[c] = widths[c];
    all += widths[c];
  }
  for (; all > columns; --all) {
    std::size_t widest = count;
    for (std::size_t c = 0; c < count; ++c)
      if (widths[c] > least[c] && (widest == count || widths[c] >= widths[widest])) widest = c;
    if (widest == count) break;
    --widths[widest];
  }

  std::string out;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 0;
    for (std::size_t c = 0; c < count; ++c) {
      cells.push_back(lines_of(row[c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      std::string line;
      for (std::size_t c = 0; c < count; ++c) {
        const std::string cell = i < cells[c].size() ? cells[c][i] : "";
        const std::string padding(widths[c] - characters(cell), ' ');
        line += (c ? std::string(gap, ' ') : "") + (alignment_[c] == 'r' ? padding + cell : cell + padding);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  };
  add_row(rows_[0]);
  std::vector<std::string> rule(count);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = 0; i < widths[c]; ++i) rule[c] += "─";
  add_row(rule);
  for (std::size_t r = 1; r < rows_.size(); ++r) add_row(rows_[r]);
  return out;
}

}  // namespace convoscope
