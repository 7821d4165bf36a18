#include "transports/schedules/pairwise.hpp"

namespace ringmark {
namespace {

class Pairwise final : public Schedule {
 public:
  explicit Pairwise(int ranks) : ranks_(ranks) {}

  std::string_view algorithm() const override { return "pairwise"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return ranks_ - 1; }
  int symmetry_class(int) const override { return 0; }

  void append(int rank, int step, Step& out) const override {
    const int to = (rank + step + 1) % ranks_;
    const int from = (rank - step - 1 + ranks_) % ranks_;
    out.sends.push_back({to, to});
    out.receives.push_back({from, from, Combine::copy});
  }

 private:
  int ranks_;
};

}  // namespace

std::unique_ptr<Schedule> pairwise_all_to_all(int ranks) { return std::make_unique<Pairwise>(ranks); }

}  // namespace ringmark
