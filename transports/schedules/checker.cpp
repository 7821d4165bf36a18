#include "transports/schedules/checker.hpp"

#include <deque>
#include <vector>

#include <fmt/format.h>

#include "transports/schedules/program.hpp"

namespace ringmark {
namespace {

using Space = Location::Space;

/// The content of a location: chunk `chunk` of some ranks, combined. One bit per rank.
struct Value {
  int chunk = -1;
  std::vector<std::uint64_t> ranks;

  bool operator==(const Value&) const = default;
};

class Machine {
 public:
  /// `programs` of all ranks, in order.
  Machine(const Schedule& schedule, Collective collective, int root, bool in_place, Pattern pattern,
          std::vector<Program> programs)
      : schedule_(schedule),
        collective_(collective),
        root_(root),
        in_place_(in_place),
        pattern_(pattern),
        all_ranks_(static_cast<std::size_t>(schedule.ranks() + 63) / 64, 0) {
    for (int rank = 0; rank < schedule.ranks(); ++rank) all_ranks_[index(rank) / 64] |= std::uint64_t{1} << (rank % 64);
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
      ranks_.emplace_back().program = std::move(programs[index(rank)]);
      prepare(rank);
    }
  }

  std::optional<std::string> run() {
    for (int rank = 0; rank < schedule_.ranks(); ++rank) work_.push_back(rank);
    while (!work_.empty() && defect_.empty()) {
      const int rank = work_.front();
      work_.pop_front();
      advance(rank);
    }
    for (int rank = 0; rank < schedule_.ranks() && defect_.empty(); ++rank) check_end(rank);
    if (defect_.empty()) return std::nullopt;
    return fmt::format("{} {} with {} ranks, {}: {}", schedule_.algorithm(), name(collective_), schedule_.ranks(),
                       in_place_ ? "in place" : "out of place", defect_);
  }

 private:
  struct RankState {
    Program program;
    std::vector<Value> input, output, scratch;
    std::size_t sends_done = 0;
    std::size_t receives_landed = 0;  ///< data has arrived, perhaps still in staging
    std::size_t receives_done = 0;
    std::vector<std::size_t> readers_before;  ///< per receive: number of sends that must have read its target
    Value staged;
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  RankState& state(int rank) { return ranks_[index(rank)]; }

  Value contribution(int rank, int chunk) const {
    Value value{chunk, std::vector<std::uint64_t>(all_ranks_.size(), 0)};
    value.ranks[index(rank) / 64] |= std::uint64_t{1} << (rank % 64);
    return value;
  }

  /// True if the value began at `rank`. Only for an all_to_all, where each value comes from a single rank.
  static bool began_at(const Value& value, int rank) {
    return ((value.ranks[index(rank) / 64] >> (index(rank) % 64)) & 1U) != 0;
  }

  int to_input(int rank, int chunk) const { return input_index(collective_, rank, schedule_.ranks(), chunk); }
  int to_output(int rank, int chunk) const { return output_index(collective_, rank, schedule_.ranks(), chunk); }

  bool has_input(int rank, int chunk) const {
    const bool begins_at_root = collective_ == Collective::broadcast || collective_ == Collective::scatter;
    const bool begins_in_blocks = collective_ == Collective::all_gather || collective_ == Collective::gather;
    return begins_at_root ? rank == root_ : !begins_in_blocks || chunk == rank;
  }

  void prepare(int rank) {
    auto& s = state(rank);
    s.input.resize(index(s.program.chunks));
    s.output.resize(index(s.program.chunks));
    s.scratch.resize(index(s.program.scratch_slots));
    for (int chunk = 0; chunk < s.program.chunks; ++chunk) {
      if (!has_input(rank, chunk)) continue;
      const bool aliased = in_place_ && is_result(collective_, rank, root_, chunk);
      (aliased ? s.output[index(to_output(rank, chunk))] : s.input[index(to_input(rank, chunk))]) =
          contribution(rank, chunk);
    }
    find_readers(s);
  }

  /// Derives, independently of compile(), which sends must be finished before each receive may write.
  static void find_readers(RankState& s) {
    std::vector<std::vector<std::size_t>> last_reader(3);
    const auto slot = [&](Location where) -> std::size_t& {
      auto& row = last_reader[static_cast<std::size_t>(where.space)];
      if (index(where.index) >= row.size()) row.resize(index(where.index) + 1, 0);
      return row[index(where.index)];
    };
    std::size_t next = 0;
    for (const auto& receive : s.program.receives) {
      for (; next < s.program.sends.size() && s.program.sends[next].step <= receive.step; ++next) {
        slot(s.program.sends[next].from) = next + 1;
      }
      s.readers_before.push_back(slot(receive.to));
    }
  }

  Value& at(RankState& s, Location where) {
    auto& values = where.space == Space::input ? s.input : where.space == Space::output ? s.output : s.scratch;
    return values[index(where.index)];
  }

  void advance(int rank) {
    finish_receive(rank);
    try_transfer_to(rank);
    const auto& s = state(rank);
    if (s.sends_done < s.program.sends.size()) try_transfer_to(s.program.sends[s.sends_done].peer);
  }

  bool ready_to_receive(const RankState& s) const {
    if (s.receives_landed == s.program.receives.size() || s.receives_landed != s.receives_done) return false;
    const auto& receive = s.program.receives[s.receives_landed];
    return s.receives_done >= index(receive.after_receives) &&
           (receive.staged || s.sends_done >= index(receive.after_sends));
  }

