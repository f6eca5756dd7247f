#include "app/ui/files/file_browser.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/files/paths.h"
#include "app/ui/files/file_rows.h"
#include "app/ui/files/path_field.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/modal.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

using Purpose = FileBrowser::Purpose;

constexpr int frames_to_wait = 240;     // for a folder that is being read, after Enter
constexpr std::size_t most_places = 5;  // of the folders that were opened from

bool chooses_folder(Purpose purpose) { return purpose == Purpose::recording_folder || purpose == Purpose::save_folder; }

const char* title_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::source:
      return "Open a source";
    case Purpose::filter:
      return "Load a filter";
    case Purpose::bank:
      return "Load a bank of filters";
    case Purpose::sweep:
      return "Overlay a saved sweep";
    case Purpose::recording_folder:
      return "Where to save recordings and screenshots";
    case Purpose::save_folder:
      return "Choose a folder";
  }
  return "";
}

std::string folder_of(const FileBrowser& browser, const Stats& stats) {
  return browser.folder.empty() ? stats.files.started_in : browser.folder;
}

void finish(FileBrowser& browser, const std::string& path, Settings& settings, Requests& requests) {
  browser.open = false;
  settings.browser_folder = browser.seen;
  switch (browser.purpose) {
    case Purpose::source:
      requests.open = path;
      break;
    case Purpose::filter:
      requests.load_filter = path;
      break;
    case Purpose::bank:
      requests.load_bank = path;
      break;
    case Purpose::sweep:
      requests.load_sweep = path;
      break;
    case Purpose::recording_folder:
      settings.recording.folder = path;
      break;
    case Purpose::save_folder:
      ui_state().save.folder = path;
      break;
  }
}

void go_to(FileBrowser& browser, const std::string& folder) {
  browser.folder = folder;
  browser.is_of_last_run = false;
  browser.field.replacement = "";
  browser.chosen = 0;
  browser.walked = false;
  browser.reveal = true;
}

FolderQuestion question_of(const FileBrowser& browser, const Stats& stats) {
  FolderQuestion question;
  const std::string base = folder_of(browser, stats);
  const bool no_file = names_no_file(stats.sources, browser.field.typed());
  const TypedPath typed = no_file ? TypedPath{base, ""} : split_typed(browser.field.typed(), base);
  question.folder = typed.folder;
  if (!is_glob(typed.rest)) question.contains = typed.rest;
  question.order = browser.order;
  const bool data =
      browser.purpose == Purpose::filter || browser.purpose == Purpose::bank || browser.purpose == Purpose::sweep;
  question.wanted = data ? FileKind::data : chooses_folder(browser.purpose) ? FileKind::folder : FileKind::video;
  if (browser.purpose == Purpose::sweep) question.endings = {"json"};
  if (browser.purpose == Purpose::bank) question.endings = {"json", "npy", "npz", "safetensors"};
  return question;
}

// A row was double-clicked, or is meant by Enter.
void take(FileBrowser& browser, const FolderListing& listing, int row, Settings& settings, Requests& requests) {
  const FileEntry& entry = listing.entries[static_cast<std::size_t>(row)];
  const std::string path = join(listing.question.folder, entry.name);
  if (entry.kind == FileKind::folder)
    go_to(browser, path);
  else if (!chooses_folder(browser.purpose))
    finish(browser, path, settings, requests);
}

