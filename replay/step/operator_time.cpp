#include "replay/step/operator_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringmark::replay {
namespace {

/// Smaller tiles fill the last wave better, and reuse less of their input.
struct Tile {
  double rows, columns, speed;
};
constexpr std::array tiles{Tile{256, 128, 1},  Tile{128, 256, 1},  Tile{128, 128, 0.95},
                           Tile{128, 64, 0.8}, Tile{64, 128, 0.8}, Tile{64, 64, 0.65}};
/// A matrix is cast to FP8 once: its 16 or 32 bits are read, and its FP8 values are written both as they are and
/// transposed for the backward pass. The gradient that is cast there serves two products.
constexpr double cast_bytes_read = 2, cast_bytes_written = 2;
/// Casts that scale by the current values read them once more, as torchao's do; Transformer Engine uses scales of
/// earlier steps.
constexpr double scale_bytes_read = 2;

/// Fast kernels load 16 bytes at a time. The products of an odd vocabulary, as GPT-2's 50257, go to kernels that reach
/// 76 to 95 TFLOP/s in the forward pass on an H200 (tests/replay/files/h200_products.csv), and somewhat more in the
/// backward pass and in TF32: an eighth of the 16-bit peak.
constexpr double odd_share = 0.125;

/// Flash attention recomputes the scores in its backward pass: 5 products for 2 in the forward pass.
constexpr double fused_backward = 2.5, unfused_backward = 2;

class OperatorTime {
 public:
  OperatorTime(const Event& event, const Device& device, const Software& software, bool is_float32,
               ProductType products)
      : event_(event),
        device_(device),
        software_(software),
        peak_TFLOPS_(is_float32 ? device.peak_TFLOPS_float32 : device.peak_TFLOPS),
        wide_(is_float32 ? 2 : 1),
        is_float8_(products == ProductType::float8 && loss_of(event) == nullptr) {
    const auto* loss = loss_of(event);
    constexpr double fast_bytes = 16, bytes_in_16_bits = 2;
    has_odd_vocabulary_ = !software.pads_vocabulary && loss != nullptr &&
                          std::fmod(loss->columns * bytes_in_16_bits * wide_, fast_bytes) != 0;
  }

  double us() const {
    double sum = passes_us();
    for (const auto& each : event_.operators) sum += us(each);
    return sum;
  }

 private:
  double us(const Operator& each) const {
    switch (each.kind) {
      case Operator::Kind::product:
        return is_float8_ ? float8_product_us(each)
                          : product_us(device_.multiprocessors, product_TFLOPS(), each.rows, each.columns, each.inner);
      case Operator::Kind::attention:
        return software_.fuses_attention ? fused_attention_us(each) : unfused_attention_us(each);
      case Operator::Kind::loss:
        // A third in the forward pass: the backward pass reads the logits and writes their gradient.
        return memory_us(each.rows * each.columns * loss_bytes_per_logit() * (is_backward() ? 2 : 1) / 3);
    }
    return 0;
  }

  double loss_bytes_per_logit() const {
    return wide_ > 1 ? software_.float32_loss_bytes_per_logit.value_or(wide_ * software_.loss_bytes_per_logit)
                     : software_.loss_bytes_per_logit;
  }
  double memory_us(double bytes) const { return bytes / (device_.memory_GBps * 1e3 * device_.memory_efficiency); }
  double product_TFLOPS() const {
    const double usual = reached_TFLOPS(peak_TFLOPS_);
    return has_odd_vocabulary_ ? std::min(usual, odd_share * device_.peak_TFLOPS) : usual;
  }
  double reached_TFLOPS(double peak) const { return peak * device_.product_efficiency * software_.clock_gain; }
  bool is_backward() const { return event_.phase == Phase::backward; }

  /// The loss that the event's products feed; null if there is none.
  static const Operator* loss_of(const Event& event) {
    const auto found = std::find_if(event.operators.begin(), event.operators.end(),
                                    [](const Operator& each) { return each.kind == Operator::Kind::loss; });
    return found == event.operators.end() ? nullptr : &*found;
  }

