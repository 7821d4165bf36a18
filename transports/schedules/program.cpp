#include "transports/schedules/program.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ringmark {
namespace {

using Space = Location::Space;

class Compiler {
 public:
  Compiler(const Schedule& schedule, Collective collective, int rank, int root, bool in_place)
      : schedule_(schedule),
        collective_(collective),
        rank_(rank),
        root_(root),
        in_place_(in_place),
        chunk_location_(static_cast<std::size_t>(schedule.chunks())),
        last_use_(static_cast<std::size_t>(schedule.chunks()), -1) {
    for (int chunk = 0; chunk < schedule.chunks(); ++chunk) at(chunk_location_, chunk) = input_of(chunk);
  }

  Program run() {
    find_last_uses();
    for (int step = 0; step < schedule_.steps(); ++step) {
      step_.clear();
      schedule_.append(rank_, step, step_);
      for (const auto& send : step_.sends) add_send(send, step);
      for (const auto& receive : step_.receives) add_receive(receive, step);
      release_scratch(step);
    }
    program_.chunks = schedule_.chunks();
    program_.scratch_slots = slots_;
    add_local_copies();
    add_waits_for_previous_run();
    return std::move(program_);
  }

 private:
  template <class T>
  static T& at(std::vector<T>& values, int index) {
    return values[static_cast<std::size_t>(index)];
  }

  bool result(int chunk) const { return is_result(collective_, rank_, root_, chunk); }
  /// False for a block of an all_to_all that this rank only forwards: it may not fit into the output, where blocks may
  /// be shorter.
  bool ends_here(int chunk, int origin) const {
    if (collective_ == Collective::all_to_all) return (origin + chunk) % schedule_.ranks() == rank_;
    return result(chunk);
  }

  Location input_of(int chunk) const {
    if (in_place_ && result(chunk)) return output_of(chunk);
    return {Space::input, input_index(collective_, rank_, schedule_.ranks(), chunk)};
  }
  Location output_of(int chunk) const {
    return {Space::output, output_index(collective_, rank_, schedule_.ranks(), chunk)};
  }

  void find_last_uses() {
    for (int step = 0; step < schedule_.steps(); ++step) {
      step_.clear();
      schedule_.append(rank_, step, step_);
      for (const auto& send : step_.sends) at(last_use_, send.chunk) = step;
      for (const auto& receive : step_.receives) at(last_use_, receive.chunk) = step;
    }
  }

  struct Uses {
    int receives = 0;  ///< receives up to the last one that wrote here
    int sends = 0;     ///< sends up to the last one that read here
    int last_send_step = -1;
  };
  /// Valid until the next call, which may reallocate.
  Uses& uses_of(Location where) {
    auto& of_space = uses_[static_cast<std::size_t>(where.space)];
    const auto index = static_cast<std::size_t>(where.index);
    if (index >= of_space.size()) of_space.resize(index + 1);
    return of_space[index];
  }

  void add_send(const Send& send, int step) {
    const Location from = schedule_.relays() ? at(chunk_location_, send.chunk) : input_of(send.chunk);
    auto& uses = uses_of(from);
    const int origin = schedule_.origin(rank_, step, send.chunk);
    program_.sends.push_back({send.peer, send.chunk, origin, from, uses.receives, step});
    uses.sends = static_cast<int>(program_.sends.size());
    uses.last_send_step = step;
  }

  void add_receive(const Receive& receive, int step) {
    const Location local = at(chunk_location_, receive.chunk);
    const bool keep = local.space == Space::scratch;
    const int origin = schedule_.origin(receive.peer, step, receive.chunk);
    const Location to = ends_here(receive.chunk, origin) ? output_of(receive.chunk)
                        : keep                           ? local
                                                         : Location{Space::scratch, allocate_slot(free_slots_)};
    const bool staged = uses_of(to).last_send_step == step;
    const Location staging = staged ? Location{Space::scratch, allocate_slot(free_staging_)} : to;
    if (staged) staging_in_use_.push_back(staging.index);

    const bool combines = receive.combine != Combine::copy;
    int after_receives = uses_of(to).receives;
    after_receives = std::max(after_receives, uses_of(staging).receives);
    if (combines) after_receives = std::max(after_receives, uses_of(local).receives);
    program_.receives.push_back({.peer = receive.peer,
                                 .chunk = receive.chunk,
                                 .origin = origin,
                                 .combine = receive.combine,
                                 .to = to,
                                 .local = local,
                                 .staged = staged,
                                 .staging = staging,
                                 .after_receives = after_receives,
                                 .after_sends = uses_of(to).sends,
                                 .step = step});
    uses_of(to).receives = uses_of(staging).receives = static_cast<int>(program_.receives.size());
    at(chunk_location_, receive.chunk) = to;
  }

