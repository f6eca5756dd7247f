#pragma once
// The rows of the file browser.
#include "app/ui/files/file_browser.h"

namespace convoscope::ui {

// In the current window; asks for the thumbnails of the rows that are seen. The row that was double-clicked, or −1.
int draw_file_rows(FileBrowser&, const FolderListing*, const Stats&, Requests&);

}  // namespace convoscope::ui
