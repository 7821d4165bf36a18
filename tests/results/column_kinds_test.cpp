#include "results/column_kinds.hpp"

#include <gtest/gtest.h>

#include "results/columns.hpp"
#include "results/csv.hpp"

namespace ringmark {
namespace {

TEST(ColumnKinds, tell_choices_from_what_was_measured_and_what_was_pretended) {
  for (const char* choice : {"NCCL_ALGO", "tcp.sockets", "algorithm", "zero", "reduce-bucket", "overlap", "gradients"})
    EXPECT_TRUE(is_choice(choice)) << choice;
  for (const char* thing : {"sizes", "ranks", "ranks_per_node", "model", "pairs", "device"})
    EXPECT_FALSE(is_choice(thing)) << thing;
  for (const char* distortion : {"scale-compute", "compute_scale", "slow-down", "slow_down", "compute_used"})
    EXPECT_FALSE(is_choice(distortion)) << distortion;
}

TEST(ColumnKinds, tell_where_a_row_comes_from) {
  for (const char* origin : {"hosts", "version", "src_host", "dst_host"}) {
    EXPECT_TRUE(is_origin(origin)) << origin;
    EXPECT_FALSE(is_choice(origin)) << origin;
  }
  EXPECT_FALSE(is_origin("tcp.sockets"));
}

TEST(ColumnKinds, know_the_versions_of_libraries) {
  for (const char* version : {"nccl_version", "driver_version", "mpi_version", "ibverbs_version"}) {
    EXPECT_TRUE(is_library_version(version)) << version;
    EXPECT_FALSE(is_origin(version)) << "whether it is one depends on the other rows";
  }
  EXPECT_FALSE(is_library_version("version"));
}

TEST(ColumnKinds, know_every_rate) {
  auto columns = record_header();
  for (const auto& column : own_columns(Schema::replay)) columns.push_back(column);
  int rates = 0;
  for (const auto& column : columns) {
    const bool is_per_time = column.find("GBps") != std::string::npos || column.ends_with("_per_s");
    EXPECT_EQ(is_rate(column), is_per_time) << column;
    rates += is_per_time;
  }
  EXPECT_EQ(rates, 6);
}

}  // namespace
}  // namespace ringmark
