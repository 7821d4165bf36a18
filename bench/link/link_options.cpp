#include "bench/link/link_options.hpp"

#include <array>

#include <CLI/CLI.hpp>

namespace ringmark {

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv) {
  LinkOptions options;
  RunFlags common("1");
  std::string test = "both", pairs = "first", sizes;
  CLI::App app("Measures latency and bandwidth between ranks. Start it with mpirun, or with --ranks N.");
  app.add_option("--test", test, "latency, bandwidth or both")->capture_default_str();
  app.add_option("--pairs", pairs, "first: from rank 0 to rank 1; all: every pair both ways, one at a time")
      ->capture_default_str();
  app.add_option("--sizes", sizes, "message sizes, as a comma list (default 8 for latency, 1M for bandwidth)");
  common.declare(app, options);
  return parse_with(app, options, argc, argv, [&](FlagReader& read) {
    common.interpret(read, options);
    read.choice("--test", test, std::array{"latency", "bandwidth", "both"});
    read.choice("--pairs", pairs, std::array{"first", "all"});
    if (options.ranks && *options.ranks < 2) read.problem("--ranks {}: a link has two ends", *options.ranks);
    if (test != "bandwidth") options.tests.push_back(LinkTest::latency);
    if (test != "latency") options.tests.push_back(LinkTest::bandwidth);
    options.all_pairs = pairs == "all";
    if (sizes.empty()) return;
    options.latency_sizes.clear();
    read.sizes("--sizes", sizes, options.latency_sizes);
    for (const auto size : options.latency_sizes) {
      if (size == 0) read.problem("--sizes {}: a message has at least 1 byte", sizes);
    }
    options.bandwidth_sizes = options.latency_sizes;
  });
}

}  // namespace ringmark
