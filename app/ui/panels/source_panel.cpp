#include <imgui.h>

#include <algorithm>

#include "app/files/paths.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/path_field.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr std::size_t most_completions = 8, longest_recent = 60;

// What begins like the typed path, under the field; Tab completes it.
void draw_completions(PathField& field, const Stats& stats, Requests& requests, ImVec2 at, float width) {
  const std::string typed = field.typed(), base = stats.files.started_in;
  if (!field.active || typed.empty() || names_no_file(stats.sources, typed) || ui_state().browser.open) return;
  const TypedPath path = split_typed(typed, base);
  FolderQuestion question;
  question.folder = path.folder;
  question.contains = path.rest;
  question.begins = true;
  requests.files.folder = question;
  const FolderListing* const listing = stats.files.folder.get();
  if (!listing || listing->question != question || listing->entries.empty()) return;
  if (listing->entries.size() == 1 && listing->entries[0].name == path.rest) return;
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(4)));
  ImGui::Begin("##completions", nullptr,
               ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  const std::size_t shown = std::min(listing->entries.size(), most_completions);
  for (std::size_t i = 0; i < shown; ++i) {
    const FileEntry& entry = listing->entries[i];
    text_clipped(printable(entry.name) + (entry.kind == FileKind::folder ? "/" : ""), width - px(16), theme().text);
  }
  const std::size_t more = listing->entries.size() - shown;
  push_font(Font::small);
  text_clipped(more > 0 ? "Tab completes  ·  " + std::to_string(more) + " more" : "Tab completes", width - px(16),
               theme().faint);
  pop_font();
  ImGui::End();
  ImGui::PopStyleVar();
  if (field.complete) field.replacement = completed(typed, base, *listing);
  field.complete = false;
}

// Those that are gone stay until they are taken out: a disk may only not be plugged in.
void draw_recent(const Stats& stats, Settings& settings, Requests& requests) {
  heading("RECENT");
  if (settings.recent.empty()) text_dim("Nothing yet.");
  const float width = px(420);
  std::size_t removed = settings.recent.size();
  for (std::size_t i = 0; i < settings.recent.size(); ++i) {
    const std::string& recent = settings.recent[i];
    if (recent.empty()) continue;
    const bool file =
        !names_no_file(stats.sources, recent) && !is_glob(recent) && recent.find('%') == std::string::npos;
    const std::string path = whole_path(recent, stats.files.started_in);
    if (file) requests.files.paths.push_back(path);
    const auto known = file ? stats.files.paths.find(path) : stats.files.paths.end();
    const bool gone = known != stats.files.paths.end() && !known->second.exists;
    ImGui::PushID(static_cast<int>(i));
    // The end of a long path tells more than its beginning.
    std::string label = printable(recent);
    if (label.size() > longest_recent) {
      std::size_t from = label.size() - longest_recent;
      while (from < label.size() && (static_cast<unsigned char>(label[from]) & 0xc0) == 0x80) ++from;
      label = "…" + label.substr(from);
    }
    if (gone) label += "  (gone)";
    if (gone) ImGui::PushStyleColor(ImGuiCol_Text, theme().faint);
    const std::string name = printable(recent.substr(recent.rfind('/') + 1));
    if (list_entry(clipped(label, width - px(36)), recent == settings.source.input, {{width - px(32), px(24)}, name}))
      requests.open = recent;
    if (gone) ImGui::PopStyleColor();
    mark_item("recent/" + std::to_string(i));
    tooltip(gone ? "'" + printable(recent) +
                       "' is no longer there. It was moved or deleted, or its disk is not plugged in."
                 : printable(recent));
    ImGui::SameLine(0, px(4));
    if (icon_button(("forget/" + std::to_string(i)).c_str(), Icon::close, "Remove it from this list", false, 24))
      removed = i;
    ImGui::PopID();
  }
  if (removed < settings.recent.size())
    settings.recent.erase(settings.recent.begin() + static_cast<std::ptrdiff_t>(removed));
}

