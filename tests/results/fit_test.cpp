#include "results/fit.hpp"

#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"

namespace ringmark {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(FitFile, is_read_as_it_was_written) {
  FitModel model{.transport = "tcp",
                 .network = "eth0",
                 .memory = "host",
                 .collective = "all_reduce",
                 .datatype = "float32",
                 .op = "sum",
                 .timing = "each",
                 .settings = "tcp.sockets=2",
                 .in_place = 1,
                 .algorithm = "ring",
                 .is_assumed = true,
                 .ranks_per_node = 2,
                 .segments = {{1, 1024, 30, 0.01, Interval{29, 31}, std::nullopt, 2.5, 7}, {2048, 1e6, 40, 0.008}},
                 .from_bytes = 1024,
                 .to_bytes = 1 << 20,
                 .ranks = {2, 4},
                 .launches = 5,
                 .by_size = HeldOut{1.5, 9, 12},
                 .run_ids = {"a", "b"},
                 .hosts = {"h1"},
                 .first_utc = "2026-01-02T03:04:05Z",
                 .last_utc = "2026-01-02T03:05:05Z"};
  const FitLinks links{.network = "ib",
                       .settings = "NCCL_NET=IB",
                       .between = FitLink{12, 380},
                       .within = FitLink{{}, 410},
                       .ranks_per_node = 8,
                       .nodes = {1, 2},
                       .launch_us = 8,
                       .from_bytes = 8,
                       .to_bytes = 1 << 30,
                       .residual_percent = 2.5,
                       .points = 60,
                       .run_ids = {"r1"},
                       .hosts = {"a", "b"},
                       .caveats = {PollingOnSharedCores{.ranks = 4, .cores = 2}}};
  const Fit fit{{model}, {{"tcp", "eth0", 131072, 0.1}}, {links, {.within = FitLink{3, 400}}}};
  EXPECT_EQ(fit_from_json(to_json(fit)), fit);
}

TEST(FitFile, may_be_written_by_hand) {
  const auto fit = fit_from_json(R"({"schema": "fit/1", "models": [{"transport": "tcp", "network": "tcp",
    "collective": "all_reduce", "algorithm": "ring", "segments": [{"alpha_us": 35, "beta_us_per_byte": 0.008}]}]})");
  ASSERT_EQ(fit.models.size(), 1U);
  EXPECT_EQ(fit.models[0].to_bytes, std::numeric_limits<std::uint64_t>::max()) << "holds for all sizes";
  EXPECT_EQ(fit.models[0].segments.at(0).alpha_us, 35);
  EXPECT_EQ(fit_from_json(to_json(fit)), fit);
}

TEST(FitFile, that_is_none_is_told) {
  const std::string model = R"({"transport":"tcp","collective":"all_reduce")";
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "not a valid fit/1 file"},
           {"{}", "its schema is not fit/1"},
           {"[]", "its schema is not fit/1"},
           {R"({"schema":"fit/2","models":[]})", "its schema is not fit/1"},
           {R"({"schema":"fit/1"})", "it has no models"},
           {R"({"schema":"fit/1","models":[{}]})", "a model without transport"},
           {R"({"schema":"fit/1","models":[)" + model + "}]}", "a model without algorithm"},
           {R"({"schema":"fit/1","models":[)" + model + R"(,"algorithm":"ring","segments":[]}]})",
            "a model without segments"},
           {R"({"schema":"fit/1","models":[)" + model + R"(,"algorithm":"ring","ranks":[1e30],"segments":[]}]})",
            "ranks: 1e+30 is not a whole number"},
           {R"({"schema":"fit/1","models":[)" + model + R"(,"algorithm":"ring","from_bytes":-1,"segments":[]}]})",
            "from_bytes: -1 is not a whole number"},
           {R"({"schema":"fit/1","models":[)" + model +
                R"(,"algorithm":"ring","segments":[{"alpha_us":-1,"beta_us_per_byte":0}]}]})",
            "a negative alpha_us or beta_us_per_byte"},
           {R"({"schema":"fit/1","models":[],"bursts":[{}]})", "not a valid fit/1 file"},
           {R"({"schema":"fit/1","models":[],"bursts":[{"transport":"tcp","network":"","bytes":1,"GBps":0}]})",
            "a burst needs"},
           {R"({"schema":"fit/1","models":[],"nccl_links":[{"between":{"GBps":0}}]})", "alpha_us must not be negative"},
           {R"({"schema":"fit/1","models":[],"nccl_links":[{"ranks_per_node":0}]})", "links need"}}) {
    EXPECT_THAT([read = text] { fit_from_json(read); }, ThrowsMessage<std::invalid_argument>(HasSubstr(words))) << text;
  }
  const testing_support::ResultFolder folder;
  const auto file = folder.file("f.json");
  EXPECT_THAT([&] { read_fit(file); }, ThrowsMessage<BadUsage>(HasSubstr("--fit " + file)));
  std::ofstream(file) << "{}";
  EXPECT_THAT([&] { read_fit(file); }, ThrowsMessage<BadUsage>(HasSubstr("fit/1")));
  std::ofstream(file) << std::string(100'000, '[');
  EXPECT_THAT([&] { read_fit(file); }, ThrowsMessage<BadUsage>(HasSubstr("nested")));
  std::ofstream(file) << "{" << std::string(65U << 20U, ' ') << "}";
  EXPECT_THAT([&] { read_fit(file); }, ThrowsMessage<BadUsage>(HasSubstr("larger than 64 MiB")));
}

TEST(FitFile, bursts_of_a_network_are_those_of_the_transport_or_else_of_another) {
  const Fit fit{{}, {{"tcp", "eth0", 1, 1}, {"mpi", "eth0", 2, 1}, {"tcp", "eth1", 3, 1}}};
  EXPECT_EQ(burst_of(fit, "mpi", "eth0")->bytes, 2);
  EXPECT_EQ(burst_of(fit, "verbs", "eth0")->bytes, 1);
  EXPECT_EQ(burst_of(fit, "mpi", "eth1")->bytes, 3);
  EXPECT_EQ(burst_of(fit, "mpi", "eth2"), nullptr);
}

}  // namespace
}  // namespace ringmark
