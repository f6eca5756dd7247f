#include "app/media/play/decoder_thread.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/files/sentence.h"
#include "app/files/shortage.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto retry_pause = std::chrono::seconds(2);

}  // namespace

double now_seconds() { return Seconds(Clock::now().time_since_epoch()).count(); }

void DecoderThread::report(const std::string& text, bool retry) {
  const std::lock_guard lock(mutex);
  stats.error = text + (retry ? " Trying again every 2 seconds." : "");
  stats.cut_short |= played_;
  failed = !retry;
  opening = retry;
  if (stats.error != last_error) errors.push_back(stats.error);
  last_error = stats.error;
  to_caller.notify_all();
}

void DecoderThread::refuse_jump() {
  if (stats.frames == 1) return;  // nothing lies beside a single picture, which is not worth a word
  errors.push_back("'" + stats.name + "' cannot go to another time: it " +
                   (stats.live ? "is live" : "comes through a pipe") + ". Record it to step through it.");
}

void DecoderThread::run() {
  const bool worth = worth_retrying(options.source);
  while (!interrupt.stop) {
    std::string failure;
    try {
      const std::unique_ptr<FrameReader> reader = open_reader(options, interrupt);
      if (const double lost_at = std::exchange(resume_at_, 0); lost_at > 0 && reader->describe().seekable)
        reader->seek_seconds(lost_at);
      play(*reader);
    } catch (const Error& error) {
      failure = error.what();
    } catch (const std::bad_alloc&) {
      failure = "There is not enough memory to play '" + options.source.input + "'. Close other programs.";
    } catch (const std::exception& error) {  // the system has no more threads
      failure = "'" + options.source.input + "' cannot be played. " + as_sentence(why_failed(error));
    }
    const bool retry = worth && (retries == Retry::always || (retries == Retry::once_it_played && played_));
    if (!failure.empty() && !interrupt.stop) report(failure, retry);
    std::unique_lock lock(mutex);
    if (!failure.empty() && last_seconds_ > 0) resume_at_ = last_seconds_;
    const auto wanted = [&] { return interrupt.stop || restart; };
    if (!failure.empty() && retry)
      to_decoder.wait_for(lock, retry_pause, wanted);
    else if (!failure.empty())
      to_decoder.wait(lock, wanted);
    if (restart) {  // from the beginning, as if opened anew
      restart = failed = at_end = false;
      last_seconds_ = resume_at_ = 0;
      opening = true;
      queue.clear();
    }
    jump_ = true;
    wrapped = false;
  }
  const std::lock_guard lock(mutex);
  finished = true;
  to_caller.notify_all();
}

// Sleeps until the decoder has something to do, dropping frames that were overtaken while nobody took them.
DecoderThread::Next DecoderThread::wait_for_work(PlayerCommand& taken) {
  std::unique_lock lock(mutex);
  while (true) {
    if (interrupt.stop || restart) return Next::leave;
    if (command.kind != PlayerCommand::none) {
      taken = std::exchange(command, {});
      interrupt.superseded = false;
      return Next::command;
    }
    if (at_end) {
      const bool again = range.loop && !(still && pace == Pace::clock);
      if (again && !wrapped) return Next::wrap;
    } else if (!queue.full()) {
      return Next::read;
    } else if (pace == Pace::clock && !paused && !time_stands_still && now_seconds() - last_call < stalled) {
      if (queue.drop_late(now_seconds(), speed) > 0) continue;
      if (const std::optional<double> when = queue.overtaken_at(speed)) {
        to_decoder.wait_for(lock, Seconds(std::max(0.001, *when - now_seconds())));
        continue;
      }
    }
    // Now and then the reader has learned something, such as how many frames there are.
    if (to_decoder.wait_for(lock, std::chrono::milliseconds(250)) == std::cv_status::timeout) return Next::look;
  }
}

void DecoderThread::publish(FrameReader& reader, const SourceStats& described) {
  // A large picture: fewer of them in memory.
  const double pixels = static_cast<double>(described.width) * described.height;
  const std::lock_guard lock(mutex);
  queue.set_capacity(pixels > 64e6 ? 2 : usual_capacity);
  still = reader.still();
  const std::string name = stats.name;
  stats = described;
  stats.name = name;
}

void DecoderThread::play(FrameReader& reader) {
  publish(reader, reader.describe());
  while (true) {
    PlayerCommand taken;
    const Next next = wait_for_work(taken);
    if (next == Next::leave) return;
    if (next == Next::look) {
      if (reader.changed()) publish(reader, reader.describe());
      continue;
    }
    if (next == Next::command) {
      const bool can_jump = reader.still() || reader.describe().seekable;
      const bool arrived = can_jump && (taken.kind == PlayerCommand::to_frame ? reader.seek_frame(taken.frame)
                                                                              : reader.seek_seconds(taken.seconds));
      const std::lock_guard lock(mutex);
      if (!can_jump) refuse_jump();
      beyond_b_ = taken.beyond_b;
      if (arrived) at_end = wrapped = false;
      continue;
    }
    if (next == Next::wrap) {
      double a = 0;
      {
        const std::lock_guard lock(mutex);
        a = range.start();
      }
      if (!reader.still() && !reader.describe().seekable) return;  // opened again from the start
      if (!(a > 0 ? reader.seek_seconds(a) : reader.seek_frame(0))) continue;
      const std::lock_guard lock(mutex);
      wrapped = true;
      at_end = beyond_b_ = false;
      continue;
    }

    const Clock::time_point start = Clock::now();
    FrameReader::Frame frame;
    const bool got = reader.read(frame);
    const double milliseconds = Seconds(Clock::now() - start).count() * 1000;
    const std::optional<std::string> warning = reader.take_warning();
    if (reader.changed()) publish(reader, reader.describe());

    const std::lock_guard lock(mutex);
    if (warning) errors.push_back(*warning);
    const bool beyond = got && !beyond_b_ && range.ends() && frame.picture.seconds >= *range.b - 1e-6;
    if (interrupt.stop || command.kind != PlayerCommand::none || restart) continue;  // this frame is no longer wanted
    if (!got || beyond) {
      at_end = true;  // with wrapped still set, nothing lies between the seam and the end: no endless search
      opening = false;
    } else {
      decode_ms.push_back(milliseconds);
      if (decode_ms.size() > 512) decode_ms.pop_front();
      if (reader.shown_on_arrival() && pace == Pace::clock && queue.full()) queue.drop_late(now_seconds(), speed);
      last_seconds_ = frame.picture.seconds;
      queue.push({std::move(frame.picture), frame.duration, wrapped, jump_ || reader.shown_on_arrival()});
      played_ = true;
      jump_ = wrapped = opening = false;
      last_error.clear();
      stats.error.clear();
    }
    to_caller.notify_all();
  }
}

}  // namespace convoscope