// What Enter means depends on what is typed, and on what is there.
void accept(FileBrowser& browser, const FolderListing* listing, const Stats& stats, Settings& settings,
            Requests& requests) {
  const std::string typed = browser.field.typed();
  const std::string base = folder_of(browser, stats);
  const TypedPath path = split_typed(typed, base);
  const bool source = browser.purpose == Purpose::source;
  const bool no_file = names_no_file(stats.sources, typed);
  if (source && (no_file || is_glob(path.rest)) && !browser.walked) {
    browser.accept = false;
    return finish(browser, no_file ? typed : join(path.folder, path.rest), settings, requests);
  }
  if (!listing && browser.waited++ < frames_to_wait) return;  // its answer is on the way
  browser.accept = false;
  const int rows = listing ? static_cast<int>(listing->entries.size()) : 0;
  if (browser.walked && rows > 0)
    return take(browser, *listing, std::clamp(browser.chosen, 0, rows - 1), settings, requests);
  if (!typed.empty() && path.rest.empty()) return go_to(browser, path.folder);
  for (int i = 0; i < rows; ++i)
    if (listing->entries[static_cast<std::size_t>(i)].name == path.rest)
      return take(browser, *listing, i, settings, requests);
  if (rows > 0) return take(browser, *listing, std::clamp(browser.chosen, 0, rows - 1), settings, requests);
  if (!typed.empty() && !chooses_folder(browser.purpose)) finish(browser, whole_path(typed, base), settings, requests);
}

void use_keys(FileBrowser& browser, const FolderListing* listing, const Stats& stats, Settings& settings,
              Requests& requests) {
  const int rows = listing ? static_cast<int>(listing->entries.size()) : 0;
  if (browser.move != 0) {
    browser.chosen = std::clamp(browser.chosen + browser.move, 0, std::max(rows - 1, 0));
    browser.walked |= rows > 0;
    browser.reveal = true;
    browser.move = 0;
  }
  if (browser.complete && listing) {
    const std::string base = folder_of(browser, stats);
    browser.field.replacement = completed(browser.field.typed(), base, *listing);
    browser.complete = false;
  }
  // Letters that came with the Enter ask another question than the one that was answered.
  if (listing && listing->question != question_of(browser, stats)) listing = nullptr;
  if (browser.accept) accept(browser, listing, stats, settings, requests);
}

bool place(const char* id, const std::string& label, const std::string& tip, bool on) {
  const float width = ImGui::GetContentRegionAvail().x, height = px(26);
  const bool clicked = ImGui::InvisibleButton(id, {std::max(width, 1.0f), height});
  mark_item(id);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (on || ImGui::IsItemHovered())
    list.AddRectFilled(from, to, on ? theme().accent_soft : with_alpha(theme().text, 0.07f), px(5));
  const std::string shown = clipped(Font::body, label, width - px(12));
  draw_text(list, Font::body, {from.x + px(8), std::round((from.y + to.y - font_size(Font::body)) / 2)}, theme().text,
            shown);
  tooltip(with_whole(label, shown, tip));
  return clicked;
}

void draw_places(FileBrowser& browser, const Stats& stats, Settings& settings, Requests& requests) {
  const std::string here = browser.seen, home = home_folder();
  bool marked = false;  // one folder may have several places
  const auto folder = [&](const char* id, const std::string& label, const std::string& path) {
    if (path.empty()) return;
    const bool on = here == path && !std::exchange(marked, marked || here == path);
    if (place(id, label, printable(path), on)) go_to(browser, path);
  };
  heading("PLACES");
  folder("place/home", "Home", home);
  const auto folder_that_is_there = [&](const char* id, const std::string& name) {
    if (home.empty()) return;
    const std::string path = join(home, name);
    requests.files.paths.push_back(path);
    const auto known = stats.files.paths.find(path);
    if (known != stats.files.paths.end() && known->second.folder) folder(id, name, path);
  };
  folder_that_is_there("place/videos", "Videos");
  folder_that_is_there("place/pictures", "Pictures");
  folder("place/started", "Started in", stats.files.started_in);
  std::vector<std::string> recent;
  for (const std::string& input : settings.recent) {
    if (names_no_file(stats.sources, input) || recent.size() == most_places || !input.starts_with('/')) continue;
    if (const std::string parent = parent_of(input); std::ranges::find(recent, parent) == recent.end())
      recent.push_back(parent);
  }
  if (!recent.empty()) heading("RECENT FOLDERS");
  for (std::size_t i = 0; i < recent.size(); ++i)
    folder(("place/recent" + std::to_string(i)).c_str(), printable(name_of(recent[i])), recent[i]);
  if (browser.purpose != Purpose::source) return;
  heading("LIVE");
  for (auto source = stats.sources.rbegin(); source != stats.sources.rend(); ++source)
    for (const SourceChoice& choice : source->choices) {
      const std::string tip = choice.problem.empty() ? choice.tip : choice.problem;
      if (!choice.place.empty() && place(("place/" + choice.input).c_str(), printable(choice.place), tip, false))
        finish(browser, choice.input, settings, requests);
    }
}

