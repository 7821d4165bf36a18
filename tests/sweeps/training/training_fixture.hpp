// A training run in a folder of its own: a small model, DeepSpeed's configuration, and the file of tune-run.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "sweeps/training/step_space.hpp"
#include "tests/base/problem_texts.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::sweep {

class TrainingFixture : public testing::Test {
 protected:
  TrainingFixture() {
    write("model.json", R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 688,
      "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 2000,
      "max_position_embeddings": 512, "tie_word_embeddings": false})");
    write("ds.json", R"({/* mine */ "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4,
      "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}})");
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_.file(name)) << text; }

  /// A run with the model and its configuration; `rest` are further lines.
  TrainingRun run(const std::string& rest = "") const {
    return read(
        "model: model.json\nds_config: ds.json\nstep: {sequence: 256}\ncompute: {device: a100}\n"
        "network: {alpha-us: 20, bandwidth-GBps: 0.5}\nranks: 4\n" +
        rest);
  }
  TrainingRun read(const std::string& text, const Overrides& overrides = {}) const {
    return read_training_run(text, folder_.file("run.yaml"), overrides);
  }
  std::string steps() const { return folder_.file("steps"); }

  static std::vector<std::string> problems(const std::function<void()>& action) {
    try {
      action();
    } catch (const BadUsage& error) {
      return testing_support::texts(error.problems());
    }
    return {};
  }

  testing_support::ResultFolder folder_;
};

}  // namespace ringmark::sweep