void draw_open_row(const Stats& stats, Settings& settings, Requests& requests) {
  UiState& state = ui_state();
  PathField& field = state.open_field;
  if (state.shown_source != settings.source.input) {
    state.shown_source = settings.source.input;
    field.replacement = printable(settings.source.input);
  }
  const float button = text_button_width("Open");
  const float gap = px(4), width = std::max(ImGui::GetContentRegionAvail().x - button - 2 * px(25) - 3 * gap, px(20));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::SetNextItemWidth(width);
  field.focus = state.focus_open_field;
  state.focus_open_field = false;
  // What tells one file from another stands at the path's end.
  const std::string& input = settings.source.input;
  const bool plays = field.typed() == printable(input);
  const std::string name = plays ? printable(source_name(input)) : std::string();
  const bool entered = draw_path_field("open-path", "File, folder, address, camera …", field,
                                       (name.empty() || name == printable(input) ? "" : printable(input) + "\n\n") +
                                           "This may be " + input_forms(stats.sources) +
                                           ". Tab completes a path. Files can also be dropped on the window.",
                                       name);
  draw_completions(field, stats, requests, {at.x, at.y + ImGui::GetFrameHeight() + px(2)}, width);
  ImGui::SameLine(0, gap);
  const bool clicked = text_button("open", "Open", "Play what is named in the field.");
  if ((entered || clicked) && field.text[0] != 0) {
    const std::string typed = field.typed();
    // What the field shows of a name that cannot be shown is not its name.
    requests.open = typed == printable(settings.source.input) ? settings.source.input : expand_home(typed);
  }
  ImGui::SameLine(0, gap);
  if (icon_button("browse", Icon::folder, "Browse folders" + keys_of(action::open_source), false, 25))
    open_browser(FileBrowser::Purpose::source);
  ImGui::SameLine(0, gap);
  if (icon_button("recent", Icon::chevron_down, "Recent sources", false, 25)) ImGui::OpenPopup("##recent");
  if (ImGui::BeginPopup("##recent")) {
    begin_list();
    draw_recent(stats, settings, requests);
    ImGui::EndPopup();
  }
}

std::string mode_text(const CameraMode& mode) {
  return std::to_string(mode.width) + " × " + std::to_string(mode.height) + " · " + format_number(mode.rate, 4) +
         " fps · " + shortened(mode.format, 20);
}

bool is_chosen(const CameraMode& mode, const SourceSettings& source) {
  return mode.width == source.width && mode.height == source.height && mode.rate == source.rate &&
         mode.format == source.camera_format;
}

void use_own_mode(SourceSettings& source) {
  source.width = source.height = 0;
  source.rate = 0;
  source.camera_format.clear();
}

