#include "app/ui/files/save_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <span>
#include <utility>

#include "app/files/file_kinds.h"
#include "app/files/file_names.h"
#include "app/files/paths.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/modal.h"

namespace convoscope::ui {
namespace {

// Enter twice out of habit replaces nothing.
constexpr double time_to_read = 0.8;  // s

struct Kind {
  const char* title;
  const char* word;                  // {kind} of a name
  std::vector<std::string> endings;  // the first is added to a name that has none; of a folder there are none
};

const Kind& kind_of(Saved what) {
  static const Kind kinds[] = {{"Save the session", "session", {"json"}},
                               {"Save the filter", "filter", {"json"}},
                               {"Save the bank", "bank", {"json", "npy"}},
                               {"Save all layers", "network", {}},
                               {"Save the sweep", "sweep", {"json", "csv", "png"}},
                               {"Save a screenshot", "screenshot", {"png"}},
                               {"Render the source to a file", "render", {"mkv", "mp4"}}};
  return kinds[static_cast<int>(what)];
}

// The last one used, else the one where such things are saved.
std::string folder_shown(const SaveDialog& dialog, const Stats& stats) {
  if (!dialog.folder.empty()) return dialog.folder;
  const std::string& usual = dialog.what == Saved::screenshot ? stats.files.pictures_in
                             : dialog.what == Saved::render   ? stats.files.videos_in
                                                              : stats.files.started_in;
  return usual.empty() ? stats.files.started_in : usual;
}

bool together(const SaveDialog& dialog) { return dialog.what == Saved::sweep && dialog.together; }

// The name from the root on; of files that are saved together without their endings. Empty: none is typed.
std::string whole_name(const SaveDialog& dialog, const Stats& stats) {
  const std::string base = folder_shown(dialog, stats);
  const std::string name = dialog.name.data();
  // A blank and dots name no file, nor does the home folder.
  const std::string last = name.substr(name.rfind('/') + 1);
  if (last.find_first_not_of(" .") == std::string::npos || name == "~") return {};
  const std::string path = whole_path(name, base);
  return together(dialog) ? path : with_ending(path, kind_of(dialog.what).endings);
}

std::vector<std::string> written(const SaveDialog& dialog, const std::string& path) {
  if (path.empty()) return {};
  if (!together(dialog)) return {path};
  std::vector<std::string> paths;
  for (const std::string& ending : kind_of(dialog.what).endings) paths.push_back(path + "." + ending);
  return paths;
}

void save(Saved what, const std::string& path, Requests& requests) {
  switch (what) {
    case Saved::session:
      requests.save_session = path;
      break;
    case Saved::filter:
      requests.save_filter = path;
      break;
    case Saved::bank:
      requests.save_bank = path;
      break;
    case Saved::network:
      requests.save_network = path;
      break;
    case Saved::sweep:
      requests.save_sweep = path;
      break;
    case Saved::screenshot:
      requests.save_screenshot = path;
      break;
    case Saved::render:
      requests.render = path;
      break;
  }
}

// Why it cannot be saved there; empty when it can.
std::string objection(const std::string& path, const PathFacts& facts) {
  if (facts.folder) return "'" + printable(path) + "' is a folder. Type another name.";
  if (!facts.has_folder)
    return "There is no folder '" + printable(parent_of(path)) + "'. Choose another folder, or create it first.";
  if (!facts.writable)
    return "You have no permission to write " +
           std::string(facts.exists ? "over '" + printable(path) : "into '" + printable(parent_of(path))) +
           "'. Choose another folder.";
  return {};
}

// ImGui keeps a copy of what is typed into. There, too, a name that is offered later takes the place of the one before
// it, unless somebody has begun to type.
int put_offer(ImGuiInputTextCallbackData* data) {
  auto& dialog = *static_cast<SaveDialog*>(data->UserData);
  if (!dialog.replaced.empty() && dialog.replaced == data->Buf) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, dialog.name.data());
    data->SelectAll();
  }
  dialog.replaced.clear();
  return 0;
}

bool name_field(SaveDialog& dialog) {
  constexpr ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_CallbackAlways;
  ImGui::PushID("save-name");
  const bool entered = ImGui::InputTextWithHint("##text", "Type a name", dialog.name.data(), dialog.name.size(), flags,
                                                put_offer, &dialog);
  ImGui::PopID();
  mark_item("save-name");
  return entered;
}

