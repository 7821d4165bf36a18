// Steps in which ranks differ, recorded by PyTorch over Gloo; tests/replay/files/record_roles.py records them again.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "replay/trace/calls.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/replay/import/import_fixture.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Json = nlohmann::json;

const Json& recordings() {
  static const auto all = testing_support::recorded_json("role_steps");
  return all;
}

AnyTrace imported(const Json& traces, std::vector<std::string>& notes) {
  const testing_support::ResultFolder folder;
  std::vector<std::string> files;
  for (const auto& trace : traces) {
    files.push_back(folder.file("rank" + std::to_string(files.size())));
    std::ofstream(files.back()) << trace;
  }
  return import_files(files, {}, notes);
}

/// [operation, elements, ranks, peer], with -1 for no peer.
std::vector<Json> essence_of(const std::vector<Json>& calls, const char* ranks) {
  std::vector<Json> essence;
  for (const auto& call : calls) {
    if (call.at(ranks).size() > 1) essence.push_back({call["op"], call["n"], call[ranks], call.value("peer", -1)});
  }
  return essence;
}

std::vector<Json> calls_of(const AnyTrace& trace, int rank) {
  std::stringstream lines;
  write_calls(trace, rank, lines);
  std::vector<Json> calls;
  for (std::string line; std::getline(lines, line);) calls.push_back(Json::parse(line));
  return essence_of(calls, "group");
}

using Recording = std::tuple<const char*, const char*>;  ///< scenario and recorder

class RoleRecordings : public testing::TestWithParam<Recording> {};

TEST_P(RoleRecordings, have_the_calls_that_each_rank_made) {
  const auto& scenario = recordings().at(std::get<0>(GetParam()));
  std::vector<std::string> notes;
  const auto trace = imported(scenario.at(std::get<1>(GetParam())), notes);
  const auto& made = scenario.at("calls");
  for (int rank = 0; rank < static_cast<int>(made.size()); ++rank)
    EXPECT_EQ(calls_of(trace, rank), essence_of(made.at(static_cast<std::size_t>(rank)), "ranks")) << rank;
}

INSTANTIATE_TEST_SUITE_P(, RoleRecordings,
                         testing::Combine(testing::Values("pp2", "pp4", "gpipe", "interleaved", "tp2_pp2", "messages"),
                                          testing::Values("kineto", "et")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

TEST(RoleRecordingsOf, alike_stages_share_a_role) {
  std::vector<std::string> notes;
  const auto any = imported(recordings().at("tp2_pp2").at("et"), notes);
  const auto& trace = std::get<RoleTrace>(any);
  EXPECT_EQ(trace.roles.size(), 2U);
  EXPECT_EQ(trace.role_stride, 2);
  EXPECT_THAT(notes, Contains(HasSubstr("collectives name no group, and are assumed to be in block2")));
  EXPECT_THAT(notes, Contains(HasSubstr("messages name no group, and are assumed to be in stride2")));
}

TEST(RoleRecordingsOf, functional_collectives_have_the_group_that_they_name) {
  std::vector<std::string> notes;
  const auto trace = imported(recordings().at("dtensor").at("et"), notes);
  EXPECT_THAT(calls_of(trace, 3), Contains(Json({"all_reduce", 256, {2, 3}, -1})));
}

}  // namespace
}  // namespace ringmark::replay
