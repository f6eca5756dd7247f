// The source of the active pane's strategy, beside the picture that it makes.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/sheets.h"
#include "app/ui/windows/pages.h"
#include "kernels/listings/listing.h"

namespace convoscope::ui {
namespace {

constexpr std::array<std::string_view, 12> cuda_words{
    "__global__",    "__device__", "__shared__", "__constant__", "__launch_bounds__", "__syncthreads",
    "shared_memory", "threadIdx",  "blockIdx",   "blockDim",     "gridDim",           "__shfl_down_sync"};

// What is on the sheet: taken apart when another strategy or file is to be seen.
struct ShownListing {
  const Strategy* strategy = nullptr;
  std::string kernel;
  Listing listing;
  ListedLines kernel_at;
  const SourceFile* file = nullptr;
  std::vector<std::string_view> lines;
  float widest = 0;  // of the lines, in characters
  bool scroll = false;

  void show(const SourceFile* to_show) {
    file = to_show;
    lines = file ? lines_of(file->text) : std::vector<std::string_view>();
    std::size_t most = 0;
    for (const std::string_view line : lines) most = std::max(most, line.size());
    widest = static_cast<float>(most);
    scroll = true;
  }
};

std::string file_name_of(const SourceFile& file) { return std::string(file.path.substr(file.path.rfind('/') + 1)); }

// What computes the pane at the moment: of `auto` what it has chosen, of one that cannot run what stands in for it.
const Strategy* strategy_at_work(const Stats& stats, const Settings& settings) {
  const PaneStats* const measured = active_stats(stats, settings);
  const bool known = measured && measured->strategy == settings.active().strategy && !measured->runs.empty();
  const StrategyRow* const row = find_row(stats, known ? measured->runs : settings.active().strategy);
  return row ? row->strategy : nullptr;
}

std::string kernel_at_work(const Stats& stats, const Settings& settings) {
  const PaneStats* const measured = active_stats(stats, settings);
  return measured && !measured->kernels.empty() ? measured->kernels.front().name : std::string();
}

void follow_strategy(ShownListing& shown, const Strategy* strategy, const std::string& kernel) {
  if (shown.strategy == strategy && (shown.kernel == kernel || kernel.empty())) return;
  shown.strategy = strategy;
  shown.kernel = kernel;
  shown.listing = strategy ? listing_of(*strategy) : Listing();
  shown.kernel_at = kernel_lines(shown.listing, kernel);
  shown.show(shown.kernel_at.file);
}

void draw_listed_files(ShownListing& shown) {
  row_label("File", "The strategy's own file, and those that it is made with.");
  if (!begin_combo("##listing-file", file_name_of(*shown.file))) return;
  std::vector<const SourceFile*> files{shown.listing.own};
  files.insert(files.end(), shown.listing.parts.begin(), shown.listing.parts.end());
  for (const SourceFile* const file : files) {
    if (list_entry(file_name_of(*file), file == shown.file, {.size = {}, .also = std::string(file->path)}))
      shown.show(file);
    mark_item("listing-file/" + file_name_of(*file));
  }
  ImGui::EndCombo();
}

bool is_word_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Where the comment of a line begins; a "//" within quotes begins none.
std::size_t comment_of(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && line[i] == '/' && line[i + 1] == '/') return i;
  }
  return line.size();
}

class CodePen {
 public:
  CodePen(ImDrawList& list, ImVec2 at) : list_(list), at_(at) {}
  void write(std::string_view text, ImU32 ink) {
    if (text.empty()) return;
    const char* const end = text.data() + text.size();
    list_.AddText(font(Font::code), font_size(Font::code), at_, ink, text.data(), end);
    at_.x += font(Font::code)->CalcTextSizeA(font_size(Font::code), FLT_MAX, 0, text.data(), end).x;
  }

 private:
  ImDrawList& list_;
  ImVec2 at_;
};

// Comments stand back, and what only CUDA has stands out.
void write_code_line(CodePen& pen, std::string_view line) {
  const Theme& t = theme();
  const std::string_view comment = line.substr(comment_of(line));
  std::string_view code = line.substr(0, line.size() - comment.size());
  const ImU32 ink = line.starts_with("#") ? t.dim : t.text;
  while (!code.empty()) {
    const bool word = is_word_character(code.front());
    const auto end = std::ranges::find_if(code, [&](char c) { return is_word_character(c) != word; });
    const std::string_view part = code.substr(0, static_cast<std::size_t>(end - code.begin()));
    pen.write(part, std::ranges::find(cuda_words, part) != cuda_words.end() ? t.accent : ink);
    code.remove_prefix(part.size());
  }
  pen.write(comment, t.dim);
}

void draw_listed_lines(ShownListing& shown) {
  push_font(Font::code);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const float character = ImGui::CalcTextSize("0").x, height = ImGui::GetTextLineHeight() + px(2);
  const float numbers = character * static_cast<float>(std::to_string(shown.lines.size()).size() + 2);
  if (shown.scroll) {
    const bool here = shown.file == shown.kernel_at.file;
    ImGui::SetScrollY(here ? static_cast<float>(shown.kernel_at.begin) * height : 0);
    ImGui::SetScrollX(0);
    shown.scroll = false;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.lines.size()), height);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const bool of_kernel = shown.file == shown.kernel_at.file && shown.kernel_at.contains(i);
      if (of_kernel) list.AddRectFilled(at, {at.x + px(2), at.y + height}, theme().accent);
      const std::string number = std::to_string(i + 1);
      CodePen(list, {at.x + numbers - character * static_cast<float>(number.size() + 1), at.y})
          .write(number, of_kernel ? theme().dim : theme().faint);
      CodePen pen(list, {at.x + numbers + character, at.y});
      write_code_line(pen, shown.lines[static_cast<std::size_t>(i)]);
      ImGui::Dummy({numbers + character * (shown.widest + 2), height});
    }
  clipper.End();
  ImGui::PopStyleVar();
  pop_font();
}

}  // namespace

void draw_listing_window(const Stats& stats, Settings& settings, const Area& sheet) {
  if (!settings.inspect.listing) return;
  if (!begin_sheet("listing", "Source of the strategy", sheet, settings.inspect.listing,
                   "Close" + keys_of(action::listing), settings.workbench))
    return;
  static ShownListing shown;  // on the thread that draws
  follow_strategy(shown, strategy_at_work(stats, settings), kernel_at_work(stats, settings));
  if (!shown.file) {
    text_dim("This pane computes nothing. Choose a strategy for it" + keys_of(action::next_strategy) + ".");
    end_sheet();
    return;
  }
  draw_listed_files(shown);
  push_font(Font::small);
  text_clipped(std::string(shown.file->path), ImGui::GetContentRegionAvail().x, theme().faint);
  pop_font();
  ImGui::PushStyleColor(ImGuiCol_ChildBg, colour(theme().field));
  if (ImGui::BeginChild("##listing-lines", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar))
    draw_listed_lines(shown);
  mark_area("listing-lines", ImGui::GetWindowPos(),
            {ImGui::GetWindowPos().x + ImGui::GetWindowSize().x, ImGui::GetWindowPos().y + ImGui::GetWindowSize().y});
  ImGui::EndChild();
  ImGui::PopStyleColor();
  end_sheet();
}

}  // namespace convoscope::ui
