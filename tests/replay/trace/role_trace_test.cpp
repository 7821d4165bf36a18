#include <sstream>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/trace/calls.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "replay/trace/show.hpp"

namespace ringmark::replay {
namespace {

using Ranks = std::vector<int>;

RoleTrace example() {
  const std::string text =
      "--num-layers 4 --hidden-size 64 --num-attention-heads 4 --vocab-size 500 --seq-length 64 --micro-batch-size 1 "
      "--global-batch-size 4 --bf16 --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size "
      "2 "
      "--num-virtual-stages-per-pipeline-rank 2 --num-experts 4 --expert-model-parallel-size 2 "
      "--moe-token-dispatcher-type alltoall --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather";
  return megatron::generate(megatron::read_arguments("args", text, 8).settings);
}

std::string written(const RoleTrace& trace) {
  std::ostringstream text;
  write_role_trace(trace, text);
  return text.str();
}

RoleTrace read(const std::string& text) {
  std::istringstream in(text);
  return read_role_trace(in, "step.jsonl");
}

std::string refusal_of(const std::string& text) {
  try {
    read(text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

/// The file with `from` in place of `to`, which it contains.
std::string changed(const std::string& from, const std::string& to) {
  auto text = written(example());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(RankGroup, members_lie_on_a_lattice) {
  const RankGroup group{"dp", {{2, 2}, {3, 8}}};
  EXPECT_EQ(group.size(), 6);
  EXPECT_EQ(group.members(11), (Ranks{1, 3, 9, 11, 17, 19}));
  EXPECT_EQ((RankGroup{"alone", {}}.members(5)), (Ranks{5}));
}

TEST(RoleTraceFile, is_read_as_it_was_written) {
  const auto trace = example();
  EXPECT_EQ(read(written(trace)), trace);
}

TEST(RoleTraceFile, has_the_unequal_parts_of_an_all_to_all) {
  auto trace = example();
  std::size_t group = 0;
  for (auto& pass : trace.passes) {
    for (auto& event : pass.events) {
      if (event.kind != EventKind::collective || event.collective != Collective::all_to_all) continue;
      group = static_cast<std::size_t>(event.group);
      event.counts = {1, 2, 3, 4};
      event.counts_ranks = 2;
    }
  }
  ASSERT_EQ(trace.groups[group].size(), 2);
  EXPECT_EQ(read(written(trace)), trace);
  const auto members = trace.groups[group].members(0);
  const auto calls_of = [&](int rank) {
    std::ostringstream text;
    write_calls(trace, rank, text);
    return text.str();
  };
  EXPECT_NE(calls_of(members[0]).find("\"counts\":[1,2]"), std::string::npos);
  EXPECT_NE(calls_of(members[1]).find("\"counts\":[3,4]"), std::string::npos);
  auto text = written(trace);
  text.replace(text.find("[1,2,3,4]"), 9, "[1,2,3]");
  EXPECT_NE(refusal_of(text).find("counts"), std::string::npos);
}

TEST(RoleTraceFile, names_the_line_and_the_field_that_are_wrong) {
  EXPECT_NE(refusal_of("").find("empty"), std::string::npos);
  EXPECT_NE(refusal_of(changed("steptrace/2", "steptrace/3")).find("schema"), std::string::npos);
  EXPECT_NE(refusal_of(changed("\"g\":\"tp\"", "\"g\":\"none\"")).find("'none'"), std::string::npos);
  EXPECT_NE(refusal_of(changed("\"role_stride\":4", "\"role_stride\":8")).find("role_stride"), std::string::npos);
  EXPECT_NE(refusal_of(changed("\"peer\":4", "\"peer\":9")).find("no peer"), std::string::npos);
  EXPECT_NE(refusal_of(changed("\"dims\":[[2,1]]", "\"dims\":[[2,0]]")).find("strides"), std::string::npos);
  const auto text = written(example());
  EXPECT_NE(refusal_of(text.substr(0, text.rfind('\n', text.size() - 2) + 1)).find("cut off"), std::string::npos);
  EXPECT_NE(refusal_of(text + "{}\n").find("more lines"), std::string::npos);
}

TEST(Calls, have_global_ranks_and_numbered_launches) {
  std::ostringstream text;
  write_calls(example(), 5, text);
  EXPECT_NE(text.str().find("\"group\":[4,5]"), std::string::npos);
  EXPECT_NE(text.str().find("\"peer\":1"), std::string::npos);
  EXPECT_EQ(text.str().find("\"group\":[5]"), std::string::npos) << "calls of one rank are left out";
}

TEST(ShowRoles, sums_up_the_calls_of_each_role) {
  const auto text = show(example(), true);
  EXPECT_NE(text.find("stage 1"), std::string::npos);
  EXPECT_NE(text.find("all_to_all"), std::string::npos);
  EXPECT_NE(text.find("forward of micro-batch 1, chunk 1"), std::string::npos);
}

}  // namespace
}  // namespace ringmark::replay