  int allocate_slot(std::vector<int>& free) {
    if (free.empty()) return slots_++;
    const int slot = free.back();
    free.pop_back();
    return slot;
  }

  void release_scratch(int step) {
    free_staging_.insert(free_staging_.end(), staging_in_use_.begin(), staging_in_use_.end());
    staging_in_use_.clear();
    for (const auto& receive : step_.receives) release_chunk(receive.chunk, step);
    for (const auto& send : step_.sends) release_chunk(send.chunk, step);
  }

  void release_chunk(int chunk, int step) {
    const Location where = at(chunk_location_, chunk);
    if (where.space != Space::scratch || at(last_use_, chunk) != step) return;
    free_slots_.push_back(where.index);
    at(last_use_, chunk) = -1;  // release it only once, even if the step names the chunk twice
  }

  void add_local_copies() {
    for (int chunk = 0; chunk < schedule_.chunks(); ++chunk) {
      const bool untouched = at(chunk_location_, chunk).space == Space::input;
      if (untouched && result(chunk)) program_.local_copies.push_back(output_of(chunk).index);
    }
  }

  /// The last users of a scratch slot in one window must be done before its first writer in the next window.
  void add_waits_for_previous_run() {
    std::vector<bool> written(static_cast<std::size_t>(slots_), false);
    for (auto& receive : program_.receives) {
      for (const Location slot : {receive.to, receive.staging}) {
        if (slot.space != Space::scratch || at_bit(written, slot.index)) continue;
        at_bit(written, slot.index) = true;
        const auto& uses = uses_of(slot);
        receive.after_previous_receives = std::max(receive.after_previous_receives, uses.receives);
        receive.after_previous_sends = std::max(receive.after_previous_sends, uses.sends);
      }
    }
  }
  static std::vector<bool>::reference at_bit(std::vector<bool>& bits, int index) {
    return bits[static_cast<std::size_t>(index)];
  }

  const Schedule& schedule_;
  Collective collective_;
  int rank_, root_;
  bool in_place_;
  Program program_;
  Step step_;
  std::vector<Location> chunk_location_;
  std::vector<int> last_use_;
  std::array<std::vector<Uses>, 3> uses_;  // by Space
  // No send reads a staging slot, so receiving into it waits for no send.
  std::vector<int> free_slots_, free_staging_, staging_in_use_;
  int slots_ = 0;
};

}  // namespace

bool is_result(Collective collective, int rank, int root, int chunk) {
  switch (collective) {
    case Collective::reduce_scatter:
    case Collective::scatter:
      return chunk == rank;
    case Collective::reduce:
    case Collective::gather:
      return rank == root;
    case Collective::all_reduce:
    case Collective::all_gather:
    case Collective::broadcast:
    case Collective::all_to_all:
    case Collective::send_recv:
      break;
  }
  return true;
}

Program compile(const Schedule& schedule, Collective collective, int rank, int root, bool in_place) {
  return Compiler(schedule, collective, rank, root, in_place).run();
}

Program gathered(Program program) {
  auto& sends = program.sends;
  for (std::size_t i = sends.size(); i-- > 1;) {
    if (sends[i - 1].peer != sends[i].peer || sends[i - 1].step != sends[i].step) continue;
    sends[i - 1].after_receives = std::max(sends[i - 1].after_receives, sends[i].after_receives);
  }
  return program;
}

int most_scratch_slots(const Schedule& schedule, Collective collective, int root, bool in_place) {
  int most = 0;
  std::set<int> seen;
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    // The root is a separate class here, because its own data takes a different path.
    const bool special = is_rooted(collective) && rank == root;
    if (!special && !seen.insert(schedule.symmetry_class(rank)).second) continue;
    most = std::max(most, compile(schedule, collective, rank, root, in_place).scratch_slots);
  }
  return most;
}

}  // namespace ringmark
