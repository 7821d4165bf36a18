#include "replay/trace/trace_file.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "replay/generate/generate.hpp"
#include "replay/model/model_file.hpp"
#include "replay/trace/fingerprint.hpp"
#include "replay/trace/role_trace_file.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark::replay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

StepTrace parse(const std::string& text) {
  std::istringstream in(text);
  return read_trace(in, "t.jsonl");
}

std::string file_refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(TraceFile, that_is_something_else_is_refused_before_it_fills_the_memory) {
  const testing_support::ResultFolder folder;
  const auto file = folder.file("t.jsonl");
  for (const auto& text : {std::string(100'000, '['), std::string(17U << 20U, 'x'), std::string(), std::string("\n")}) {
    std::ofstream(file) << text;
    EXPECT_THROW(read_any_trace(file), BadUsage) << text.size();
    EXPECT_THROW(read_trace(file), BadUsage) << text.size();
  }
  for (const std::string odd : {"/dev/zero", "/dev/urandom", "/dev/full", "/dev/null", "/", "/no/such/file"}) {
    EXPECT_THROW(read_any_trace(odd), BadUsage) << odd;
    EXPECT_THROW(read_trace(odd), BadUsage) << odd;
  }
}

TEST(TraceFile, comes_back_as_it_was_written) {
  for (const auto* framework : {"deepspeed", "pytorch-ddp", "pytorch-fsdp"}) {
    StepSettings settings;
    settings.framework = *parse_framework(framework);
    settings.ranks = 16;
    settings.micro_steps = 2;
    if (settings.framework.kind == Framework::Kind::deepspeed) {
      settings.zero_stage = 3;
      settings.secondary_partition = 8;
      settings.quantized_gradients = true;
    }
    const auto trace = generate(load_model("opt-125m"), settings);
    std::ostringstream out;
    write_trace(trace, out);
    EXPECT_EQ(parse(out.str()), trace) << framework;
  }
}

TEST(TraceFile, keeps_windows_of_attention) {
  auto model = load_model("opt-125m");
  const std::function<void(Module&)> narrow = [&](Module& module) {
    if (module.name.ends_with("self_attn")) module.attention_window = 256;
    for (auto& child : module.children) narrow(child);
  };
  narrow(model.forward);
  const auto trace = generate(model, {});
  std::ostringstream out;
  write_trace(trace, out);
  EXPECT_EQ(parse(out.str()), trace);
  EXPECT_THAT(out.str(), HasSubstr(",256.0]"));
}

TEST(TraceFile, keeps_counts_and_patterns) {
  auto trace = parse(R"({"schema":"steptrace/1","params":{"N":2}}
{"i":0,"k":"coll","s":"comp","op":"all_to_all","n":8,"dt":"float32","counts":[2,6,4,0]}
{"i":1,"k":"coll","s":"comp","op":"send_recv","n":8,"dt":"float32","pattern":"neighbours"})");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.events[0].counts, (std::vector<std::uint64_t>{2, 6, 4, 0}));
  EXPECT_TRUE(operation_of(trace.events[0], 2).counts);
  EXPECT_FALSE(operation_of(trace.events[0], 4).counts) << "four counts of two ranks are no row of four";
  EXPECT_EQ(trace.events[1].pattern, Pattern::neighbours);
  std::ostringstream out;
  write_trace(trace, out);
  EXPECT_EQ(parse(out.str()), trace);
  const auto before = fingerprint(trace);
  trace.events[0].counts[1] = 5;
  EXPECT_NE(fingerprint(trace), before);
  for (const auto* wrong : {R"("counts":[1,2,3])", R"("counts":[1,-2])", R"("counts":"1,2")"}) {
    const auto text = fmt::format(R"({{"schema":"steptrace/1","params":{{"N":2}}}}
{{"i":0,"k":"coll","s":"comp","op":"all_to_all","n":8,"dt":"float32",{}}})",
                                  wrong);
    EXPECT_THAT(file_refusal(text), HasSubstr("counts")) << wrong;
  }
}

/// With these parameters in the header beside the ranks.
StepTrace with_parameters(const std::string& parameters) {
  return parse(R"({"schema":"steptrace/1","params":{"N":4,)" + parameters + "}}\n" +
               R"({"i":0,"k":"comp","s":"comp","us":5})");
}

TEST(TraceFile, tells_how_the_step_was_shaped) {
  const auto trace = with_parameters(
      R"("dtype":"bf16","gradients":"reduce_scatter","mine":7,"n":2,"overlap":"depth1","overlap_is_usual":false,"zero_stage":2)");
  EXPECT_EQ(trace.type, DataType::bfloat16);
  EXPECT_EQ(trace.gradients, Gradients::reduce_scatter);
  EXPECT_EQ(trace.ranks_per_node, 2);
  EXPECT_EQ(trace.overlap, Overlap::depth1);
  EXPECT_FALSE(trace.overlap_is_usual);
  EXPECT_EQ(trace.zero_stage, 2);
  EXPECT_THAT(trace.parameters, testing::ElementsAre(testing::Pair("mine", "7")));
  std::ostringstream out;
  write_trace(trace, out);
  EXPECT_THAT(out.str(), HasSubstr(R"("dtype":"bfloat16","gradients":"reduce_scatter","mine":7,"n":2,)"
                                   R"("overlap":"depth1","overlap_is_usual":false,"zero_stage":2})"));
}

TEST(TraceFile, has_the_passes_that_were_counted) {
  const std::string passes = R"("eager_passes_backward":3.25,"eager_passes_forward":4.5)";
  const auto trace = with_parameters(passes);
  EXPECT_EQ(trace.eager_passes, (Passes{4.5, 3.25}));
  EXPECT_THAT(trace.parameters, testing::IsEmpty());
  std::ostringstream out;
  write_trace(trace, out);
  EXPECT_THAT(out.str(), HasSubstr(passes));
  EXPECT_EQ(with_parameters(R"("eager_passes_forward":"many")").eager_passes, std::nullopt);
}

TEST(TraceFile, keeps_parameters_whose_values_it_does_not_know) {
  const auto trace = with_parameters(R"("dtype":"fp4","n":-1,"overlap":"some","zero_stage":"all")");
  EXPECT_FALSE(trace.type || trace.ranks_per_node || trace.overlap || trace.zero_stage);
  std::ostringstream out;
  write_trace(trace, out);
  EXPECT_THAT(out.str(), HasSubstr(R"("dtype":"fp4","n":-1,"overlap":"some","zero_stage":"all"})"));
}

const std::string header =
    R"json({"schema":"steptrace/1","ranks":4,"groups":{"dp":"world","node":"block(2)"},"streams":["comp","red"]}
)json";

TEST(TraceFile, as_others_write_it) {
  const auto trace = parse(header + R"({"i":20,"k":"comp","s":"comp","ph":"bwd","us":5,"d":[]}
{"i":21,"k":"wait","s":"red","on":[20]}
{"i":22,"k":"wait","s":"comp","stream":"red"}
{"i":23,"k":"mark","name":"bwd_allreduce","edge":"begin","d":[20]}
{"i":24,"k":"coll","s":"red","op":"all_reduce","n":7,"dt":"bf16","g":"node","d":[21]})");
  ASSERT_EQ(trace.events.size(), 4U);
  EXPECT_EQ(trace.events[2].after, std::vector{1});
  EXPECT_EQ(trace.events[3].phase, Phase::backward);
  EXPECT_EQ(trace.groups[static_cast<std::size_t>(trace.events[3].group)].members(3, 4), (std::vector{2, 3}));
}

TEST(TraceFile, a_wait_for_a_stream_is_for_its_last_work_and_not_for_the_host) {
  const auto trace = parse(header + R"({"i":1,"k":"comp","s":"comp","us":1000}
{"i":2,"k":"comp","s":"red","us":1}
{"i":3,"k":"hostsync","s":"comp","on":[2]}
{"i":4,"k":"wait","s":"red","stream":"comp"})");
  EXPECT_EQ(trace.events[3].after, std::vector{0});
}

TEST(TraceFile, that_lacks_events_or_has_them_in_another_order_is_refused) {
  StepSettings settings;
  settings.ranks = 4;
  settings.zero_stage = 2;
  std::ostringstream out;
  write_trace(generate(load_model("opt-125m"), settings), out);
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  const auto joined = [](const auto& some) { return fmt::format("{}", fmt::join(some, "")); };
  ASSERT_EQ(file_refusal(joined(lines)), "");
  EXPECT_THAT(file_refusal(joined(std::vector(lines.begin(), lines.begin() + 100))), HasSubstr(" 99"));
  auto holed = lines;
  holed.erase(holed.begin() + 50, holed.begin() + 60);
  EXPECT_THAT(file_refusal(joined(holed)), HasSubstr("out of order"));
  auto swapped = lines;
  std::swap(swapped[50], swapped[51]);
  EXPECT_THAT(file_refusal(joined(swapped)), HasSubstr("out of order"));
}

struct Defect {
  const char* line;
  const char* complaint;
};
class TraceDefects : public testing::TestWithParam<Defect> {};

TEST_P(TraceDefects, are_named_with_line_and_field) {
  try {
    parse(header + R"({"i":0,"k":"comp","us":1})" + "\n" + GetParam().line + "\n");
    FAIL() << "was accepted";
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), StartsWith("t.jsonl:3: "));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().complaint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TraceDefects,
    testing::Values(
        Defect{"{\"i\":1,\"k\":\"co", "expected a JSON object"}, Defect{"[1]", "expected a JSON object"},
        Defect{R"({"k":"comp","us":1})", "i: missing"}, Defect{R"({"i":0,"k":"comp","us":1})", "i: 0 appears twice"},
        Defect{R"({"i":-1,"k":"comp","us":1})", "i: expected a whole number"},
        Defect{R"({"i":1,"k":"comp"})", "us, fl or by: missing"},
        Defect{R"({"i":1,"k":"comp","us":-3})", "us: expected a non-negative number"},
        Defect{R"({"i":1,"k":"comp","us":1,"d":[7]})", "there is no event 7 before this one"},
        Defect{R"({"i":1,"k":"comp","us":1,"ph":"warm"})", "ph: expected fwd"},
        Defect{R"({"i":1,"k":"comp","us":1,"s":"blue"})", "s: 'blue' is not in the header, which has comp, red"},
        Defect{R"({"i":1,"k":"loop","body":[]})", "loops are not supported"},
        Defect{R"({"i":1,"k":"x"})", "k: expected comp"},
        Defect{R"({"i":1,"k":"coll","op":"all_shuffle","n":4,"dt":"float32"})", "op: 'all_shuffle' is unknown"},
        Defect{R"({"i":1,"k":"coll","op":"all_reduce","n":0,"dt":"float32"})", "n: expected a whole number from 1"},
        Defect{R"({"i":1,"k":"coll","op":"all_reduce","n":4.5,"dt":"float32"})", "n: expected a whole number"},
        Defect{R"({"i":1,"k":"coll","op":"all_reduce","n":4,"dt":"float33"})", "dt: 'float33'"},
        Defect{R"({"i":1,"k":"coll","op":"all_gather","n":6,"dt":"float32"})", "do not divide evenly among 4 ranks"},
        Defect{R"({"i":1,"k":"coll","op":"reduce","n":4,"dt":"float32","root":4})",
               "root: expected a whole number from 0 to 3"},
        Defect{R"({"i":1,"k":"coll","op":"all_reduce","n":4,"dt":"float32","g":"tp"})",
               "g: 'tp' is not in the header"}));

