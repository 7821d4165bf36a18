// Where results go. The measuring loop calls one Sink and knows no formats.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace ringmark {

/// The path that a run measures, as far as it is known before the first row.
struct MeasuredPath {
  std::optional<Transport> transport;
  std::optional<MemoryKind> memory;
  std::optional<Network> network;
  std::string doubt{};  ///< why this is hardly the path that was meant, in words
};

struct RankPlace {
  std::string host;
  std::string place{};  ///< on it, in words: an address, a port, a GPU
};

/// "node1 (10.0.0.1:4000)"
std::string in_words(const RankPlace& rank);

/// The description of a run, written once, so that a number can be traced to its origin.
struct RunContext {
  std::string run_id;
  std::string program;
  std::vector<std::string> arguments;
  /// Further facts by name: versions, host, processor, kernel, interface, allow-listed environment.
  std::map<std::string, std::string> facts;
  std::map<std::string, std::string> environment;
  std::vector<RankPlace> ranks;
  MeasuredPath path;
};

/// The raw data behind a record: [rank][iteration], in microseconds. Data that do not exist are empty.
struct Samples {
  std::vector<std::vector<double>> time_us;
  std::vector<std::vector<double>> entry_us;  ///< start of each iteration on rank 0's clock, after the row's first
  double clock_error_us = 0;                  ///< by which entries of different ranks may be off
  // For training steps, each an iteration:
  std::vector<std::vector<double>> computation_us, exposed_us, hidden_us;
  std::vector<std::vector<double>> late_us;  ///< to the step's collectives, after the median rank, all together
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunContext& context) = 0;
  /// Written out when it returns, so that a crash loses nothing before. Throws if that fails.
  virtual void add(const Record& record, const Samples& samples) = 0;
  virtual void finish() = 0;
};

/// Hands everything to each of several sinks. If one throws, the others get it first.
class TeeSink final : public Sink {
 public:
  explicit TeeSink(std::vector<std::unique_ptr<Sink>> sinks) : sinks_(std::move(sinks)) {}
  void begin(const RunContext& context) override {
    for_each([&](Sink& sink) { sink.begin(context); });
  }
  void add(const Record& record, const Samples& samples) override {
    for_each([&](Sink& sink) { sink.add(record, samples); });
  }
  void finish() override {
    for_each([](Sink& sink) { sink.finish(); });
  }

 private:
  template <class Use>
  void for_each(Use use) {
    std::exception_ptr first;
    for (const auto& sink : sinks_) {
      try {
        use(*sink);
      } catch (...) {
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  }

  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace ringmark
