#include "replay/flags/sharding_flags.hpp"

#include <fmt/format.h>

#include "base/flags/option.hpp"

namespace ringmark::replay {

void ShardingFlags::declare() {
  constexpr int most_ranks_of_a_copy = 1 << 20;
  std::vector<std::pair<std::string, ShardingStrategy>> strategies;
  for (const auto& [word, strategy] : sharding_strategies) strategies.emplace_back(word, strategy);
  flags_
      .choice("--sharding-strategy", strategy_, strategies,
              "FSDP: which tensors are sharded, and whether layers free their weights after the forward pass")
      .default_is("FULL_SHARD");
  flags_.number(
      "--shard-degree", shard_degree_, 2, most_ranks_of_a_copy,
      "FSDP2, and FSDP's hybrid strategies: ranks over which one copy is sharded; by default all, or a node's");
  flags_.word(
      "--reshard-after-forward", "true|false|N", "true, and false for the root",
      [this](const std::string& word) { return take_reshard(word); },
      "FSDP2: whether units free their weights after the forward pass; N: keep a copy sharded over N ranks");
  flags_
      .choice("--wrap", wraps_root_only_, {{"layers", false}, {"root", true}},
              "FSDP and FSDP2: layers: a unit for each layer, and one for the rest; root: one unit for the whole model")
      .default_is("layers");
  std::vector<std::pair<std::string, BackwardPrefetch>> prefetches;
  for (const auto& [word, prefetch] : backward_prefetches) prefetches.emplace_back(word, prefetch);
  flags_
      .choice("--backward-prefetch", backward_prefetch_, prefetches,
              "FSDP: when the backward pass gathers the next unit: BACKWARD_PRE, BACKWARD_POST or NO_PREFETCH")
      .default_is("BACKWARD_PRE");
  flags_.toggle("--forward-prefetch", forward_prefetch_, "FSDP: prefetch the next unit in the forward pass");
  flags_.toggle("--use-orig-params", use_orig_params_,
                "FSDP: use_orig_params, which aligns tensors in PyTorch 2.1 and later");
  flags_.toggle("--no-sync", no_sync_, "FSDP and FSDP2: reduce gradients only in the last micro-step");
}

std::string ShardingFlags::take_reshard(const std::string& word) {
  int ranks = 0;
  if (word == "true" || word == "false") {
    reshard_ = word == "true";
  } else if (read_number(word, 2, 1 << 20, ranks)) {
    reshard_ = ranks;
  } else {
    return "give true, false, or a number of ranks, at least 2";
  }
  return "";
}

void ShardingFlags::settle(StepSettings& settings) const {
  const bool is_first = settings.framework.kind == Framework::Kind::pytorch_fsdp;
  const bool is_second = settings.framework.kind == Framework::Kind::pytorch_fsdp2;
  if (!is_first) {
    for (const char* flag : {"--sharding-strategy", "--backward-prefetch", "--forward-prefetch", "--use-orig-params"}) {
      if (flags_.is_given(flag))
        flags_.problem(flag, fmt::format("is for FSDP, not for {}", settings.framework.text()),
                       "give --framework pytorch-fsdp");
    }
  }
  if (reshard_ && !is_second)
    flags_.problem(
        "--reshard-after-forward", fmt::format("is for FSDP2, not for {}", settings.framework.text()),
        is_first ? "give --sharding-strategy, or --framework pytorch-fsdp2" : "give --framework pytorch-fsdp2");
  if (!is_first && !is_second) {
    for (const char* flag : {"--shard-degree", "--wrap", "--no-sync"}) {
      if (flags_.is_given(flag))
        flags_.problem(flag, fmt::format("is for FSDP and FSDP2, not for {}", settings.framework.text()),
                       "give --framework pytorch-fsdp or pytorch-fsdp2");
    }
    return;
  }
  auto& sharding = settings.sharding;
  sharding.strategy = strategy_.value_or(sharding.strategy);
  sharding.degree = shard_degree_;
  sharding.reshard_after_forward = reshard_;
  sharding.wraps_root_only = wraps_root_only_.value_or(false);
  sharding.backward_prefetch = backward_prefetch_.value_or(sharding.backward_prefetch);
  sharding.forward_prefetch = forward_prefetch_;
  sharding.use_orig_params = use_orig_params_;
  sharding.no_sync = no_sync_;
}

}  // namespace ringmark::replay
