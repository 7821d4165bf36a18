#include "transports/schedules/bruck.hpp"

#include <algorithm>
#include <bit>

namespace ringmark {
namespace {

class Bruck : public Schedule {
 public:
  explicit Bruck(int ranks) : ranks_(ranks) {}

  std::string_view algorithm() const override { return "bruck"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks_ - 1))); }
  int symmetry_class(int) const override { return 0; }

 protected:
  int ranks_;
};

class BruckAllGather final : public Bruck {
 public:
  using Bruck::Bruck;

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
};

class BruckAllToAll final : public Bruck {
 public:
  using Bruck::Bruck;

  /// A block has already moved the distance given by the lower bits.
  int origin(int rank, int step, int chunk) const override {
    return (rank - (chunk & ((1 << step) - 1)) + ranks_) % ranks_;
  }

  void append(int rank, int step, Step& out) const override {
    const int stride = 1 << step;
    for (int distance = stride; distance < ranks_; ++distance) {
      if ((distance & stride) == 0) continue;
      out.sends.push_back({(rank + stride) % ranks_, distance});
      out.receives.push_back({(rank - stride + ranks_) % ranks_, distance, Combine::copy});
    }
  }
};

}  // namespace

std::unique_ptr<Schedule> bruck_all_gather(int ranks) { return std::make_unique<BruckAllGather>(ranks); }
std::unique_ptr<Schedule> bruck_all_to_all(int ranks) { return std::make_unique<BruckAllToAll>(ranks); }

}  // namespace ringmark
