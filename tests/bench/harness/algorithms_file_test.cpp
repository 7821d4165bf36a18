#include "bench/harness/algorithms_file.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr ChoiceKey key{Collective::all_reduce, 8, 4, 65536};

class AlgorithmsFileTest : public testing::Test {
 protected:
  ChosenAlgorithms read(Transport transport) const {
    return chosen_algorithms(path, read_algorithms_file(path), transport);
  }
  testing_support::ResultFolder folder;
  std::string path = folder.path() + "/choices";
};

TEST_F(AlgorithmsFileTest, has_the_last_choice_of_each_operation_by_transport) {
  EXPECT_THAT(read(Transport::tcp), IsEmpty()) << "it does not exist yet";
  append_to_algorithms_file(path, Transport::tcp, key, "ring");
  append_to_algorithms_file(path, Transport::verbs, key, "halving_doubling");
  append_to_algorithms_file(path, Transport::tcp, key, "recursive_doubling");
  EXPECT_THAT(read(Transport::tcp), ElementsAre(Pair(key, "recursive_doubling")));
  EXPECT_THAT(read(Transport::verbs), ElementsAre(Pair(key, "halving_doubling")));
}

TEST_F(AlgorithmsFileTest, goes_on_after_a_line_that_was_cut_off) {
  append_to_algorithms_file(path, Transport::tcp, key, "ring");
  const auto cut_off = std::filesystem::file_size(path) * 2 - 3;
  append_to_algorithms_file(path, Transport::tcp, key, "ring");
  std::filesystem::resize_file(path, cut_off);
  EXPECT_THAT(read(Transport::tcp), ElementsAre(Pair(key, "ring")));
  append_to_algorithms_file(path, Transport::tcp, {Collective::all_gather, 8, 4, 65536}, "bruck");
  EXPECT_EQ(read(Transport::tcp).size(), 2U);
}

TEST_F(AlgorithmsFileTest, refuses_another_file_without_a_last_line_end) {
  append_to_algorithms_file(path, Transport::tcp, key, "ring");
  std::string whole_choice = read_algorithms_file(path);
  whole_choice.pop_back();
  for (const auto& text : {std::string(R"({"x":1})"), std::string(R"({"algorithm":"ring","x":1})"), whole_choice,
                           std::string("notes"), std::string(5000, 'x'), std::string("{\n"), std::string(1, '\0')}) {
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_THROW(read(Transport::tcp), BadUsage) << text;
  }
  for (const auto* text :
       {"{", R"({"algor)", R"({"algorithm":"ri)", R"({"algorithm":"ring","collective":"all_reduce")"}) {
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_THAT(read(Transport::tcp), IsEmpty()) << text;
  }
}

TEST_F(AlgorithmsFileTest, refuses_what_is_no_choice_by_its_line) {
  append_to_algorithms_file(path, Transport::tcp, key, "ring");
  std::ofstream(path, std::ios::app) << "size,algorithm\n";
  try {
    read(Transport::tcp);
    FAIL();
  } catch (const BadUsage& error) {
    EXPECT_THAT(error.what(), HasSubstr(path + " line 2"));
  }
  std::ofstream(path) << R"({"schema": "algorithms/1", "transport": "tcp", "collective": "all_gather", "ranks": 8,)"
                      << R"( "nodes": 8, "size_bytes": 8, "algorithm": "two_level"})"
                      << "\n";
  EXPECT_THROW(read(Transport::tcp), BadUsage) << "all_gather has no such algorithm";
  EXPECT_THROW(read_algorithms_file(folder.path() + "/none/choices"), BadUsage);
}

}  // namespace
}  // namespace ringmark