  void try_transfer_to(int to_rank) {
    auto& to = state(to_rank);
    if (!ready_to_receive(to)) return;
    const auto& receive = to.program.receives[to.receives_landed];
    auto& from = state(receive.peer);
    if (from.sends_done == from.program.sends.size()) return;
    const auto& send = from.program.sends[from.sends_done];
    if (send.peer != to_rank || from.receives_done < index(send.after_receives)) return;

    Value value = at(from, send.from);
    if (value.chunk < 0) return fail("rank {} sends chunk {} before it has it", receive.peer, send.chunk);
    if (value.chunk != receive.chunk) {
      return fail("rank {} receives chunk {} where rank {} sends {}", to_rank, receive.chunk, receive.peer,
                  value.chunk);
    }
    if (collective_ == Collective::all_to_all && !(began_at(value, send.origin) && began_at(value, receive.origin))) {
      return fail("rank {} sends rank {} a chunk {} with a different origin than both assume", receive.peer, to_rank,
                  send.chunk);
    }
    to.staged = std::move(value);
    ++to.receives_landed;
    ++from.sends_done;
    finish_receive(to_rank);
    finish_receive(receive.peer);
    work_.push_back(to_rank);
    work_.push_back(receive.peer);
  }

  /// Writes arrived data to its target, once the sends that read the target are finished.
  void finish_receive(int rank) {
    auto& s = state(rank);
    if (s.receives_landed == s.receives_done) return;
    const auto& receive = s.program.receives[s.receives_done];
    if (s.sends_done < index(receive.after_sends)) return;
    if (s.sends_done < s.readers_before[s.receives_done]) {
      return fail("rank {} overwrites chunk {} before sending it", rank, receive.chunk);
    }
    if (receive.combine != Combine::copy) {
      const Value& local = at(s, receive.local);
      if (local.chunk != s.staged.chunk) return fail("rank {} reduces different chunks", rank);
      for (std::size_t word = 0; word < all_ranks_.size(); ++word) {
        if ((s.staged.ranks[word] & local.ranks[word]) != 0) {
          return fail("rank {} receives a contribution to chunk {} twice", rank, receive.chunk);
        }
        s.staged.ranks[word] |= local.ranks[word];
      }
      if (is_complete(s.staged) != (receive.combine == Combine::reduce_last)) {
        return fail("rank {} has chunk {} {} at the last reduction", rank, receive.chunk,
                    is_complete(s.staged) ? "complete before" : "incomplete");
      }
    }
    at(s, receive.to) = std::move(s.staged);
    ++s.receives_done;
    work_.push_back(rank);
  }

  bool is_complete(const Value& value) const { return value.ranks == all_ranks_; }

  void check_end(int rank) {
    auto& s = state(rank);
    if (s.sends_done != s.program.sends.size() || s.receives_done != s.program.receives.size()) {
      return fail("rank {} waits forever: {} of {} sends and {} of {} receives done", rank, s.sends_done,
                  s.program.sends.size(), s.receives_done, s.program.receives.size());
    }
    for (const int place : s.program.local_copies) s.output[index(place)] = s.input[index(place)];
    for (int chunk = 0; chunk < s.program.chunks; ++chunk) {
      const auto& result = s.output[index(to_output(rank, chunk))];
      if (is_result(collective_, rank, root_, chunk) && result != expected(rank, chunk)) {
        return fail("rank {} ends with a wrong or missing chunk {}", rank, chunk);
      }
    }
  }

  Value expected(int rank, int chunk) const {
    switch (collective_) {
      case Collective::all_gather:
      case Collective::gather:
        return contribution(chunk, chunk);
      case Collective::broadcast:
      case Collective::scatter:
        return contribution(root_, chunk);
      case Collective::all_to_all:
        return contribution(to_output(rank, chunk), chunk);
      case Collective::send_recv:
        return contribution(source_of(pattern_, chunk, rank, schedule_.ranks()), chunk);
      case Collective::all_reduce:
      case Collective::reduce_scatter:
      case Collective::reduce:
        break;
    }
    return {chunk, all_ranks_};
  }

  template <class... Args>
  void fail(fmt::format_string<Args...> text, Args&&... args) {
    if (defect_.empty()) defect_ = fmt::format(text, std::forward<Args>(args)...);
  }

  const Schedule& schedule_;
  Collective collective_;
  int root_;
  bool in_place_;
  Pattern pattern_;
  std::vector<std::uint64_t> all_ranks_;  ///< a bit for each rank
  std::vector<RankState> ranks_;
  std::deque<int> work_;
  std::string defect_;
};

}  // namespace

std::optional<std::string> find_defect(const Schedule& schedule, Collective collective, int root, bool in_place,
                                       Pattern pattern) {
  std::vector<Program> programs, gathered_programs;
  bool differ = false;
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    programs.push_back(compile(schedule, collective, rank, root, in_place));
    gathered_programs.push_back(gathered(programs.back()));
    differ = differ || gathered_programs.back().sends != programs.back().sends;  // gathered() changes nothing else
  }
  auto defect = Machine(schedule, collective, root, in_place, pattern, std::move(programs)).run();
  if (defect || !differ) return defect;
  return Machine(schedule, collective, root, in_place, pattern, std::move(gathered_programs)).run();
}

}  // namespace ringmark
