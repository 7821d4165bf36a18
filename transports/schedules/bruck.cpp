#include "transports/schedules/bruck.hpp"

#include <algorithm>
#include <bit>

namespace ringmark {
namespace {

class Bruck final : public Schedule {
 public:
  explicit Bruck(int ranks) : ranks_(ranks) {}

  std::string_view algorithm() const override { return "bruck"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks_ - 1))); }
  int symmetry_class(int) const override { return 0; }

  void append(int rank, int step, Step& out) const override {
    const int distance = 1 << step;
    const int to = (rank - distance + ranks_) % ranks_;
    const int from = (rank + distance) % ranks_;
    const int count = std::min(distance, ranks_ - distance);
    for (int i = 0; i < count; ++i) {
      out.sends.push_back({to, (rank + i) % ranks_});
      out.receives.push_back({from, (from + i) % ranks_, Combine::copy});
    }
  }

 private:
  int ranks_;
};

}  // namespace

std::unique_ptr<Schedule> bruck_all_gather(int ranks) { return std::make_unique<Bruck>(ranks); }

}  // namespace ringmark
