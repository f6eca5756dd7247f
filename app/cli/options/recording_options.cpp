#include "app/cli/options/recording_options.h"

#include "app/cli/options/values.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// The choices of a recording that is asked for here, not those that were made in the window.
void read_record(Reading& at) {
  at.invocation.record = output_file(at, {".mp4", ".mkv"});
  RecordingChoices& choices = at.settings().recording;
  const RecordingChoices kept = std::exchange(choices, {});
  choices.keep_last_seconds = kept.keep_last_seconds;
  choices.folder = kept.folder;
  choices.name = kept.name;
}

RecordingChoices& choices_of_recording(const Reading& at) {
  if (!at.invocation.record) throw Error(at.option + " says how to record, but there is no --record FILE.");
  return at.settings().recording;
}

void read_panels(Reading& at) {
  RecordingChoices& choices = choices_of_recording(at);
  choices.with_panels = at.on();
  if (choices.with_panels && at.has("--record-size"))
    throw Error(
        "--record-size '" + at.texts.last("--record-size") +
        "' is for the picture alone, because the panels are as large as the window. Leave out --record-panels on.");
}

std::vector<std::string> size_words() { return {"window", "source"}; }

void read_size(Reading& at) {
  RecordingChoices& choices = choices_of_recording(at);
  choices.source_size = parse_choice("size to record", at.text(), size_words()) == "source";
  choices.with_panels = false;
}

void read_codec(Reading& at) {
  RecordingChoices& choices = choices_of_recording(at);
  choices.codec = parse_codec(at.text());
  const std::filesystem::path& file = *at.invocation.record;
  const std::string extension = file.extension().string();
  if (choices.codec == RecordingCodec::ffv1 && extension != ".mkv" && extension != ".MKV")
    throw Error("--record-codec ffv1 needs a file that ends in .mkv, not '" + file.string() + "'.");
}

std::vector<std::string> switch_words() { return {"on", "off"}; }
std::vector<std::string> codec_words() {
  return words_of({RecordingCodec::automatic, RecordingCodec::h264, RecordingCodec::hevc, RecordingCodec::ffv1});
}
std::vector<std::string> quality_words() {
  return words_of({RecordingQuality::small, RecordingQuality::good, RecordingQuality::best});
}

}  // namespace

Options recording_options(const char* group) {
  return block(
      group, Turn::output,
      {{"--record", "FILE", "Record what is shown as .mp4 or .mkv", read_record},
       {"--record-panels", "on|off", "Panels and labels too (default), or the picture alone", read_panels,
        switch_words},
       {"--record-size", "NAME", "Size of the picture alone: window (default) or source", read_size, size_words},
       {"--record-codec", "NAME",
        "auto (default), h264, hevc or ffv1 (without loss, .mkv);\nNVENC where the GPU has it", read_codec,
        codec_words},
       {"--record-quality", "NAME", "small, good (default) or best: size against detail",
        [](Reading& at) { choices_of_recording(at).quality = parse_quality(at.text()); }, quality_words},
       {"--record-rate", "FPS", "The most pictures a second (default: as the source)",
        [](Reading& at) { choices_of_recording(at).rate = at.real(0.1, 1000); }},
       {"--record-sound", "on|off", "Copy the sound of a file (default: on)",
        [](Reading& at) { choices_of_recording(at).sound = at.on(); }, switch_words}});
}

std::filesystem::path output_file(Reading& at, const std::vector<std::string>& extensions) {
  std::filesystem::path path = at.text();
  check_output(at.option, path, extensions);
  at.names.writes(at.option, path);
  return path;
}

}  // namespace convoscope
