#include "transports/schedules/direct.hpp"

namespace ringmark {
namespace {

class Direct final : public Schedule {
 public:
  Direct(int ranks, Pattern pattern) : ranks_(ranks), pattern_(pattern) {}

  std::string_view algorithm() const override { return "direct"; }
  int ranks() const override { return ranks_; }
  int chunks() const override { return parts_of(pattern_); }
  int steps() const override { return ranks_ > 1 ? 1 : 0; }
  /// With pairs, the last of an odd number of ranks has no partner.
  int symmetry_class(int rank) const override { return destination_of(pattern_, 0, rank, ranks_) == rank ? 1 : 0; }
  bool relays() const override { return false; }

  void append(int rank, int /*step*/, Step& out) const override {
    for (int part = 0; part < chunks(); ++part) {
      const int to = destination_of(pattern_, part, rank, ranks_), from = source_of(pattern_, part, rank, ranks_);
      if (to != rank) out.sends.push_back({to, part});
      if (from != rank) out.receives.push_back({from, part, Combine::copy});
    }
  }

 private:
  int ranks_;
  Pattern pattern_;
};

}  // namespace

std::unique_ptr<Schedule> direct_send_recv(int ranks, Pattern pattern) {
  return std::make_unique<Direct>(ranks, pattern);
}

}  // namespace ringmark
