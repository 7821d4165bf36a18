#include "replay/run/core_work.hpp"

#include <algorithm>
#include <chrono>

namespace ringmark::replay {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;

}  // namespace

/// The values stay near 1, so that their arithmetic takes the same time however often it is done.
void CoreWork::turn() {
  ++turns_;
  constexpr double factor = 0.5, addend = 0.5;
  for (auto& value : values_) value = value * factor + addend;
  // Keeps the compiler from removing the unused results.
  asm volatile("" : : "r"(values_.data()) : "memory");
}

double CoreWork::measure_speed() {
  constexpr int slices = 20, turns = 5000;
  CoreWork core(1);
  double best_us = 0;
  for (int slice = 0; slice < slices; ++slice) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < turns; ++i) core.turn();
    const double us = Microseconds(std::chrono::steady_clock::now() - begin).count();
    best_us = slice == 0 ? us : std::min(best_us, us);
  }
  return turns / best_us;
}

void CoreWork::work(double us) {
  rest_ += us * turns_per_us_;
  for (; rest_ >= 1; rest_ -= 1) turn();
}

}  // namespace ringmark::replay
