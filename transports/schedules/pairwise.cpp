#include "transports/schedules/pairwise.hpp"

#include <bit>

namespace ringmark {
namespace {

class Spread final : public Schedule {
 public:
  explicit Spread(int ranks) : ranks_(ranks) {}

  std::string_view algorithm() const override { return "spread"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return ranks_ - 1; }
  int symmetry_class(int) const override { return 0; }
  bool relays() const override { return false; }

  void append(int rank, int step, Step& out) const override {
    const int distance = step + 1;
    out.sends.push_back({(rank + distance) % ranks_, distance});
    out.receives.push_back({(rank - distance + ranks_) % ranks_, distance, Combine::copy});
  }

 private:
  int ranks_;
};

class Pairwise final : public Schedule {
 public:
  explicit Pairwise(int ranks) : ranks_(ranks), is_power_(std::has_single_bit(static_cast<unsigned>(ranks))) {}

  std::string_view algorithm() const override { return "pairwise"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return is_power_ ? ranks_ - 1 : ranks_; }
  int symmetry_class(int rank) const override { return is_power_ ? 0 : rank; }
  bool relays() const override { return false; }

  void append(int rank, int step, Step& out) const override {
    const int peer = is_power_ ? rank ^ (step + 1) : (step - rank + ranks_) % ranks_;
    if (peer == rank) return;
    out.sends.push_back({peer, (peer - rank + ranks_) % ranks_});
    out.receives.push_back({peer, (rank - peer + ranks_) % ranks_, Combine::copy});
  }

 private:
  int ranks_;
  bool is_power_;
};

}  // namespace

std::unique_ptr<Schedule> spread_all_to_all(int ranks) { return std::make_unique<Spread>(ranks); }
std::unique_ptr<Schedule> pairwise_all_to_all(int ranks) { return std::make_unique<Pairwise>(ranks); }

}  // namespace ringmark
