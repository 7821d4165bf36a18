#include "analysis/read/run_facts.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/programs/result_folder.hpp"

namespace ringmark::analysis {
namespace {

TEST(RunFacts, are_the_leaves_of_manifests) {
  const testing_support::ResultFolder folder;
  const auto made = folder.file("sweep"), broken = folder.file("broken"), without = folder.file("without");
  for (const auto& each : {made, broken, without}) std::filesystem::create_directory(each);
  std::ofstream(made + "/manifest.json")
      << R"({"seed": 1, "sittings": [{"nodes": {"a": {"kernel": "Linux"}}, "end": null}]})";
  std::ofstream(broken + "/manifest.json") << "{";
  const auto facts = run_facts({made, without, broken, folder.file("r.csv")});
  ASSERT_EQ(facts.size(), 3U);
  EXPECT_EQ(facts[0].folder + ": " + facts[0].what() + " = " + facts[0].value, made + ": seed = 1");
  EXPECT_EQ(facts[1].what() + " = " + facts[1].value, "sittings 1, nodes, a, kernel = Linux");
  EXPECT_EQ(facts[2].value, "is not JSON");
}

TEST(RunFacts, of_endless_nesting_are_cut_off) {
  const testing_support::ResultFolder folder;
  const auto lists = folder.file("lists"), objects = folder.file("objects");
  for (const auto& each : {lists, objects}) std::filesystem::create_directory(each);
  constexpr std::size_t depth = 100'000;
  std::ofstream(lists + "/manifest.json") << std::string(depth, '[') << std::string(depth, ']');
  std::ofstream deep(objects + "/manifest.json");
  for (std::size_t i = 0; i < depth; ++i) deep << R"({"a":)";
  deep << 1 << std::string(depth, '}');
  deep.close();
  const auto facts = run_facts({lists, objects});
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].keys.size(), 1U);
  EXPECT_EQ(facts[0].value, "…");
  EXPECT_EQ(facts[1].value, "…");
}

TEST(RunFacts, tell_the_hosts_of_a_sweep) {
  const std::vector<RunFact> facts{{"f", {"sittings 1", "nodes", "host-1", "host"}, "host-1"},
                                   {"f", {"run_id"}, "r1"},
                                   {"f", {"sittings 2", "nodes", "host-0", "host"}, "host-0"},
                                   {"g", {"run_id"}, "r2"},
                                   {"g", {"sittings 1", "nodes", "x", "host"}, "x"},
                                   {"f", {"note, nodes, x", "host"}, "a key with commas"}};
  EXPECT_EQ(hosts_of({"r1.1", "r1.2"}, facts), (std::vector<std::string>{"host-0", "host-1"}));
  EXPECT_EQ(hosts_of({"r1.1", "r2.7"}, facts).size(), 3U);
  EXPECT_TRUE(hosts_of({"r3.1"}, facts).empty());
}

}  // namespace
}  // namespace ringmark::analysis