TEST(TraceFile, refuses_other_headers) {
  EXPECT_THAT(file_refusal(""), HasSubstr("empty"));
  EXPECT_THAT(file_refusal(header), HasSubstr("cut off"));
  EXPECT_THAT(file_refusal("{\"schema\":" + std::string(200'000, '[')), HasSubstr("nested"));
  EXPECT_THAT(file_refusal("{\"schema\":\"1.0.1\"}"), HasSubstr("expected \"steptrace/1\""));
  EXPECT_THAT(file_refusal(R"({"schema":"steptrace/1"})"), HasSubstr("ranks: missing"));
  EXPECT_THAT(file_refusal(R"json({"schema":"steptrace/1","ranks":4,"groups":{"n":"block(3)"}})json"),
              HasSubstr("does not divide"));
}

TEST(TraceFile, that_lacks_its_last_micro_steps_is_cut_off) {
  const auto text = [](int micro_steps) {
    return fmt::format(R"({{"schema":"steptrace/1","params":{{"N":2,"A":{}}}}})", micro_steps) +
           "\n{\"i\":0,\"k\":\"comp\",\"us\":1,\"ph\":\"fwd\",\"m\":0}\n{\"i\":1,\"k\":\"comp\",\"us\":1,\"ph\":"
           "\"fwd\",\"m\":1}\n";
  };
  EXPECT_EQ(parse(text(2)).micro_steps, 2);
  try {
    parse(text(8));
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr("the header says 8 micro-steps, but there are only events of 2"));
  }
}

TEST(Fingerprint, is_that_of_order_and_sizes_and_not_of_names) {
  StepSettings settings;
  settings.ranks = 4;
  settings.zero_stage = 2;
  settings.reduce_bucket = 1'000'000;
  const auto trace = generate(load_model("opt-125m"), settings);
  auto other = trace;
  other.id = other.model = "another";
  EXPECT_EQ(fingerprint(other), fingerprint(trace));
  const auto is_call = [](const Event& event) { return event.kind == EventKind::collective; };
  const auto call = std::find_if(other.events.begin(), other.events.end(), is_call);
  ++call->elements;
  EXPECT_NE(fingerprint(other), fingerprint(trace));
}

}  // namespace
}  // namespace ringmark::replay
