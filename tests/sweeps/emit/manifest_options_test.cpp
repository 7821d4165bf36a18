#include "sweeps/emit/manifest_options.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

std::string name_for(const std::string& sweep_file) { return completed({.results = "/results"}, sweep_file).name; }

TEST(ManifestOptions, have_a_name_after_the_sweep_file_unless_they_give_one) {
  EXPECT_EQ(name_for("sweeps/My_Sweep.2.yaml"), "ringmark-my-sweep-2");
  EXPECT_EQ(name_for("ends_.yaml"), "ringmark-ends");
  EXPECT_EQ(name_for(std::string(60, 'x') + ".yaml"), "ringmark-" + std::string(31, 'x'));
  EXPECT_EQ(completed({.results = "/results", .name = "eu"}, "a.yaml").name, "eu");
}

TEST(ManifestOptions, have_results_in_a_folder_of_the_volume) {
  const auto results_of = [](const std::string& results) {
    return completed({.results = results, .name = "eu"}, "a.yaml").results;
  };
  EXPECT_EQ(results_of("/results"), "/results/eu");
  EXPECT_EQ(results_of("/results//"), "/results/eu");
  EXPECT_EQ(results_of("/results/first/"), "/results/first");
  for (const auto* results : {"/results/first", "/results/a/b", "/results/eu"})
    EXPECT_EQ(volume_of({.results = results}), "/results") << results;
}

TEST(ManifestOptions, that_kubernetes_would_not_take_are_refused) {
  const auto flag_of = [](const ManifestOptions& options) {
    try {
      completed(options, "a.yaml");
      return std::string();
    } catch (const BadUsage& error) {
      return error.problems().at(0).flag;
    }
  };
  EXPECT_EQ(flag_of({.results = "/results", .name = std::string(40, 'a')}), "");
  const std::string too_long(41, 'a');
  for (const auto& name : {"Upper", "-a", "a-", "9", "a_b", "a\nkind: Secret", too_long.c_str()})
    EXPECT_EQ(flag_of({.results = "/results", .name = name}), "--name") << name;
  for (const auto* results : {"", "/", "results", "/results/../etc", "/results/a\nb", "/results/\x1b"})
    EXPECT_EQ(flag_of({.results = results}), "--output") << results;
  for (const auto* image : {"", "a\nb", "a b", "a\x1b[0m", "a\u202e"})
    EXPECT_EQ(flag_of({.results = "/results", .image = image}), "--image") << image;
  const std::string longest(253, 'a'), longer(254, 'a');
  for (const auto* claim : {"", "A B", "a\n evil: 1", "a..b", ".a", "a.", "-a", "a-.b", "a_b", longer.c_str()})
    EXPECT_EQ(flag_of({.results = "/results", .claim = claim}), "--claim") << claim;
  for (const auto& claim : {std::string("results"), std::string("data-0.eu1"), std::string("9"), longest})
    EXPECT_EQ(flag_of({.results = "/results", .image = "ghcr.io/x/ringmark:1.2@sha256:abc", .claim = claim}), "");
}

}  // namespace
}  // namespace ringmark::sweep
