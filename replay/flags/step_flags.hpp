// The flags that describe a step: the same for generate, run and predict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/flags/flags.hpp"
#include "replay/flags/parallel_flags.hpp"
#include "replay/flags/sharding_flags.hpp"
#include "replay/generate/ds_config.hpp"
#include "replay/model/model.hpp"

namespace ringmark::replay {

class StepFlags {
 public:
  explicit StepFlags(Flags& flags) : flags_(flags), sharding_(flags), parallel_(flags) {}

  void declare();
  /// Also declares the flags of tensor, pipeline, context and expert parallelism.
  void declare_parallel() { parallel_.declare(); }
  /// True if flags describe the step rather than the file `trace`. Adds a problem if both do, or if neither does and
  /// `is_needed`.
  bool describe_a_step(const std::string& trace, bool is_needed = true) const;
  /// The step with roles, if the flags ask for one: other parallelism than data parallelism, Megatron or torchtitan.
  std::optional<RoleStep> interpret_parallel(int ranks) const;
  /// The value of --ranks-per-node, if given. Also allowed with a trace, since it describes the network.
  std::optional<int> ranks_per_node() const { return ranks_per_node_; }
  /// The value of --software, if given. Also allowed with a trace.
  std::optional<Software::Kind> software() const { return software_; }

  /// The step that the flags and the ds_config describe, on `ranks` ranks.
  struct Step {
    Model model;
    StepSettings settings;
    std::vector<std::string> notes;
  };
  Step interpret(int ranks) const;

 private:
  bool is_parallel() const;
  template <class Value>
  void settle(const char* flag, const std::optional<Value>& given, const std::optional<Value>& configured,
              Value& to) const;
  void refuse_other_frameworks() const;
  std::optional<RoleStep> read_file_of_step(int ranks) const;
  void refuse_all_but(const std::vector<std::string>& allowed, const std::string& by) const;
  DsConfig read_config(const Model& model, int ranks) const;
  void settle_common(StepSettings& settings, const DsConfig& config) const;
  void settle_deepspeed(StepSettings& settings) const;
  void settle_other(StepSettings& settings) const;

  Flags& flags_;
  ShardingFlags sharding_;
  ParallelFlags parallel_;
  std::vector<std::string> names_;  ///< of the flags that describe a step
  std::string model_, ds_config_;
  Framework framework_;
  bool is_torchtitan_ = false;  ///< `framework_` is then unused
  std::optional<int> zero_, grad_accum_, parameter_groups_, ranks_per_node_;
  std::optional<std::uint64_t> micro_batch_, sequence_, reduce_bucket_;
  std::optional<DataType> type_, reduce_type_;
  std::optional<Overlap> overlap_;
  std::optional<bool> scatters_;
  std::optional<Software::Kind> software_;
  std::optional<double> bucket_cap_MiB_, clip_norm_;
  Recompute recompute_;
  bool finds_unused_ = false;
};

}  // namespace ringmark::replay
