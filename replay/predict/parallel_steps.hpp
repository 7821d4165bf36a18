// Steps that somebody measured with tensor, pipeline, context or expert parallelism, as rows of a table.
#pragma once

#include <string>
#include <vector>

#include "replay/generate/megatron/settings.hpp"
#include "replay/predict/network.hpp"
#include "replay/step/operator_time.hpp"
#include "replay/step/software.hpp"
#include "results/csv.hpp"

namespace ringmark::replay {

struct ParallelStep {
  std::string id, family, device;
  std::string refused;  ///< why it cannot be predicted; empty if it can
  megatron::Settings settings;
  Links links;
  Software::Kind software = Software::Kind::megatron_core;
  ProductType products = ProductType::models;
  bool has_graphs = false;  ///< kernels are launched by CUDA graphs
  double step_s = 0;
};

/// True if the header has the columns of such a table: tp, pp and global_batch.
bool has_parallel_steps(const CsvRow& header);

/// The columns are those of docs/reference/step-tables.md. A row that lacks something, or whose software is none of
/// ours, is kept with the reason. Throws BadUsage, with the line, for cells that cannot be read.
std::vector<ParallelStep> read_parallel_steps(const std::string& file, const std::vector<CsvRow>& rows);

}  // namespace ringmark::replay
