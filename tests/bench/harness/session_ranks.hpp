// A whole run within one process: ranks are threads, control is over real TCP, and what is measured runs over a fabric
// that can be made to fail.
#pragma once

#include <memory>
#include <vector>

#include "bench/harness/session.hpp"
#include "tests/contract/rank_group.hpp"
#include "tests/contract/tcp_ranks.hpp"
#include "transports/fabric/memory/memory_fabric.hpp"

namespace ringmark::testing_support {

/// Keeps what a session reports.
class Kept final : public Sink {
 public:
  void begin(const RunContext&) override {}
  void add(const Record& record, const Samples& s) override {
    records.push_back(record);
    samples.push_back(s);
  }
  void finish() override {}
  std::vector<Record> records;
  std::vector<Samples> samples;
};

struct Outcome {
  std::vector<int> statuses;
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

/// A transport that needs nothing to be opened.
class OpenBackend final : public Backend {
 public:
  OpenBackend() { way_out_ = way_out_over({"lo"}); }
  void check(const RunOptions& /*options*/, std::string_view /*mpi*/) const override {}
  void open(Bootstrap& /*bootstrap*/, const RunOptions& /*options*/, const RankResources& /*resources*/) override {}
  std::unique_ptr<Communicator> make_communicator(const RunOptions& /*options*/, const RankResources& /*resources*/,
                                                  const std::string& /*algorithm*/, bool /*is_preference*/) override {
    return nullptr;
  }
};

inline RankResources resources_on_one_host(const std::shared_ptr<TcpEndpoint>& endpoint, Clock::duration timeout) {
  RankResources resources;
  resources.endpoint = endpoint;
  resources.backend = std::make_unique<OpenBackend>();
  const auto ranks = static_cast<std::size_t>(endpoint->size());
  resources.places = {std::vector<std::string>(ranks, "here"), std::vector<std::string>(ranks, "lo")};
  resources.control = std::make_unique<Control>(std::make_unique<TcpFabric>(endpoint, 1), timeout);
  return resources;
}

inline Outcome run_session(int ranks, Collective collective, const BenchOptions& options,
                           const MemoryFaults& faults = {}) {
  Outcome outcome;
  outcome.statuses.resize(static_cast<std::size_t>(ranks), -1);
  const auto endpoints = tcp_endpoints(ranks, {});
  const auto network = MemoryNetwork::create(ranks, faults);
  in_threads(ranks, [&](int rank) {
    auto resources = resources_on_one_host(endpoints[static_cast<std::size_t>(rank)], options.timeout);
    ScheduleCommunicator communicator("memory", network->fabric(rank), Topology::flat(ranks),
                                      {.algorithm = options.algorithm});
    Session session(collective, options, resources, communicator, std::string{"test", {}},
                    rank == 0 ? outcome.kept.get() : nullptr);
    outcome.statuses[static_cast<std::size_t>(rank)] = session.run();
  });
  return outcome;
}

inline BenchOptions quick(std::vector<std::size_t> sizes) {
  BenchOptions options;
  options.sizes.list = std::move(sizes);
  options.iterations = 12;
  return options;
}

}  // namespace ringmark::testing_support
