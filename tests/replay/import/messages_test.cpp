// Messages between two ranks, as calls of all ranks.
#include "replay/import/messages.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/replay/import/import_fixture.hpp"

namespace ringmark::replay {
namespace {

Message sent(int peer, std::uint64_t elements) { return {true, peer, elements, DataType::bfloat16}; }
Message received(int peer, std::uint64_t elements) { return {false, peer, elements, DataType::bfloat16}; }

TEST(Messages, to_all_ranks_are_an_all_to_all) {
  const auto call = call_of_messages({sent(0, 5), sent(1, 5), sent(2, 5), sent(3, 5), received(1, 5)}, 1, 4);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->collective, Collective::all_to_all);
  EXPECT_EQ(call->elements, 20U);
  EXPECT_FALSE(call->is_uneven);
  EXPECT_EQ(call->parts, std::vector<std::uint64_t>(4, 5)) << "another rank's may differ";
}

TEST(Messages, of_several_lengths_keep_their_counts) {
  const auto call = call_of_messages({sent(0, 5), sent(2, 7), sent(3, 1), received(1, 5)}, 1, 5);
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->is_uneven);
  EXPECT_EQ(call->elements, 13U);
  EXPECT_EQ(call->parts, (std::vector<std::uint64_t>{5, 0, 7, 1, 0}));
}

TEST(Messages, to_neighbours_are_a_send_recv) {
  for (const int peer : {3, 5}) {
    const auto call = call_of_messages({sent(peer, 9), received(8 - peer, 9)}, 4, 8);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->collective, Collective::send_recv);
    EXPECT_EQ(call->type, DataType::bfloat16);
    EXPECT_EQ(call->pattern, Pattern::neighbours);
    EXPECT_EQ(call->elements, 9U);
  }
  EXPECT_EQ(call_of_messages({sent(5, 9)}, 4, 8)->pattern, Pattern::ring);
  EXPECT_EQ(call_of_messages({sent(5, 9)}, -1, 8)->collective, Collective::send_recv);
  EXPECT_TRUE(call_of_messages({received(3, 9)}, 4, 8)->is_received);
}

TEST(Messages, to_two_ranks_are_neighbours_of_an_unknown_rank_if_they_are_of_one) {
  const auto kind = [](int a, int b, int ranks) {
    return call_of_messages({{true, a, 8, DataType::float32}, {false, b, 8, DataType::float32}}, -1, ranks)->collective;
  };
  EXPECT_EQ(kind(1, 3, 8), Collective::send_recv);
  EXPECT_EQ(kind(0, 6, 8), Collective::send_recv);
  EXPECT_EQ(kind(1, 2, 8), Collective::all_to_all);
}

TEST(Messages, of_several_types_or_without_data_are_no_call) {
  EXPECT_FALSE(call_of_messages({sent(1, 5), {true, 2, 5, DataType::float32}}, 0, 4));
  EXPECT_FALSE(call_of_messages({received(2, 5)}, 0, 5));  // from afar
  EXPECT_FALSE(call_of_messages({sent(2, 5)}, 0, 5));
  EXPECT_FALSE(call_of_messages({sent(7, 5), sent(1, 5)}, 0, 4));
  EXPECT_FALSE(call_of_messages({sent(1, 5)}, 0, 1));
}

std::string message_event(const std::string& name, int at, int peer, const std::string& more = "") {
  return fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": {}, "dur": 1, "args":
      {{"Collective name": "{}", "dtype": "BFloat16", "In msg nelems": 64, "Out msg nelems": 64, "Group size": 4,
        "Rank": {}, "Process Group Name": "pp"{}}}}})",
                     at, name, peer, more);
}

TEST(Messages, of_a_stage_are_those_that_it_sends) {
  const auto imported =
      only(import_text("k.json", R"({"distributedInfo": {"rank": 1, "world_size": 4}, "traceEvents": [)" +
                                     message_event("recv", 1, 0) + "," + message_event("send", 5, 2) + "," +
                                     message_event("recv", 9, 2) + "," + message_event("send", 12, 0) + "]}"));
  ASSERT_EQ(imported.calls.size(), 2U);
  for (const auto& call : imported.calls) {
    EXPECT_EQ(call.collective, Collective::send_recv);
    EXPECT_EQ(call.elements, 64U);
    EXPECT_FALSE(call.is_received);
  }
  EXPECT_TRUE(imported.not_understood.empty());
}

TEST(Messages, to_ranks_afar_are_told_by_the_place_in_the_group) {
  const auto recorded = [](int rank, const std::string& more) {
    return only(
        import_text("k.json", fmt::format(R"({{"distributedInfo": {{"rank": {}, "world_size": 16}},
        "traceEvents": [{},{}]}})",
                                          rank, message_event("send", 1, 2, more), message_event("send", 5, 1, more))));
  };
  const std::string members = R"(, "Process Group Ranks": "[3, 7, 11, 15]")";
  const auto first = recorded(3, members), second = recorded(7, members), unknown = recorded(3, "");
  EXPECT_EQ(first.calls.size(), 1U);
  EXPECT_EQ(first.not_understood.at("send"), 1) << "the first member is no neighbour of the third";
  EXPECT_EQ(second.calls.size(), 1U);
  EXPECT_EQ(second.not_understood.at("send"), 1) << "the second member is no neighbour of itself";
  EXPECT_EQ(unknown.calls.size(), 2U) << "one peer is taken for a neighbour";
}

TEST(Messages, of_an_execution_trace_go_by_the_rank_that_its_collectives_name) {
  const auto record = [](int id, const std::string& name, int rank_or_peer, const std::string& group, int start,
                         int stride, int size) {
    return fmt::format(
        R"({{"id": {0}, "ctrl_deps": 1, "name": "record_param_comms",
            "inputs": {{"values": [[], 1, ["0", ""], {2}, "{1}"], "types": []}},
            "attrs": [{{"name": "collective_name", "value": "{1}"}}, {{"name": "dtype", "value": "Float"}},
              {{"name": "in_msg_nelems", "value": 64}}, {{"name": "out_msg_nelems", "value": 64}},
              {{"name": "pg_name", "value": "{3}"}}, {{"name": "global_rank_start", "value": {4}}},
              {{"name": "global_rank_stride", "value": {5}}}, {{"name": "pg_size", "value": {6}}}]}})",
        id, name, rank_or_peer, group, start, stride, size);
  };
  const auto imported_with = [&](const std::string& collective) {
    return only(import_text("et.json", R"({"schema": "1.1.0-chakra.0.0.4", "nodes": [)" + collective +
                                           record(3, "send", 1, "pp", 2, 4, 4) + "," +
                                           record(4, "send", 2, "pp", 2, 4, 4) + "]}"));
  };
  // Rank 2 of 16 is the first of the ranks 2, 6, 10 and 14.
  const auto known = imported_with(record(2, "allreduce", 2, "all", 0, 1, 16) + ",");
  ASSERT_EQ(known.calls.size(), 2U);
  EXPECT_EQ(known.calls[1].collective, Collective::send_recv);
  EXPECT_EQ(known.not_understood.at("send"), 1) << "to the third";
  EXPECT_EQ(imported_with("").calls.size(), 2U) << "one peer is taken for a neighbour";
}

TEST(Messages, of_a_last_stage_are_those_that_it_receives) {
  const auto imported = only(import_text(
      "k.json", R"({"traceEvents": [)" + message_event("recv", 1, 0) + "," + message_event("recv", 5, 0) + "]}"));
  EXPECT_EQ(imported.calls.size(), 2U);
}

}  // namespace
}  // namespace ringmark::replay
