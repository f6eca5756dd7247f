#include "kernels/check/verify.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <thread>

#include "kernels/check/reference.h"
#include "kernels/contract/error.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

// All ones: NaN for gray32f, and an alpha that no input has for rgba8, so that an unwritten pixel never looks right.
constexpr unsigned char poison = 0xFF;

struct HostImage {
  std::vector<unsigned char> bytes;
  Image image;
};

// Rows that end `padding` pixels before the next begins.
HostImage make_host_image(const Problem& problem, int padding) {
  const std::size_t pitch = bytes_per_pixel(problem.format) * static_cast<std::size_t>(problem.width + padding);
  HostImage result{std::vector<unsigned char>(pitch * problem.height, poison), {}};
  result.image = {result.bytes.data(), problem.width, problem.height, pitch, problem.format};
  return result;
}

// The rows with their padding, as one wider image.
Image with_padding(Image image) {
  image.width = static_cast<int>(image.pitch / bytes_per_pixel(image.format));
  return image;
}

// Every third picture is of black and white alone, where sums and their errors are largest. Padding stays poisoned: who
// reads it gets NaN or white.
void fill_random(const Image& image, unsigned seed) {
  std::minstd_rand random(seed * 7919u + 17u);
  const bool extremes = seed % 3 == 2;
  for (int y = 0; y < image.height; ++y) {
    unsigned char* row = static_cast<unsigned char*>(image.data) + y * image.pitch;
    for (int x = 0; x < image.width; ++x) {
      if (image.format == PixelFormat::gray32f) {
        const float value =
            extremes ? static_cast<float>(random() >> 8 & 1) : static_cast<float>(random() >> 7) * 0x1p-24f;
        std::memcpy(row + 4 * x, &value, sizeof value);
        continue;
      }
      for (int c = 0; c < 3; ++c)
        row[4 * x + c] = static_cast<unsigned char>(extremes ? (random() >> 8 & 1) * 255 : random() >> 8);
      row[4 * x + 3] = static_cast<unsigned char>(random() >> 8) % poison;
    }
  }
}

// The same size and rank, other weights and epilogue: a plan made for it has to forget all of it.
Filter other_filter(Filter filter) {
  for (float& w : filter.weights) w *= -0.5f;
  for (float& w : filter.weights_y) w *= 2.0f;
  filter.gain = 0.75f;
  filter.bias = 0.25f;
  filter.absolute = !filter.absolute;
  return filter;
}

std::string worst_pixel(const Difference& worst) {
  return "at (" + std::to_string(worst.x) + ", " + std::to_string(worst.y) + "), channel " +
         std::to_string(worst.channel) + ", the reference is " + number_text(worst.expected) + " and the output " +
         number_text(worst.actual);
}

// One problem: its input, its reference, and memory on the device, for any number of strategies.
class Trial {
 public:
  Trial(Compute& compute, const Problem& problem, unsigned seed)
      : compute_(compute), problem_(problem), seed_(seed), in_(make_host_image(problem, 1 + seed % 5)) {
    fill_random(in_.image, seed);
  }

  VerifyRow run(const Strategy& strategy, const Tuning& tuning) {
    VerifyRow row{.strategy = std::string(strategy.id),
                  .filter = problem_.filter.name,
                  .border = problem_.border,
                  .format = problem_.format,
                  .width = problem_.width,
                  .height = problem_.height,
                  .tuning = tuning};
    try {
      row.skipped_reason = strategy.unsupported(problem_, compute_.device(), tuning);
      if (row.skipped()) return row;
      row.tolerance = strategy.tolerance(problem_);
      if (!expected_) prepare();
      execute(strategy, tuning);
      judge(row);
    } catch (const Error& failure) {
      row.max_error = std::numeric_limits<double>::infinity();
      row.failure = failure.what();
    }
    return row;
  }

 private:
  void prepare() {
    expected_ = reference(problem_, in_.image);
    in_memory_ = compute_.allocate_bytes(in_.bytes.size());
    device_in_ = in_.image;
    device_in_.data = in_memory_.get();
    compute_.upload(with_padding(in_.image), with_padding(device_in_));

    // One row more on either side, to see whether anybody writes there.
    Problem guarded = problem_;
    guarded.height += 2;
    out_ = make_host_image(guarded, 1 + (seed_ + 2) % 4);
    out_memory_ = compute_.allocate_bytes(out_.bytes.size());
  }

  Image guarded_device_out() const {
    Image image = with_padding(out_.image);
    image.data = out_memory_.get();
    return image;
  }

  // Half of the runs reach their filter so, from a plan made for another one; scrambled, because the seed counts up
  // while formats and borders take turns.
  bool through_set_filter() const { return seed_ * 2654435761u >> 17 & 1; }

