// Calls in a Kineto trace whose sizes are only in an annotation ("nccl:all_reduce", "gloo:broadcast"). PyTorch 1.9 to
// 2.2 write them so with NCCL, and later versions with Gloo.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "replay/import/import.hpp"

namespace ringmark::replay {

/// A call with the time of its kernel on the GPU, or else of the call on the host.
struct TimedCall {
  double begin_us, end_us;
  Call call;
  std::string group;  ///< its name
  CommunicatorSeen seen;
  bool is_on_device = false;
  std::optional<std::uint64_t> correlation;  ///< its kernel's
  std::optional<double> host_us;             ///< when the host called
};

/// A kernel of NCCL. Its launch on the host has the same correlation.
struct CollectiveKernel {
  double begin_us, end_us;
  std::optional<std::uint64_t> correlation;
  std::string function;
};

/// The place of a launch on the host.
struct Launch {
  double at_us;
  std::string thread;
};
using Launches = std::unordered_map<std::uint64_t, Launch>;  ///< by correlation

class AnnotatedCalls {
 public:
  explicit AnnotatedCalls(Imported& imported) : imported_(imported) {}

  /// Takes an event of the host; all but annotations and c10d's operators are ignored.
  void take(const nlohmann::json& event, const std::string& name, double begin_us, double end_us);
  /// The calls in the host's order. Where NCCL's kernels and their launches are recorded, the calls have the kernels'
  /// times; a call without a kernel is left out and counted.
  std::vector<TimedCall> finish(const std::vector<CollectiveKernel>& kernels, const Launches& launches);

  /// Times of calls without a size or a known type. PyTorch loses the size of a call that ends after the profiler.
  const std::vector<double>& unread_us() const { return unread_us_; }

 private:
  struct Annotation {
    std::string thread;
    double begin_us, end_us;
    Call call;
    int ranks = 0;  ///< as the sizes of input and output show it; 0 if they do not
  };
  /// An operator of c10d, which has a call's root and parts.
  struct Operator {
    double begin_us;
    std::string name;
    Collective collective;
    nlohmann::json args;
  };

  void take_message(const nlohmann::json& args, const std::string& name, double begin_us, double end_us);
  std::vector<TimedCall> typed_messages();
  void join_operators();
  bool is_of_a_group(const Annotation& annotation) const;
  TimedCall on_host(const Annotation& annotation) const;
  std::vector<TimedCall> on_device(const std::vector<CollectiveKernel>& kernels, const Launches& launches);

  Imported& imported_;
  std::vector<Annotation> annotations_;
  std::map<bool, std::vector<TimedCall>> messages_;  ///< by whether they are sent
  std::map<bool, std::vector<std::pair<double, DataType>>> message_types_;
  std::map<Collective, std::vector<Operator>> operators_;
  std::map<std::string, int> not_understood_;
  std::vector<double> unread_us_;
};

}  // namespace ringmark::replay
