#pragma once
// Filters and banks of filters that are read from files and written to them.
#include <string>

#include "app/state/settings.h"
#include "app/steps/message_poster.h"

namespace convoscope {

// `started_in`: the folder that names without one are of. Throws Error.
void obey_filter_files(const Requests&, Settings&, const std::string& started_in, const MessagePoster&);

}  // namespace convoscope
