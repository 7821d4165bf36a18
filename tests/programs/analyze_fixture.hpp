// ringmark-analyze over the results of a sweep that never ran.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/tables.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

class AnalyzeFixture : public testing::Test {
 protected:
  /// A folder with results.csv and samples.jsonl, and links.csv beside it: tcp is twice as fast as mpi, host 2 has half
  /// the rate.
  AnalyzeFixture() {
    std::filesystem::create_directory(folder_.file("sweep"));
    std::ofstream rows(folder_.file("sweep/results.csv")), samples(folder_.file("sweep/samples.jsonl")),
        links(folder_.file("links.csv"));
    rows << write_csv(record_header());
    for (int launch = 0; launch < 6; ++launch) {
      const auto run = "s." + std::to_string(launch), sampled = run + "tcp";
      samples << nlohmann::json{{"schema", "samples/1"}, {"context", {{"run_id", sampled}, {"host_names", {"a", "b"}}}}}
              << "\n";
      for (const std::string transport : {"tcp", "mpi"}) {
        for (const int ranks : {2, 4}) {
          for (std::uint64_t size = 1024; size <= 1 << 20; size *= 4) {
            const double n = ranks, noise = 1 + 0.002 * ((launch * 7 + ranks) % 5);
            const double time = (2 * (n - 1) * 20 + 2 * (n - 1) / n * static_cast<double>(size) / 100) * noise;
            auto row = measured(run + transport, transport == "tcp" ? time : 2 * time, size, ranks);
            row.time_utc = "2026-01-02T03:04:05Z";
            row.transport = parse_transport(transport);
            rows << write_csv(to_csv(row));
          }
        }
      }
      samples << R"({"run_id":")" << sampled
              << R"(","timing":"each","clock_error_us":1,"time_us":[[5000],[5000]],"entry_us":[[0],[1]]})"
              << "\n";
    }
    links << write_csv(record_header({"src", "dst"}));
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from == to) continue;
        auto row = measured("links", 1000);
        row.schema = Schema::link;
        row.collective = LinkTest::bandwidth;
        row.algbw_GBps = (from == 2 || to == 2 ? 0.06 : 0.12) + 0.0001 * (4 * from + to);
        row.time_us_p50 = static_cast<double>(row.size_bytes) / *row.algbw_GBps / 1e3;
        row.busbw_GBps.reset();
        row.link = {from, to};
        links << write_csv(to_csv(row, {"src", "dst"}));
      }
    }
  }

  /// Run in the folder of the results.
  ShellResult analyze(const std::string& words) const {
    return run(fmt::format("cd {} && {}/ringmark-analyze {}", folder_.path(), bin, words));
  }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }

  ResultFolder folder_;
};

}  // namespace ringmark::testing_support
