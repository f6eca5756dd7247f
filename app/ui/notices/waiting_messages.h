#pragma once
// Of the messages that find no place on the stage: how many there are, and the key that lists them all. Called by the
// thread that draws.
#include <imgui.h>

#include <cstddef>

#include "app/state/settings.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

inline constexpr ImGuiWindowFlags message_flags =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse;

// On the stage, in pixels: within a margin.
Area room_for_messages(const Area& picture);
bool lies_in(const Area&, const Area& room);
// Before all else that looks for a place: where the last frame had none for it, what left it none gives way.
void keep_place_of_waiting(const Area& room);
// After the messages. It keeps its place as they do; a click on it opens the list.
void show_waiting(std::size_t count, const Area& room);

}  // namespace convoscope::ui
