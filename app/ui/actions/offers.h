#pragma once
// What the buttons of messages say and do.
#include <cstdint>
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

const char* label_of(Offer);
std::string tip_of(const MessageButton&);
std::string tip_of_allowing(std::int64_t pixels);  // of Offer::open_anyway
void accept_offer(const MessageButton&, Settings&, Requests&);

}  // namespace convoscope::ui