// The end of a long path tells more than its beginning. One name alone may still be too wide.
std::string end_of_path(const std::string& path, float room) {
  std::string shown = path;
  for (std::size_t at = path.find('/', 1); at != std::string::npos && ImGui::CalcTextSize(shown.c_str()).x > room;
       at = path.find('/', at + 1))
    shown = "…" + path.substr(at);
  return shown;
}

void draw_head(FileBrowser& browser, const std::string& folder) {
  if (browser.opening) browser.field.focus = true;
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0))
    browser.field.focus = true;  // typing always narrows the list
  ImGui::SetNextItemWidth(-1);
  const char* const hint = chooses_folder(browser.purpose) ? "Type part of a name, or a path"
                           : browser.purpose != Purpose::source
                               ? "Type part of a name, or a path"
                               : "Type part of a name, a path, an address, shots/*.png";
  draw_path_field("browser-path", hint, browser.field, "");
  const float order = px(140), gap = px(8);
  if (icon_button("browser-up", Icon::chevron_up, "Go to the folder above (Alt+↑)", false, 26))
    go_to(browser, parent_of(folder));
  ImGui::SameLine(0, gap);
  ImGui::AlignTextToFramePadding();
  const float room = ImGui::GetContentRegionAvail().x - order - gap;
  const float at = ImGui::GetCursorPosX();
  text_clipped(end_of_path(printable(folder), room), room, theme().dim);
  ImGui::SameLine(at + room + gap);
  constexpr const char* orders[] = {"name", "date"};
  int chosen = static_cast<int>(browser.order);
  if (segmented("browser-order", orders, &chosen, "Sort by name, or with the newest first", order))
    browser.order = static_cast<FileOrder>(chosen);
}

void draw_foot(FileBrowser& browser, const FolderListing* listing, const Stats& stats, Settings& settings,
               Requests& requests) {
  const std::string folder = question_of(browser, stats).folder;  // also while it is still being read
  const bool folders = chooses_folder(browser.purpose);
  if (text_button("browser-open", folders ? "Choose this folder" : "Open",
                  folders ? printable(folder) : "Open the chosen row (Enter)", true)) {
    if (folders)
      finish(browser, folder, settings, requests);
    else
      browser.accept = true;
  }
  ImGui::SameLine(0, px(8));
  if (browser.purpose == Purpose::source && listing && listing->pictures > 1) {
    if (text_button("browser-sequence", "Play as a sequence",
                    "Play all pictures in this folder, one after another, as a clip of 25 frames a second"))
      finish(browser, folder, settings, requests);
    ImGui::SameLine(0, px(8));
  }
  if (text_button("browser-cancel", "Cancel", "Close without opening anything (Esc)")) browser.open = false;
  ImGui::SameLine(0, px(12));
  ImGui::AlignTextToFramePadding();
  std::string count = "Reading the folder … " + format_count(static_cast<long long>(stats.files.entries_read));
  if (listing)
    count = listing->cut ? "More than " + format_count(most_listed) + " files: type part of the name"
                         : counted(std::ssize(listing->entries), "entry", "entries");
  text_clipped(count, ImGui::GetContentRegionAvail().x, theme().faint);
}

}  // namespace

