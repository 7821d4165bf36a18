#include "bench/flags/link_options.hpp"

#include <array>

#include <CLI/CLI.hpp>

namespace ringmark {

std::string_view name(LinkTest test) {
  constexpr std::array<std::string_view, 3> names{"latency", "bandwidth", "burst"};
  return names[static_cast<std::size_t>(test)];
}

Parsed<LinkOptions> parse_link_options(int argc, const char* const* argv) {
  LinkOptions options;
  RunFlags common("1");
  std::string test = "both", pairs = "first", sizes;
  CLI::App app("Measures latency, bandwidth and burst between ranks. Start it with mpirun, or with --ranks N.");
  app.add_option("--test", test,
                 "latency, bandwidth or both; burst: a message after the link has rested; all: all three")
      ->capture_default_str();
  app.add_option("--pairs", pairs, "first: from rank 0 to rank 1; all: every pair both ways, one at a time")
      ->capture_default_str();
  app.add_option("--sizes", sizes, "message sizes, as a comma list (default 8 for latency, 1M for the others)");
  common.declare(app, options);
  return parse_with(app, options, argc, argv, [&](FlagReader& read) {
    common.interpret(read, options);
    read.choice("--test", test, std::array{"latency", "bandwidth", "both", "burst", "all"});
    read.choice("--pairs", pairs, std::array{"first", "all"});
    if (options.ranks && *options.ranks < 2) read.problem("--ranks {}: a link has two ends", *options.ranks);
    const bool has_both = test == "both" || test == "all";
    if (has_both || test == "latency") options.tests.push_back(LinkTest::latency);
    if (has_both || test == "bandwidth") options.tests.push_back(LinkTest::bandwidth);
    if (test == "burst" || test == "all") options.tests.push_back(LinkTest::burst);
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