void draw_name(SaveDialog& dialog, const Stats& stats, Settings& settings) {
  const Kind& kind = kind_of(dialog.what);
  row_label("Name", kind.endings.empty() ? "The name of the folder to create."
                                         : "The name of the file. Its ending is added if you leave it out.");
  if (dialog.focus) ImGui::SetKeyboardFocusHere();
  dialog.focus = false;
  const std::string before = dialog.name.data();
  if (name_field(dialog) && !dialog.ask) dialog.accept = true;
  if (before != dialog.name.data()) {
    dialog.ask = false;
    dialog.settled = true;
  }
  if (kind.endings.size() > 1) {
    row_label("File", "The kind of file to write");
    std::vector<const char*> labels;
    for (const std::string& ending : kind.endings) labels.push_back(ending.c_str());
    if (dialog.what == Saved::sweep) labels.push_back("all three");
    const std::string ending = ending_of(whole_name(dialog, stats));
    const auto found = std::ranges::find(kind.endings, ending);
    const int last = static_cast<int>(labels.size()) - 1;
    int chosen = together(dialog)              ? last
                 : found == kind.endings.end() ? 0
                                               : static_cast<int>(found - kind.endings.begin());
    if (segmented("save-ending", labels, &chosen, "")) {
      dialog.together = dialog.what == Saved::sweep && chosen == last;
      std::string name = dialog.name.data();
      for (const std::string& each : kind.endings)
        if (name.ends_with("." + each)) name.resize(name.size() - each.size() - 1);
      if (!dialog.together) name += "." + kind.endings[static_cast<std::size_t>(chosen)];
      std::snprintf(dialog.name.data(), dialog.name.size(), "%s", name.c_str());
      dialog.ask = false;
    }
  }
  if (dialog.what == Saved::render) {
    row_label("Render", "The picture alone, or the whole window with its panels and labels.");
    constexpr const char* parts[] = {"window", "picture"};
    int part = settings.recording.render_panels ? 0 : 1;
    if (segmented("render-part", parts, &part, "")) settings.recording.render_panels = part == 0;
  }
  row_label("Folder", "The folder to save the file in");
  const char* const choose = "Choose …";
  const std::string folder = folder_shown(dialog, stats);
  const float room = ImGui::GetContentRegionAvail().x - text_button_width(choose) - px(8);
  ImGui::AlignTextToFramePadding();
  const float at = ImGui::GetCursorPosX();
  text_clipped(printable(folder), room, theme().text);
  ImGui::SameLine(at + room + px(8));
  if (text_button("save-folder", choose, "Choose another folder"))
    open_browser(FileBrowser::Purpose::save_folder, folder);
}

void offer_name(SaveDialog& dialog, const Stats& stats, const Settings& settings) {
  const Kind& kind = kind_of(dialog.what);
  const LayerSettings& layer = settings.layer;
  const bool named = layer.bank == custom_bank && !layer.weights.name.empty();
  const std::string bank = named ? layer.weights.name : layer.bank;
  const NameFacts facts{kind.word, stats.source.name, has_bank(settings) ? bank : settings.active().filter.kind,
                        std::time(nullptr)};
  const bool is_filter = dialog.what == Saved::filter || dialog.what == Saved::bank;
  const std::string pattern = dialog.what == Saved::network   ? "network"
                              : is_filter                     ? "{filter}"
                              : dialog.what == Saved::session ? "session"
                                                              : settings.recording.name;
  std::string name = fill_name(pattern, facts, dialog.number);
  if (!together(dialog) && !kind.endings.empty()) name += "." + kind.endings.front();
  if (name == dialog.name.data()) dialog.settled = true;  // the pattern has no number
  std::snprintf(dialog.name.data(), dialog.name.size(), "%s", name.c_str());
}

// The name that is offered is one that no file has, where the pattern has a number to count up.
void settle_name(SaveDialog& dialog, const Stats& stats, const Settings& settings, bool exists) {
  if (dialog.settled) return;
  dialog.settled = !exists;
  if (!exists) return;
  ++dialog.number;
  dialog.replaced = dialog.name.data();
  offer_name(dialog, stats, settings);
}

void draw_question(SaveDialog& dialog, const std::string& path, bool& done) {
  text_coloured(theme().warning, "'" + printable(name_of(path)) + "' is already there. Replace it?");
  ImGui::Dummy({0, px(4)});
  if (text_button("save-replace", "Replace (Enter)", "Replace the file. What is in it now will be lost.", true) ||
      dialog.replace)
    done = true;
  ImGui::SameLine(0, px(8));
  if (text_button("save-rename", "Another name (Esc)", "Keep that file and type another name.") || dialog.cancel) {
    dialog.ask = dialog.cancel = false;
    dialog.focus = true;
  }
}

}  // namespace

