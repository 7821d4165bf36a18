// Unequal blocks by chance over a fabric in memory: every schedule, with results compared element by element.
// count-trials [TRIALS] [SEED] prints how many were right, and the seed of each that was not; a trial of --long has one
// block of 2 GiB.
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "base/flags/flags.hpp"
#include "base/units.hpp"
#include "bench/flags/run_options.hpp"
#include "bench/harness/verify.hpp"
#include "tests/contract/random_counts.hpp"
#include "transports/executor/schedule_communicator.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"
#include "transports/schedules/catalogue.hpp"

namespace {

using namespace ringmark;

using Ranks = std::vector<std::unique_ptr<Communicator>>;

Ranks make_ranks(int ranks, std::string_view algorithm, const MemoryFaults& faults) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / (ranks % 2 == 0 ? 2 : 3));
  const auto topology = algorithm == "two_level" ? Topology::nodes(nodes) : Topology::flat(ranks);
  const auto network = MemoryNetwork::create(ranks, faults);
  Ranks all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(std::make_unique<ScheduleCommunicator>("memory", network->fabric(rank), topology,
                                                         ScheduleOptions{.algorithm = std::string(algorithm)}));
  return all;
}

/// Wrong elements on all ranks; SIZE_MAX if it never ended.
std::size_t run(Ranks& ranks, const Operation& operation) {
  const int size = static_cast<int>(ranks.size());
  std::vector<std::vector<std::byte>> send, recv;
  std::vector<Ticket> tickets;
  for (int rank = 0; rank < size; ++rank) {
    const auto layout = layout_of(operation, size, rank);
    send.emplace_back(layout.send_bytes + 1);
    recv.emplace_back(layout.recv_bytes + 1, std::byte{0xa5});
    Verifier(operation, rank, size).fill(send.back().data());
  }
  for (std::size_t i = 0; i < ranks.size(); ++i)
    tickets.push_back(ranks[i]->start(operation, {send[i].data(), recv[i].data()}));
  const auto deadline = Deadline::after(std::chrono::minutes(5));
  for (bool all_done = false; !all_done;) {
    all_done = true;
    for (std::size_t i = 0; i < ranks.size(); ++i) all_done &= ranks[i]->test(tickets[i]);
    if (!all_done && deadline.passed()) return SIZE_MAX;
  }
  std::size_t wrong = 0;
  for (int rank = 0; rank < size; ++rank) {
    const auto& mine = recv[static_cast<std::size_t>(rank)];
    wrong += Verifier(operation, rank, size).count_wrong(mine.data());
    wrong += mine.back() != std::byte{0xa5} ? 1 : 0;  // behind the result
  }
  return wrong;
}

/// One block of 2^31 bytes between two of three ranks.
int run_long() {
  constexpr std::size_t bytes = std::size_t{1} << 31U;
  for (const std::string_view algorithm : {"spread", "pairwise"}) {
    auto ranks = make_ranks(3, algorithm, {});
    const auto counts = BlockCounts::of_pairs(3, {0, bytes, 5, 0, 0, 0, 1, 0, 3});
    const auto wrong = run(ranks, with_counts(Collective::all_to_all, DataType::uint8, ReduceOp::sum, counts));
    fmt::print("{:20} one block of {}: {} wrong elements\n", algorithm, format_size(bytes), wrong);
    if (wrong != 0) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int trials = 10'000;
  std::uint32_t first_seed = 1;
  bool is_long = false;
  Flags flags("count-trials", "Runs operations on unequal blocks by chance, and compares their results.",
              version_line());
  flags.number("trials", trials, 1, 100'000'000, "how many operations");
  flags.number("seed", first_seed, 0, UINT32_MAX, "of the first one; the next has the next");
  flags.toggle("--long", is_long, "instead: one block of 2 GiB");
  struct None {
  } none;
  if (const auto parsed = flags.read(none, argc, argv, [] {}); parsed.exit_status) return leave_with(parsed);
  if (is_long) return run_long();

  struct Tally {
    int right = 0, wrong = 0;
  };
  std::map<std::string, Tally> tallies;
  std::map<std::pair<std::string, int>, Ranks> groups;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = first_seed + static_cast<std::uint32_t>(trial);
    std::mt19937 chance(seed);
    constexpr Collective collectives[]{Collective::all_to_all, Collective::all_to_all, Collective::all_gather,
                                       Collective::reduce_scatter};
    const auto collective = collectives[chance() % std::size(collectives)];
    const auto algorithms = algorithms_for(collective);
    const auto algorithm = algorithms[chance() % algorithms.size()];
    const int ranks = 1 + static_cast<int>(chance() % 16);
    const auto operation =
        testing_support::random_unequal(chance, collective, ranks, std::size_t{1} << (chance() % 15));
    const auto what = fmt::format("{} {}", name(collective), algorithm);
    auto& group = groups[{what, ranks}];
    if (group.empty()) {
      MemoryFaults faults;
      faults.seed = seed;
      faults.most_bytes_at_once = 4096;
      group = make_ranks(ranks, algorithm, faults);
    }
    const auto wrong = run(group, operation);
    auto& tally = tallies[what];
    ++(wrong == 0 ? tally.right : tally.wrong);
    if (wrong != 0) fmt::print("seed {}: {} on {} ranks: {} wrong elements\n", seed, what, ranks, wrong);
    if (wrong == SIZE_MAX) return 1;
  }
  bool all_right = true;
  for (const auto& [what, tally] : tallies) {
    fmt::print("{:36} {:6} right, {} wrong\n", what, tally.right, tally.wrong);
    all_right = all_right && tally.wrong == 0;
  }
  return all_right ? 0 : 1;
}
