#include "app/ui/actions/offers.h"

#include "app/files/paths.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"

namespace convoscope::ui {

const char* label_of(Offer offer) {
  switch (offer) {
    case Offer::open:
      return "Open";
    case Offer::open_anyway:
      return "Open it anyway";
    case Offer::open_next:
      return "Open the next one";
    case Offer::show_in_folder:
      return "Show in folder";
    case Offer::open_session:
      return "Open its session";
    case Offer::go_back:
      return "Go back";
    case Offer::play_unfiltered:
      return "Play unfiltered";
    case Offer::open_source:
      return "Open it";
    case Offer::read_weights:
      return "Read it";
  }
  return "";
}

// At least sixteen bytes a pixel: decoded, converted and waiting.
std::string tip_of_allowing(std::int64_t pixels) {
  return "Allow pictures of " + format_count(pixels) + " pixels in this session. This one takes " +
         format_number(16e-9 * static_cast<double>(pixels), 2) + " GB of memory or more.";
}

std::string tip_of(const MessageButton& button) {
  const std::string name = "'" + printable(name_of(button.path)) + "'";
  switch (button.offer) {
    case Offer::open_anyway:
      return tip_of_allowing(button.pixels);
    case Offer::open:
    case Offer::open_next:
      return "Open " + name + " as the source.";
    case Offer::show_in_folder:
      return "Show the folder that " + name + " is in.";
    case Offer::open_session:
      return "Open the session that is in " + name + ", instead of this one.";
    case Offer::go_back:
      return "Go back to what was shown before.";
    case Offer::play_unfiltered:
      return "It has been filtered already. Show it as it is, without filtering it again" +
             keys_of(action::show_source);
    case Offer::open_source:
      return "Open " + printable(button.path) + " instead of the test pattern";
    case Offer::read_weights:
      return "Read the network in " + printable(button.path);
  }
  return {};
}

void accept_offer(const MessageButton& button, Settings& settings, Requests& requests) {
  switch (button.offer) {
    case Offer::open:
      requests.open = button.path;
      break;
    case Offer::open_anyway:
      requests.allow_pixels = button.pixels;
      requests.open = button.path;
      break;
    case Offer::open_next:
      requests.drop = button.path;
      break;
    case Offer::show_in_folder:
      requests.show_in_folder = button.path;
      break;
    case Offer::open_source:
      requests.open = button.path;
      break;
    case Offer::read_weights:
      requests.load_bank = button.path;
      break;
    case Offer::open_session:
    case Offer::go_back:
      requests.load_session = button.path;
      break;
    case Offer::play_unfiltered:
      choose_strategy(settings.active(), "source");
      break;
  }
}

}  // namespace convoscope::ui
