// The start and the end of a rank's step, outside its passes.
#pragma once

#include <memory>
#include <vector>

#include "replay/generate/torchtitan/chunk_passes.hpp"

namespace ringmark::replay::torchtitan {

class StepEnd {
 public:
  using Chunks = std::vector<std::unique_ptr<Chunk>>;
  using Passes = std::vector<std::unique_ptr<ChunkPasses>>;

  /// All must outlive this.
  StepEnd(const Settings& settings, const Chunks& chunks, const Passes& passes)
      : settings_(settings), chunks_(chunks), passes_(passes) {}

  /// Counts the tokens of all samples; the loss is divided by this number.
  static void count_tokens(PassBuilder& pass);
  /// The norm of all gradients.
  void clip(PassBuilder& pass) const;
  void optimize(PassBuilder& pass) const;
  /// Sums how often each expert was chosen, which adjusts its bias, and the loss for the log.
  void report(PassBuilder& pass) const;

 private:
  void norm(PassBuilder& pass, bool of_experts, std::initializer_list<Over> over) const;

  const Settings& settings_;
  const Chunks& chunks_;
  const Passes& passes_;
};

}  // namespace ringmark::replay::torchtitan