  void execute(const Strategy& strategy, const Tuning& tuning) {
    const Image guarded = guarded_device_out();
    compute_.fill(guarded, poison);
    Image out{static_cast<char*>(guarded.data) + guarded.pitch, problem_.width, problem_.height, guarded.pitch,
              problem_.format};

    const Stream stream = compute_.stream();
    Problem first = problem_;
    if (through_set_filter()) first.filter = other_filter(problem_.filter);
    const std::unique_ptr<Plan> plan = strategy.plan(first, compute_.device(), tuning);
    if (through_set_filter()) {
      plan->prepare(stream);
      plan->set_filter(problem_.filter);
    }
    if (!strategy.chooses) wait_for_code(*plan, stream);  // trials of others would fill its memory with odd sizes
    plan->prepare(stream);
    plan->enqueue(device_in_, out, stream);
    compute_.synchronize();
    compute_.download(guarded, with_padding(out_.image));
  }

  // A plan whose kernel is still being compiled lets another one run meanwhile, which is not what is to be verified.
  void wait_for_code(Plan& plan, Stream stream) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!plan.settled() && std::chrono::steady_clock::now() < end) {
      plan.explore(device_in_, stream);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (const Strategy* other = plan.runs()) throw Error(plan.note() + " (" + std::string(other->id) + " ran)");
  }

  void judge(VerifyRow& row) const {
    Image out = out_.image;
    out.data = static_cast<char*>(out.data) + out.pitch;
    out.height = problem_.height;
    const Difference worst = compare(problem_, *expected_, in_.image, out);
    row.max_error = worst.max_error;
    row.passed = worst.max_error <= row.tolerance;
    if (!row.passed) row.failure = worst_pixel(worst);
    if (!padding_untouched()) {
      row.max_error = std::numeric_limits<double>::infinity();
      row.passed = false;
      row.failure = "memory outside the output's rows was written";
    }
  }

  bool padding_untouched() const {
    const auto clean = [](const unsigned char* begin, const unsigned char* end) {
      return std::all_of(begin, end, [](unsigned char byte) { return byte == poison; });
    };
    const Image& out = out_.image;
    const unsigned char* const first = out_.bytes.data();
    const std::size_t used = bytes_per_pixel(out.format) * static_cast<std::size_t>(out.width);
    for (int y = 0; y < out.height; ++y) {
      const unsigned char* row = first + y * out.pitch;
      const bool guard = y == 0 || y == out.height - 1;
      if (!clean(guard ? row : row + used, row + out.pitch)) return false;
    }
    return true;
  }

  Compute& compute_;
  Problem problem_;
  unsigned seed_;
  HostImage in_, out_;  // out_ has a guard row above and below
  std::optional<std::vector<double>> expected_;
  std::shared_ptr<void> in_memory_, out_memory_;
  Image device_in_;
};

float random_weight(std::minstd_rand& random) { return static_cast<float>(random() % 2001) / 1000.0f - 1.0f; }

Filter random_filter(int width, int height) {
  std::minstd_rand random(width * 1000 + height);
  Filter filter{
      .name = "random " + std::to_string(width) + "×" + std::to_string(height), .width = width, .height = height};
  for (int i = 0; i < width * height; ++i) filter.weights.push_back(random_weight(random));
  return filter;
}

// A column times a row, neither symmetric, so that swapped, mirrored or transposed passes show.
Filter random_rank_one(int width, int height) {
  const Filter row = random_filter(width, 1), column = random_filter(1, height);
  Filter filter{
      .name = "rank one " + std::to_string(width) + "×" + std::to_string(height), .width = width, .height = height};
  for (const float c : column.weights)
    for (const float r : row.weights) filter.weights.push_back(c * r);
  return filter;
}

Filter random_magnitude() {
  Filter filter = random_filter(3, 5);
  filter.name = "random magnitude 3×5";
  filter.weights_y = random_rank_one(3, 5).weights;
  return filter;
}

// For the whole product of sizes, borders and formats: something that every strategy takes is among them.
std::vector<Filter> product_filters() {
  return {random_filter(3, 3), random_rank_one(5, 5), parse_filter("box:rx=2,ry=1").filter,
          parse_filter("sobel-magnitude").filter};
}

std::vector<Filter> more_filters() {
  std::vector<Filter> filters{random_filter(1, 1),  random_filter(7, 1),   random_filter(1, 7),   random_filter(9, 3),
                              random_filter(3, 11), random_rank_one(9, 3), random_rank_one(3, 7), random_magnitude()};
  for (const FilterKind& kind : filter_kinds()) filters.push_back(parse_filter(std::string(kind.id)).filter);
  for (const char* text :
       {"sobel-x:gain=-0.5,bias=0.25,absolute=1", "gaussian:radius=1,gain=1.5,bias=-0.125", "box:rx=4,ry=1",
        "sobel-magnitude:gain=0.5,bias=-0.25,absolute=1", "disk:radius=7.5", "gaussian:radius=16"}) {
    filters.push_back(parse_filter(text).filter);
    filters.back().name = text;
  }
  return filters;
}

