#include "transports/schedules/ring.hpp"

namespace ringmark {
namespace {

class Ring final : public Schedule {
 public:
  Ring(int ranks, bool reduces, bool gathers) : ranks_(ranks), reduces_(reduces), gathers_(gathers) {}

  std::string_view algorithm() const override { return "ring"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return ranks_; }
  int steps() const override { return (ranks_ - 1) * (reduces_ + gathers_); }
  int symmetry_class(int) const override { return 0; }

  void append(int rank, int step, Step& out) const override {
    const int next = (rank + 1) % ranks_;
    const int previous = (rank + ranks_ - 1) % ranks_;
    const int half = ranks_ - 1;
    if (reduces_ && step < half) {
      out.sends.push_back({next, ring_reduce_chunk(rank, step, ranks_)});
      const auto combine = step == half - 1 ? Combine::reduce_last : Combine::reduce;
      out.receives.push_back({previous, ring_reduce_chunk(previous, step, ranks_), combine});
    } else {
      const int gather_step = reduces_ ? step - half : step;
      out.sends.push_back({next, ring_gather_chunk(rank, gather_step, ranks_)});
      out.receives.push_back({previous, ring_gather_chunk(previous, gather_step, ranks_), Combine::copy});
    }
  }

 private:
  int ranks_;
  bool reduces_, gathers_;
};

}  // namespace

std::unique_ptr<Schedule> ring_all_reduce(int ranks) { return std::make_unique<Ring>(ranks, true, true); }
std::unique_ptr<Schedule> ring_reduce_scatter(int ranks) { return std::make_unique<Ring>(ranks, true, false); }
std::unique_ptr<Schedule> ring_all_gather(int ranks) { return std::make_unique<Ring>(ranks, false, true); }

}  // namespace ringmark
