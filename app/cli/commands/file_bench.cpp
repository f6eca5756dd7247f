// convoscope bench --file: a whole file as `filter` takes it, next to decoding it alone, step by step.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/commands/whole_filter.h"
#include "app/cli/exit_codes.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/files/descriptor.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;
using BenchClock = std::chrono::steady_clock;

double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

// While it lives, nobody reads what is written to standard output: y4m goes there as it would to a pipe.
class OutputToNobody {
 public:
  OutputToNobody() : before_(dup(STDOUT_FILENO)), nobody_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    std::fflush(stdout);
    if (before_.get() < 0 || nobody_.get() < 0 || dup2(nobody_.get(), STDOUT_FILENO) < 0)
      throw Error("Standard output cannot be kept aside for the measurement.");
  }
  ~OutputToNobody() { dup2(before_.get(), STDOUT_FILENO); }
  OutputToNobody(const OutputToNobody&) = delete;
  OutputToNobody& operator=(const OutputToNobody&) = delete;

 private:
  const Descriptor before_, nobody_;
};

struct FileRow {
  std::string what, strategy, pace;
  double start = 0, seconds = 0;  // until the first picture is read; from there to the last one written
  RunTimes times;
  ConveyorTimes steps;
};

class FileBench {
 public:
  FileBench(const Invocation& invocation, StopSignal& stop)
      : invocation_(invocation), set_by_signal_(stop, interrupt_.stop), until_signal_(stop) {}

  FileRow decode() {
    FileRow row{.what = "decoding alone"};
    const BenchClock::time_point begun = BenchClock::now();
    const std::unique_ptr<WholeFile> file = opened("-", {});
    row.start = seconds_since(begun);
    const BenchClock::time_point start = BenchClock::now();
    ReadPicture next;
    while (!interrupt_.stop && file->read(next.frame, next.moment)) ++row.times.written;
    row.seconds = row.times.all = seconds_since(start);
    check_complete(*file);
    size_ = std::to_string(next.frame.format.width) + " × " + std::to_string(next.frame.format.height);
    return row;
  }

  FileRow filter(Backend backend, bool encode) {
    FileRow row;
    const std::filesystem::path encoded =
        std::filesystem::temp_directory_path() / ("convoscope-bench-" + std::to_string(getpid()) + ".mp4");
    const std::filesystem::path part = std::filesystem::path(encoded).replace_extension(".part.mp4");
    row.what = std::string(to_string(backend)) + (encode ? ", to .mp4" : ", to y4m");
    const BenchClock::time_point begun = BenchClock::now();
    const std::unique_ptr<Compute> compute = make_compute(backend, device_of(backend));
    const std::unique_ptr<WholeFile> file = opened(encode ? encoded.string() : "-", compute->device());
    WholeFilter filter(*compute, invocation_.settings, invocation_.strategy_given);
    row.start = seconds_since(begun);
    const BenchClock::time_point start = BenchClock::now();
    {
      const OutputToNobody nobody;
      row.times = WholeRun(filter_steps(*file, filter, interrupt_, until_signal_.token(), [](std::int64_t) {}),
                           pictures_ahead(*file))
                      .run();
      file->finish(!interrupt_.stop);
    }
    row.seconds = seconds_since(start);
    if (encode && !std::filesystem::remove(encoded)) std::filesystem::remove(part);  // of an input that was cut off
    check_complete(*file);
    row.strategy = filter.strategy().id;
    row.steps = filter.times();
    row.pace = pace_of(row.times, row.steps, backend == Backend::cuda, encode);
    return row;
  }

  const std::string& size() const { return size_; }
  bool cut_short() const { return cut_short_; }

 private:
  int device_of(Backend backend) const { return backend == Backend::cuda ? invocation_.settings.device : 0; }
  std::unique_ptr<WholeFile> opened(const std::string& output, const std::optional<Device>& device) {
    WholeFileSettings settings;
    settings.input = invocation_.settings.source.input;
    settings.output = output;
    settings.max_pixels = invocation_.settings.source.max_pixels;
    if (device && device->backend == Backend::cuda)
      settings.allocate = [device](std::size_t bytes) { return allocate_host(*device, bytes); };
    return WholeFile::open(settings, interrupt_);
  }
  void check_complete(const WholeFile& file) {
    if (interrupt_.stop) throw Stopped();  // half a measurement says nothing
    cut_short_ |= file.cut_short();
  }