struct Size {
  int width, height;
};

struct Case {
  Problem problem;
  unsigned seed;
};

template <class Value>
bool wanted(const std::vector<Value>& only, Value value) {
  return only.empty() || std::find(only.begin(), only.end(), value) != only.end();
}

std::vector<Case> make_cases(const VerifyOptions& options) {
  std::vector<Case> cases;
  const auto add = [&](const Filter& filter, Size size, Border border, PixelFormat format) {
    if (!wanted(options.borders, border) || !wanted(options.formats, format)) return;
    cases.push_back(
        {{size.width, size.height, format, border, filter}, options.seed + static_cast<unsigned>(cases.size())});
  };
  constexpr PixelFormat formats[] = {PixelFormat::rgba8, PixelFormat::gray32f};
  const std::vector<Size> small{{1, 1}, {1, 7}, {11, 1}, {2, 3}, {13, 11}, {37, 23}};
  const std::vector<Size> large{{1, 1}, {1, 17}, {19, 1}, {2, 3}, {13, 11}, {37, 23}, {127, 67}, {263, 131}};
  for (const Filter& filter : options.filters.empty() ? product_filters() : options.filters)
    for (const Size size : options.small ? small : large)
      for (const Border border : all_borders)
        for (const PixelFormat format : formats) add(filter, size, border, format);

  if (!options.filters.empty()) return cases;

  std::size_t turn = 0;
  for (const Filter& filter : more_filters()) {
    if (!options.small) {
      for (const Border border : all_borders)
        for (const PixelFormat format : formats) add(filter, {67, 41}, border, format);
      continue;
    }
    // Both formats, the borders in turn; every border meets every kind of filter over the list.
    for (const PixelFormat format : formats) add(filter, {17, 13}, all_borders[turn++ % 4], format);
    if (turn % 8 == 0) ++turn;
  }
  return cases;
}

// Each value of each tunable that is not the initial one, alone.
std::vector<Tuning> make_tunings(const Strategy& strategy) {
  std::vector<Tuning> tunings;
  for (const Tunable& tunable : strategy.tunables)
    for (const int value : tunable.values)
      if (value != tunable.initial) tunings.push_back({{std::string(tunable.id), value}});
  return tunings;
}

std::vector<const Strategy*> chosen(Backend backend, const std::vector<std::string>& ids) {
  std::vector<const Strategy*> list;
  if (ids.empty()) {
    for (const Strategy* strategy : strategies(backend)) list.push_back(strategy);
    return list;
  }
  for (const std::string& id : ids) {
    const Strategy* strategy = find_strategy(backend, id);
    if (!strategy)
      throw Error("There is no strategy " + in_quotes(id) + " for the backend " + to_string(backend) +
                  "; `convoscope list strategies` names them");
    list.push_back(strategy);
  }
  return list;
}

}  // namespace

VerifyRow verify_one(Compute& compute, const Strategy& strategy, const Problem& problem, const Tuning& tuning,
                     unsigned seed) {
  return Trial(compute, problem, seed).run(strategy, tuning);
}

std::vector<VerifyRow> verify(Compute& compute, const VerifyOptions& options,
                              const std::function<void(const VerifyRow&)>& callback) {
  const std::vector<const Strategy*> list = chosen(compute.device().backend, options.strategies);
  std::vector<VerifyRow> rows;
  const auto keep = [&](VerifyRow row) {
    rows.push_back(std::move(row));
    if (callback) callback(rows.back());
  };

  // Problems outside, strategies inside: the reference is made once for all of them.
  for (const auto& [problem, seed] : make_cases(options)) {
    Trial trial(compute, problem, seed);
    for (const Strategy* strategy : list) keep(trial.run(*strategy, {}));
  }

  unsigned seed = options.seed + 1000;
  for (const Strategy* strategy : list)
    for (const Tuning& tuning : make_tunings(*strategy))
      for (const Filter& filter : options.filters.empty() ? product_filters() : options.filters) {
        const Border border = all_borders[seed % 4];
        const PixelFormat format = seed / 4 % 2 ? PixelFormat::rgba8 : PixelFormat::gray32f;
        const Problem problem{options.small ? 37 : 131, options.small ? 23 : 67, format, border, filter};
        if (wanted(options.borders, border) && wanted(options.formats, format))
          keep(verify_one(compute, *strategy, problem, tuning, seed));
        ++seed;
      }
  return rows;
}

}  // namespace convoscope
