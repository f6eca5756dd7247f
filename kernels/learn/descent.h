#pragma once
// How weights follow their gradients. Host only.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace convoscope {

enum class DescentMethod { adam, sgd };

class Descent {
 public:
  virtual ~Descent() = default;
  // As many weights and gradients as it was made for.
  void step(std::span<double> weights, std::span<const float> gradient, double rate) {
    ++steps_;
    move(weights, gradient, rate);
  }
  long steps() const { return steps_; }

 private:
  virtual void move(std::span<double> weights, std::span<const float> gradient, double rate) = 0;
  long steps_ = 0;
};

// After Kingma and Ba 2015. Each weight moves by about `rate`, whatever the size of its gradient: by the mean of its
// last gradients over the root of the mean of their squares.
class Adam final : public Descent {
 public:
  // The squares are remembered for some hundred steps, so that the steps become small as soon as the errors do.
  static constexpr double mean_decay = 0.9, square_decay = 0.99, least_root = 1e-8;

  explicit Adam(std::size_t weights) : means_(weights), squares_(weights) {}

 private:
  void move(std::span<double> weights, std::span<const float> gradient, double rate) override;
  std::vector<double> means_, squares_;
};

// Stochastic gradient descent with momentum, after Polyak 1964: each weight moves by `rate` times its gradient, and
// goes on with most of the way that it went before.
class Sgd final : public Descent {
 public:
  static constexpr double momentum = 0.9;

  explicit Sgd(std::size_t weights) : ways_(weights) {}

 private:
  void move(std::span<double> weights, std::span<const float> gradient, double rate) override;
  std::vector<double> ways_;
};

std::unique_ptr<Descent> make_descent(DescentMethod, std::size_t weights);

}  // namespace convoscope
