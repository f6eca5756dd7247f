#include "app/steps/filter_files.h"

#include <utility>
#include <vector>

#include "app/files/file_kinds.h"
#include "app/files/file_names.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/keys/key_table.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr const char* file_subject = "filter file";

void obey(const Requests& asked, Settings& settings, const std::string& started_in, const MessagePoster& poster) {
  const auto whole = [&](const std::string& path) { return whole_path(path, started_in); };
  if (asked.load_filter) {
    const FilterSpec before = std::exchange(settings.active().filter, parse_filter(*asked.load_filter));
    ui::show_changed_filter(before, settings);
    poster.post(MessageLevel::information, "Loaded the filter of " + whole(*asked.load_filter) + ".", file_subject);
  }
  if (asked.save_filter) {
    const std::string path = with_ending(whole(*asked.save_filter), std::vector<std::string>{"json"});
    save_filter(settings.active().filter.filter, path);
    poster.post(MessageLevel::information, "Saved the filter as " + path + ".", file_subject);
  }
  if (asked.load_bank) {
    std::vector<std::string> remarks;
    load_layer_bank(*asked.load_bank, settings.layer, &remarks);
    forget_choices_for_layers(settings);
    const std::string what = settings.layer.network.empty() ? "bank" : "network";
    std::string said = "Loaded the " + what + " of " + whole(*asked.load_bank) + ".";
    for (const std::string& remark : remarks) said += " " + remark;
    poster.post(MessageLevel::information, said, file_subject);
  }
  if (asked.save_bank) {
    const std::string path = with_ending(whole(*asked.save_bank), std::vector<std::string>{"json", "npy"});
    const Filter& bank = seen_bank(settings.layer);
    save_bank(bank, path);
    const bool in_part = ending_of(path) == "npy" && (bank.relu || !bank.biases.empty());
    const char* const left_out =
        in_part ? " A .npy file keeps the weights alone: save as .json for biases and ReLU." : "";
    poster.post(MessageLevel::information, "Saved the bank as " + path + "." + left_out, file_subject);
  }
  if (asked.save_network) {
    const std::string path = whole(*asked.save_network);
    save_network(all_layers(settings.layer), path);
    poster.post(MessageLevel::information, "Saved all layers in the folder " + path + ".", file_subject);
  }
}

}  // namespace

// What fails is of the same subject as what succeeds, so that neither stays beside the other.
void obey_filter_files(const Requests& asked, Settings& settings, const std::string& started_in,
                       const MessagePoster& poster) {
  try {
    obey(asked, settings, started_in, poster);
  } catch (const Error& error) {
    poster.post(MessageLevel::error, as_sentence(error.what()), file_subject);
  }
}

}  // namespace convoscope