  /// The tiles' prologue and epilogue take as long as in 16 bits.
  double float8_product_us(const Operator& each) const {
    const double faster = device_.peak_TFLOPS_float8 / device_.peak_TFLOPS;
    const double cast_elements =
        is_backward() ? each.rows * each.inner / 2 : each.rows * each.inner + each.columns * each.inner;
    return product_us(device_.multiprocessors, reached_TFLOPS(device_.peak_TFLOPS_float8), each.rows, each.columns,
                      each.inner, tile_overhead_terms * faster) +
           memory_us((wide_ * (cast_bytes_read + (software_.scales_late ? 0 : scale_bytes_read)) + cast_bytes_written) *
                     cast_elements);
  }

  double passes_us() const {
    const bool is_activation = event_.kind == EventKind::compute && event_.phase != Phase::step;
    if (!is_activation) return memory_us(event_.memory_bytes);
    if (software_.passes_are_counted && loss_of(event_) != nullptr) return 0;
    return memory_us(event_.memory_bytes * (is_backward() ? software_.passes.backward : software_.passes.forward));
  }

  double fused_attention_us(const Operator& each) const {
    const double kept = 4 * each.rows * each.attended() * each.inner;
    return kept * (is_backward() ? fused_backward : 1) /
           (peak_TFLOPS_ * 1e6 * attention_share(device_, software_, 2 * each.attended()));
  }

  /// All scores are computed, and move through memory for the mask, the softmax and the dropout.
  double unfused_attention_us(const Operator& each) const {
    const double all = 4 * each.rows * each.columns * each.inner * (is_backward() ? unfused_backward : 1);
    const double scores = each.heads * each.rows * each.columns;
    return all / (product_TFLOPS() * 1e6) +
           memory_us(wide_ * scores * (is_backward() ? score_bytes_backward : score_bytes_forward));
  }

  const Event& event_;
  const Device& device_;
  const Software& software_;
  double peak_TFLOPS_, wide_;
  bool is_float8_;
  bool has_odd_vocabulary_ = false;
};

}  // namespace

double attention_share(const Device& device, const Software& software, double tokens) {
  if (software.attention == AttentionKernels::first) return device.attention_efficiency;
  const double in_long_sequences = software.attention == AttentionKernels::second ? device.tuned_attention_efficiency
                                                                                  : device.vendor_attention_efficiency;
  return in_long_sequences * tokens / (tokens + half_speed_tokens);
}

double product_us(int multiprocessors, double TFLOPS, double rows, double columns, double inner,
                  double overhead_terms) {
  const double processors = std::max(1, multiprocessors);
  double least = 0;
  for (const auto& tile : tiles) {
    const double count = std::ceil(rows / tile.rows) * std::ceil(columns / tile.columns);
    const double work = std::ceil(count / processors) * tile.rows * tile.columns * 2 * (inner + overhead_terms);
    const double us = work / (TFLOPS * 1e6 / processors * tile.speed);
    least = least == 0 ? us : std::min(least, us);
  }
  return least;
}

double device_us(const Event& event, const Device& device, const Software& software, bool is_float32,
                 ProductType products) {
  if (event.time_us) return *event.time_us;
  if (event.flops <= 0 && event.memory_bytes <= 0) return 0;  // even without a device
  if (device.knows_operators() && (!event.operators.empty() || event.flops <= 0))
    return OperatorTime(event, device, software, is_float32, products).us();
  const double efficiency = device.knows_operators() ? device.product_efficiency : device.efficiency;
  const double operations_per_us = 1e6 * (is_float32 ? device.peak_TFLOPS_float32 : device.peak_TFLOPS);
  const double arithmetic_us = event.flops / (operations_per_us * efficiency);
  const double memory_us = event.memory_bytes / (device.memory_GBps * 1e3 * device.memory_efficiency);
  return std::max(arithmetic_us, memory_us);
}

}  // namespace ringmark::replay