  const Invocation& invocation_;
  Interrupt interrupt_;
  const SetBySignal set_by_signal_;
  const UntilSignal until_signal_;
  std::string size_;
  bool cut_short_ = false;
};

// Milliseconds a frame.
std::string each(double seconds, const FileRow& row) {
  return row.times.written > 0 ? significant(1e3 * seconds / static_cast<double>(row.times.written), 3) : "–";
}

double writing(const FileRow& row) { return row.times.all - row.times.write_starved; }
double decoding(const FileRow& row) { return row.times.all - row.times.read_held_up; }

void print_table(const std::vector<FileRow>& rows) {
  TextTable table({"Run", "start s", "then s", "a second", "× decoding", "decode", "up", "convert", "filter", "back",
                   "down", "write", "set the pace"},
                  "lrrrrrrrrrrrl");
  for (const FileRow& row : rows) {
    const ConveyorTimes& t = row.steps;
    const bool alone = row.pace.empty(), on_gpu = t.up > 0;
    table.add({row.what, decimals(row.start, 2), decimals(row.seconds, 2),
               decimals(static_cast<double>(row.times.written) / row.seconds, 0),
               decimals(row.seconds / rows[0].seconds, 2), each(decoding(row), row), on_gpu ? each(t.up, row) : "–",
               alone ? "–" : each(t.convert, row), alone ? "–" : each(t.filter, row), alone ? "–" : each(t.back, row),
               on_gpu ? each(t.down, row) : "–", alone ? "–" : each(writing(row), row), alone ? "" : row.pace});
  }
  std::fputs(table.text().c_str(), stdout);
}

ordered_json file_row_json(const FileRow& row, double alone) {
  return {{"run", row.what},
          {"strategy", row.strategy},
          {"frames", row.times.written},
          {"start_s", row.start},
          {"seconds", row.seconds},
          {"times_decoding", row.seconds / alone},
          {"decode_s", decoding(row)},
          {"up_s", row.steps.up},
          {"convert_s", row.steps.convert},
          {"filter_s", row.steps.filter},
          {"back_s", row.steps.back},
          {"down_s", row.steps.down},
          {"write_s", writing(row)},
          {"waits",
           {{"decode", row.times.read_held_up},
            {"filter_for_decode", row.times.filter_starved},
            {"filter_for_write", row.times.filter_held_up},
            {"write", row.times.write_starved}}},
          {"set_the_pace", row.pace}};
}

}  // namespace

int run_file_bench(const Invocation& invocation, StopSignal& stop) {
  const Settings& settings = invocation.settings;
  std::vector<Backend> backends{Backend::cpu};
  if (settings.backend == BackendChoice::cuda) backends = {Backend::cuda};
  if (settings.backend == BackendChoice::automatic || settings.backend == BackendChoice::cuda) {
    const std::string why_not = why_unavailable(Backend::cuda);
    if (why_not.empty() && settings.backend == BackendChoice::automatic) backends.push_back(Backend::cuda);
    if (!why_not.empty() && settings.backend == BackendChoice::cuda) throw Error(why_not);
    if (!why_not.empty()) std::fprintf(stderr, "The CPU alone is measured: %s\n", why_not.c_str());
  }
  check_device(invocation);
  std::signal(SIGPIPE, SIG_IGN);
  FileBench bench(invocation, stop);
  bench.decode();  // once for the cache of the disk
  std::vector<FileRow> rows{bench.decode()};
  for (const bool encode : {false, true})
    for (const Backend backend : backends)
      if (!encode || invocation.encode) rows.push_back(bench.filter(backend, encode));

  std::printf("%s, %s of %s; %s. Steps in ms a frame.\n\n", printable(in_quotes(settings.source.input)).c_str(),
              frames_text(rows[0].times.written).c_str(), bench.size().c_str(),
              spec_text(settings.active().filter).c_str());
  print_table(rows);
  std::printf(
      "\nDecoding, the device and writing are beside one another; the one that the others wait for sets the pace.\n");
  if (invocation.json_file) {
    ordered_json json{{"input", settings.source.input},
                      {"size", bench.size()},
                      {"filter", spec_text(settings.active().filter)},
                      {"rows", ordered_json::array()}};
    for (const FileRow& row : rows) json["rows"].push_back(file_row_json(row, rows[0].seconds));
    write_file(*invocation.json_file, json_text(json));
  }
  return bench.cut_short() ? exit_cut_short : exit_done;
}

}  // namespace convoscope