void open_browser(Purpose purpose, const std::string& folder) {
  FileBrowser& browser = ui_state().browser;
  const std::string before = browser.folder;
  const FileOrder order = browser.order;
  const bool went_to_input = browser.went_to_input;
  browser = {};
  browser.open = browser.opening = true;
  browser.purpose = purpose;
  browser.folder = folder.empty() ? before : folder;
  browser.order = order;
  browser.went_to_input = went_to_input;
}

bool browser_key(int pressed, int modifiers) {
  FileBrowser& browser = ui_state().browser;
  if (!browser.open) return false;
  const bool plain = modifiers == 0;
  if (plain && pressed == key::escape)
    browser.cancel = true;
  else if (plain && (pressed == key::enter || pressed == key::keypad_enter))
    browser.accept = true, browser.waited = 0;
  else if (plain && pressed == key::tab)
    browser.complete = true;
  else if (plain && pressed == key::up)
    browser.move -= 1;
  else if (plain && pressed == key::down)
    browser.move += 1;
  else if (plain && (pressed == key::page_up || pressed == key::page_down))
    browser.move += pressed == key::page_up ? -8 : 8;
  else if ((modifiers == key::alt && pressed == key::up) ||
           (plain && pressed == key::backspace && browser.field.text[0] == 0))
    go_to(browser, parent_of(browser.seen));
  else
    return false;
  return true;
}

void look_there_next(const std::string& folder, Settings& settings) {
  FileBrowser& browser = ui_state().browser;
  browser.folder = settings.browser_folder = folder;
  browser.went_to_input = true;
}

void draw_file_browser(const Stats& stats, Settings& settings, Requests& requests) {
  FileBrowser& browser = ui_state().browser;
  if (!browser.open) return;
  const std::string& input_in = stats.files.input_in;
  const bool to_input = browser.purpose == Purpose::source && !input_in.empty() && !browser.went_to_input;
  if (browser.opening && (to_input || browser.folder.empty())) {
    browser.folder = to_input ? input_in : settings.browser_folder;
    browser.went_to_input |= to_input;
    browser.is_of_last_run = true;
  }
  const FolderQuestion question = question_of(browser, stats);
  requests.files.folder = question;
  // Of the same folder, the rows before are shown until the new ones are there.
  const FolderListing* shown =
      stats.files.folder && stats.files.folder->question.folder == question.folder ? stats.files.folder.get() : nullptr;
  const FolderListing* answer = shown && shown->question == question ? shown : nullptr;
  browser.seen = question.folder;
  // What is typed may name a folder that is not there, or not yet: that is no reason to leave this one.
  if (answer && !answer->problem.empty() && browser.is_of_last_run && question.folder == browser.folder) {
    browser.folder.clear();
    browser.is_of_last_run = false;
  }

  bool open = true;
  begin_modal({"##browser-sheet", title_of(browser.purpose), "browser-close", 860, 640}, browser.opening, &open);
  const std::string typed = browser.field.typed();
  draw_head(browser, question.folder);
  browser.opening = false;
  if (typed != browser.field.typed()) browser.chosen = 0, browser.walked = false, browser.reveal = true;
  const float foot = px(44), height = std::max(ImGui::GetContentRegionAvail().y - foot, px(40));
  const float places = ImGui::GetContentRegionAvail().x > px(480) ? px(148) : 0;
  if (places > 0) {
    ImGui::BeginChild("##places", {places, height}, false, ImGuiWindowFlags_NoNav);
    draw_places(browser, stats, settings, requests);
    ImGui::EndChild();
    ImGui::SameLine(0, px(12));
  }
  ImGui::BeginChild("##rows", {0, height}, false, ImGuiWindowFlags_NoNav);
  const int taken = draw_file_rows(browser, shown, stats, requests);
  ImGui::EndChild();
  if (taken >= 0) take(browser, *shown, taken, settings, requests);
  ImGui::Dummy({0, px(4)});
  draw_foot(browser, answer, stats, settings, requests);
  end_modal();
  use_keys(browser, answer, stats, settings, requests);
  if (!open || browser.cancel) browser.open = browser.cancel = false;
}

}  // namespace convoscope::ui
