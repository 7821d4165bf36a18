#include "replay/trace/trace_header.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A header with these fields beside the schema.
TraceHeader parsed_header(const std::string& fields) {
  std::istringstream in("{\"schema\":\"steptrace/1\"," + fields + "}\n");
  const std::string file = "t.jsonl";
  JsonLines lines(in, file);
  EXPECT_TRUE(lines.next_line());
  return read_trace_header(lines.parse(), lines);
}

std::string header_refusal(const std::string& fields) {
  try {
    parsed_header(fields);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(TraceHeader, has_the_facts_of_the_step) {
  const auto header = parsed_header(
      R"("id":"a","model":"opt","source":"me","P":7,"params":{"N":8,"A":3,"b_gpu":2,"s":128,"mine":"yes"},"events":41)");
  EXPECT_EQ(header.events, 41U);
  const auto& trace = header.trace;
  EXPECT_EQ(trace.id, "a");
  EXPECT_EQ(trace.model, "opt");
  EXPECT_EQ(trace.source, "me");
  EXPECT_EQ(trace.model_elements, 7U);
  EXPECT_EQ(trace.ranks, 8);
  EXPECT_EQ(trace.micro_steps, 3);
  EXPECT_EQ(trace.micro_batch, 2U);
  EXPECT_EQ(trace.sequence, 128U);
  EXPECT_THAT(trace.parameters, ElementsAre(testing::Pair("mine", "yes")));
}

TEST(TraceHeader, needs_the_ranks_alone) {
  const auto header = parsed_header(R"("ranks":4)");
  EXPECT_EQ(header.events, std::nullopt);
  StepTrace expected;
  expected.ranks = 4;
  EXPECT_EQ(header.trace, expected);
}

TEST(TraceHeader, has_streams_memory_and_groups_of_ranks) {
  const auto trace =
      parsed_header(
          R"json("ranks":8,"streams":["comp","red"],"groups":{"all":"world","node":"block(4)","rail":"stride(2)"},)json"
          R"("memory":[{"what":"weights","bytes":1e9,"grows":false},{"what":"activations","bytes":5,"grows":true}])")
          .trace;
  EXPECT_THAT(trace.streams, ElementsAre("comp", "red"));
  EXPECT_THAT(trace.groups, ElementsAre(Group{"all", Group::Kind::world, 1}, Group{"node", Group::Kind::block, 4},
                                        Group{"rail", Group::Kind::stride, 2}));
  EXPECT_THAT(trace.memory, ElementsAre(MemoryPart{"weights", 1e9, false}, MemoryPart{"activations", 5, true}));
}

TEST(TraceHeader, gives_each_group_a_channel_where_it_names_none) {
  const std::string groups = R"json("ranks":8,"groups":{"all":"world","node":"block(4)"})json";
  EXPECT_THAT(parsed_header(groups).trace.channels, ElementsAre(Channel{"all", 0}, Channel{"node", 1}));
  EXPECT_THAT(parsed_header(groups + R"(,"channels":{"a":"node","b":"all","c":"node"})").trace.channels,
              ElementsAre(Channel{"a", 1}, Channel{"b", 0}, Channel{"c", 1}));
}

struct WrongHeader {
  const char* fields;
  const char* complaint;
};
class WrongHeaders : public testing::TestWithParam<WrongHeader> {};

TEST_P(WrongHeaders, are_refused_with_line_and_field) {
  const auto text = header_refusal(GetParam().fields);
  EXPECT_THAT(text, StartsWith("t.jsonl:1: "));
  EXPECT_THAT(text, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongHeaders,
    testing::Values(
        WrongHeader{R"("id":"a")", "ranks: missing"},
        WrongHeader{R"("ranks":0)", "ranks: expected a whole number from 1"},
        WrongHeader{R"("params":[4])", "params: expected an object, found [4]"},
        WrongHeader{R"("params":{"N":4,"A":0})", "A: expected a whole number from 1 to 1000000"},
        WrongHeader{R"("ranks":4,"events":-1)", "events: expected a whole number"},
        WrongHeader{R"("ranks":4,"memory":{})", "memory: expected a list of at most 64 parts"},
        WrongHeader{R"("ranks":4,"memory":[{"what":"weights","bytes":1}])", "memory: expected {\"what\""},
        WrongHeader{R"("ranks":4,"streams":[])", "streams: expected a list of 1 to 64 names"},
        WrongHeader{R"("ranks":4,"streams":[1])", "streams: expected names, found 1"},
        WrongHeader{R"("ranks":4,"groups":{})", "groups: expected an object of 1 to 64 names"},
        WrongHeader{R"("ranks":4,"groups":{"n":"ring"})", "groups: n: expected world, block(n) or stride(n)"},
        WrongHeader{R"json("ranks":4,"groups":{"n":"block(3)"})json",
                    "groups: n: block(3) does not divide the 4 ranks"},
        WrongHeader{R"json("ranks":4,"groups":{"n":"stride(0)"})json", "groups: n: expected world"},
        WrongHeader{R"("ranks":4,"channels":[])", "channels: expected an object of 1 to 64 names"},
        WrongHeader{R"("ranks":4,"channels":{"a":1})", "channels: a: expected the name of a group, found 1"},
        WrongHeader{R"("ranks":4,"channels":{"a":"tp"})", "channels: 'tp' is not in the header, which has dp"}));

}  // namespace
}  // namespace ringmark::replay