void draw_modes(const SourceChoice& device, Settings& settings, Requests& requests) {
  row_label("Mode",
            "The formats, sizes and rates that the camera offers. A compressed format often allows a higher rate.");
  const std::string& input = settings.source.input;
  std::string preview = "the camera's own";
  for (const CameraMode& mode : device.modes)
    if (is_chosen(mode, settings.source)) preview = mode_text(mode);
  if (!begin_combo("##mode", preview)) return;
  if (list_entry("the camera's own", preview == "the camera's own")) {
    use_own_mode(settings.source);
    requests.open = input;
  }
  mark_item("mode/own");
  for (std::size_t i = 0; i < device.modes.size(); ++i) {
    const CameraMode& mode = device.modes[i];
    ImGui::PushID(static_cast<int>(i));
    if (list_entry(mode_text(mode), is_chosen(mode, settings.source))) {
      settings.source.width = mode.width;
      settings.source.height = mode.height;
      settings.source.rate = mode.rate;
      settings.source.camera_format = mode.format;
      requests.open = input;
    }
    mark_item("mode/" + std::to_string(i));
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

std::string choice_text(const SourceChoice& choice) {
  return shortened(choice.title.empty() ? choice.input : choice.title, 80);
}

void draw_choices_of(const OfferedSource& source, Settings& settings, Requests& requests) {
  const SourceKind& kind = *source.kind;
  const std::string id(kind.id);
  const std::string& input = settings.source.input;
  row_label(std::string(kind.title).c_str(), kind.help);
  if (kind.button) {
    const SourceChoice& only = source.choices.front();
    if (text_button(("open-" + id).c_str(), kind.button, only.problem.empty() ? only.tip : only.problem))
      requests.open = only.input;
    return;
  }
  const std::string chosen = !kind.names(input) ? "" : kind.as_chosen ? kind.as_chosen(input) : input;
  const auto current = std::ranges::find(source.choices, chosen, &SourceChoice::input);
  const bool any = current != source.choices.end();
  if (begin_combo(("##" + id).c_str(),
                  any                      ? choice_text(*current)
                  : source.choices.empty() ? "none found"
                                           : "–",
                  kind.look_again ? ImGui::GetContentRegionAvail().x - px(25) - px(6) : 0)) {
    if (source.choices.empty()) {
      text_dim(kind.nothing);
      mark_item(id + "/none");
    }
    for (auto each = source.choices.begin(); each != source.choices.end(); ++each) {
      ImGui::PushID(static_cast<int>(each - source.choices.begin()));
      if (list_entry(choice_text(*each), each == current)) {
        // Another device has other modes; and what is not asked for cannot be refused.
        if (kind.look_again && each != current) use_own_mode(settings.source);
        requests.open = each->input;
      }
      mark_item(id + "/" + std::to_string(each - source.choices.begin()));
      tooltip(each->problem.empty() ? each->tip : each->problem);
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  if (kind.look_again) {
    ImGui::SameLine(0, px(6));
    if (icon_button(("refresh-" + id).c_str(), Icon::refresh, kind.look_again, false, 25))
      requests.refresh_sources = true;
  }
  if (any && !current->modes.empty()) draw_modes(*current, settings, requests);
}

// Those that play one after another.
void draw_clips(const ClipList& clips, Requests& requests) {
  if (clips.size() < 2) return;
  row_label("Clips", "They play one after another. Of a loop the first follows the last.");
  const auto name_of_clip = [&](std::size_t clip) {
    return std::to_string(clip + 1) + " of " + std::to_string(clips.size()) + " · " +
           printable(name_of((*clips.names)[clip])) + (clips.left_out.contains(clip) ? "  (left out)" : "");
  };
  if (begin_combo("##clips", name_of_clip(clips.at), ImGui::GetContentRegionAvail().x - 2 * (px(25) + px(6)))) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(clips.size()));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const auto clip = static_cast<std::size_t>(i);
        ImGui::PushID(i);
        if (list_entry(name_of_clip(clip), clip == clips.at)) requests.clip = clip;
        mark_item("clip/" + std::to_string(i));
        ImGui::PopID();
      }
    ImGui::EndCombo();
  }
  ImGui::SameLine(0, px(6));
  if (icon_button("clip-before", Icon::step_back, with_keys(action::previous_clip), false, 25)) requests.step_clip = -1;
  ImGui::SameLine(0, px(6));
  if (icon_button("next-clip", Icon::step_forward, with_keys(action::next_clip), false, 25)) requests.step_clip = 1;
}

// Without the size and the rate, which the row below it has.
std::string encoding_of(const SourceStats& source) {
  const std::string size = std::to_string(source.width) + " × " + std::to_string(source.height);
  const std::string rate = format_number(source.rate, 4) + " fps";
  std::string text;
  for (std::string_view rest = source.description; !rest.empty();) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (part != size && part != rate) text += (text.empty() ? "" : ", ") + std::string(part);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return text;
}

void draw_facts(const SourceStats& source) {
  if (const std::string encoding = encoding_of(source); !encoding.empty()) text_dim(encoding);
  if (source.width > 0)
    value_row("Picture",
              std::to_string(source.width) + " × " + std::to_string(source.height) +
                  (source.rate > 0 ? " · " + format_number(source.rate, 4) + " fps" : "") +
                  (source.pixel_aspect != 1.0 ? " · pixels " + format_number(source.pixel_aspect, 4) + " : 1" : ""));
  if (const std::string lost = depth_loss(source.depth); !lost.empty())
    value_row("Depth", lost,
              "Pictures are filtered and shown with 8 bits a colour. Finer steps are rounded. PQ and HLG are made for "
              "brighter screens: their code values are taken as they are, so that the picture looks pale.");
  if (!source.decoder.empty())
    value_row("Decoder", source.decoder, "This turns the stream into pictures. NVDEC leaves them on the GPU.");
  if (source.queue_capacity > 0)
    value_row("Queue", std::to_string(source.queue_length) + " of " + std::to_string(source.queue_capacity) + " frames",
              "Decoded frames that are waiting to be shown. If there are none for long, decoding is too slow.");
}

void draw_source_panel(const Stats& stats, Settings& settings, Requests& requests) {
  draw_open_row(stats, settings, requests);
  draw_clips(stats.clips, requests);
  for (const OfferedSource& source : stats.sources)
    if (!source.choices.empty() || source.kind->look_again) draw_choices_of(source, settings, requests);
  if (!stats.source.error.empty()) {
    text_coloured(theme().error, stats.source.error);
    if (text_button("retry", "Try again", "Open the source again" + keys_of(action::retry_source), true))
      requests.retry_source = true;
  }
  draw_facts(stats.source);
}

constexpr Control source_controls[] = {
    {"Open", "play"},
    {"Clips", "playlist folder next"},
    {"Mode", "size rate"},
    {"Try again"},
};

}  // namespace

extern const Panel source_panel{
    .id = "source",
    .title = "Source",
    .key = key::f(2),
    .keys = "F2",
    .action = "Source panel",
    .draw = draw_source_panel,
    .summary = [](const Stats&, const Settings& s) { return printable(source_name(s.source.input)); },
    .controls = source_controls,
};

}  // namespace convoscope::ui