void open_save_dialog(Saved what, const Stats& stats, const Settings& settings) {
  SaveDialog& dialog = ui_state().save;
  const std::string folder = !dialog.folder.empty() ? dialog.folder : settings.recording.folder;
  dialog = {};
  dialog.open = dialog.opening = dialog.focus = true;
  dialog.what = what;
  dialog.folder = folder;
  offer_name(dialog, stats, settings);
}

bool save_dialog_key(int pressed, int modifiers) {
  SaveDialog& dialog = ui_state().save;
  if (!dialog.open) return false;
  const bool enter = pressed == key::enter || pressed == key::keypad_enter;
  if (pressed == key::escape)
    dialog.cancel = true;
  else if (enter && (modifiers == 0 || modifiers == key::control) && dialog.ask)
    dialog.replace = ImGui::GetTime() - dialog.asked > time_to_read;
  else if (enter && modifiers == 0)
    dialog.accept = true;
  else
    return false;
  return true;
}

void draw_save_dialog(const Stats& stats, Settings& settings, Requests& requests) {
  SaveDialog& dialog = ui_state().save;
  if (!dialog.open || ui_state().browser.open) return;
  const Kind& kind = kind_of(dialog.what);
  bool open = true, done = false;
  const float row = 32, guess = 205 + row * (kind.endings.size() > 1) + row * (dialog.what == Saved::render);
  begin_modal({"##save-sheet", kind.title, "save-close", 560, dialog.height > 0 ? dialog.height : guess},
              dialog.opening, &open);
  dialog.opening = false;
  draw_name(dialog, stats, settings);

  const std::string path = whole_name(dialog, stats);
  bool known = !path.empty();
  std::string problem, there;
  for (const std::string& each : written(dialog, path)) {
    requests.files.paths.push_back(each);
    const auto facts = stats.files.paths.find(each);
    if (facts == stats.files.paths.end()) {
      known = false;
      continue;
    }
    if (problem.empty()) problem = objection(each, facts->second);
    if (facts->second.exists && there.empty()) there = each;
  }
  // What a rendering has left that was killed or cancelled is as good as a file, where a name is only offered.
  bool has_part = false;
  if (dialog.what == Saved::render && !path.empty()) {
    requests.files.paths.push_back(part_name(path));
    const auto facts = stats.files.paths.find(part_name(path));
    known = known && facts != stats.files.paths.end();
    has_part = known && facts->second.exists;
  }
  ImGui::Dummy({0, px(4)});
  if (dialog.ask && problem.empty()) {
    draw_question(dialog, there.empty() ? path : there, done);
  } else {
    push_font(Font::small);
    if (!problem.empty())
      text_coloured(theme().error, problem);
    else
      text_clipped(path.empty() ? "Type a name." : printable(path), ImGui::GetContentRegionAvail().x, theme().dim);
    // The size that is chosen for recordings counts here, too.
    if (dialog.what == Saved::render && problem.empty() && !settings.recording.render_panels)
      text_dim(settings.recording.source_size ? "As large as the source." : "As large as it is shown in the window.");
    pop_font();
    ImGui::Dummy({0, px(4)});
    ImGui::BeginDisabled(path.empty() || !problem.empty());
    if (text_button("save-accept", dialog.what == Saved::render ? "Render" : "Save", "Write the file (Enter)", true))
      dialog.accept = true;
    ImGui::EndDisabled();
    ImGui::SameLine(0, px(8));
    if (text_button("save-cancel", "Cancel", "Close without saving (Esc)") || dialog.cancel) open = false;
  }
  // What is known may be a second old.
  if (dialog.accept && !dialog.looks) {
    requests.files.look_again = dialog.looks = true;
    known = false;
  }
  if (path.empty() || (known && !problem.empty())) dialog.accept = false;
  if (known) settle_name(dialog, stats, settings, !there.empty() || has_part);
  if (dialog.accept && known && dialog.settled) {
    dialog.accept = false;
    if (!there.empty() && !std::exchange(dialog.ask, true)) dialog.asked = ImGui::GetTime();
    done = there.empty();
  }
  dialog.looks = dialog.looks && dialog.accept;
  dialog.cancel = dialog.replace = false;
  if (done) {
    save(dialog.what, path, requests);
    if (dialog.what != Saved::screenshot && dialog.what != Saved::render) look_there_next(parent_of(path), settings);
  }
  if (done || !open) dialog.open = false;
  // What is said may take a line or three.
  const float bottom = ImGui::GetItemRectMax().y - ImGui::GetWindowPos().y + ImGui::GetScrollY();
  dialog.height = (bottom + px(16)) / (px(100) / 100);
  end_modal();
}

}  // namespace convoscope::ui
