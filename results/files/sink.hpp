// Where results go. The measuring loop calls one Sink and does not know about formats.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// The path that a run measures, as far as it is known before the first row.
struct MeasuredPath {
  std::optional<Transport> transport;
  std::optional<MemoryKind> memory;
  std::optional<Network> network;
  std::string doubt{};  ///< why this is probably not the intended path, as text
};

struct RankPlace {
  std::string host;
  std::string place{};  ///< on the host, as text: an address, a port, a GPU
};

/// "node1 (10.0.0.1:4000)"
std::string in_words(const RankPlace& rank);

/// The description of a run, written once, so that a number can be traced back to its origin.
struct RunContext {
  std::string run_id;
  std::string program;
  std::vector<std::string> arguments;
  /// Further facts by name: versions, host, processor, kernel, interface, allow-listed environment variables.
  std::map<std::string, std::string> facts;
  std::map<std::string, std::string> environment;
  std::vector<RankPlace> ranks;
  MeasuredPath path;
};

/// The raw data behind a record: [rank][iteration], in microseconds. Missing data are empty.
struct Samples {
  std::vector<std::vector<double>> time_us;
  /// Start of each iteration on rank 0's clock, relative to the row's first.
  std::vector<std::vector<double>> entry_us;
  double clock_error_us = 0;  ///< bound on the offset between ranks' entries
  // For training steps, where each is an iteration:
  std::vector<std::vector<double>> computation_us, exposed_us, hidden_us;
  std::vector<std::vector<double>> late_us;  ///< lateness behind the median rank, summed over the step's collectives
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunContext& context) = 0;
  /// The row is flushed when this returns, so a crash loses nothing earlier. Throws if that fails.
  virtual void add(const Record& record, const Samples& samples) = 0;
  virtual void finish() = 0;
};

/// Passes everything to several sinks. If one throws, the others still get it.
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
