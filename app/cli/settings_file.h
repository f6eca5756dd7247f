#pragma once
// What the program remembers between two runs, as JSON in the user's config folder.
#include <filesystem>
#include <string>

#include "app/settings.h"

namespace convoscope {

Settings default_settings();  // one pane, a gaussian; what a first start looks like

// $XDG_CONFIG_HOME/convoscope/settings.json, else ~/.config/…; empty when neither variable is set.
std::filesystem::path settings_path();

// Never throws. A missing file gives the defaults; a broken one too, and says so in `message` with the file's name; a
// single value of the wrong type or out of range is skipped and the rest kept. Not kept: the source, pause, A–B loop,
// backend, device and full screen, which belong to one run.
Settings load_settings(std::string* message = nullptr);
Settings load_settings(const std::filesystem::path&, std::string* message = nullptr);

// Writes beside the file and renames, so that a crash leaves the old one. Never throws: false and a message when the
// folder cannot be written to.
bool save_settings(const Settings&, std::string* message = nullptr);
bool save_settings(const Settings&, const std::filesystem::path&, std::string* message = nullptr);

// What is needed to make the same picture again, for the metadata of recordings and screenshots: every pane, the view
// and the name of the source without its folder. One line of JSON.
std::string view_as_json(const Settings&);

}  // namespace convoscope
