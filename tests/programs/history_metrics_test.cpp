// ringmark-history metrics --serve, asked by shell and by Prometheus.
#include <fstream>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "base/system/file_descriptor.hpp"
#include "tests/history/stores.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::history {
namespace {

using namespace testing_support;

/// A port that was free a moment ago.
int free_port() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket.get(), any, length), 0);
  EXPECT_EQ(::getsockname(socket.get(), any, &length), 0);
  return ntohs(address.sin_port);
}

class HistoryMetrics : public StoreTest {
 protected:
  /// Shell lines with $port, where the metrics are served meanwhile. Ends with the status of the server.
  ShellResult while_serving(const std::string& lines) {
    add_daily({10, 10, 10, 10, 10, 10, 30});
    close();
    std::ofstream(path("lines.sh")) << fmt::format(R"(
get() {{ exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET %s HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n' "$2" >&3; cat <&3; }}
{}/ringmark-history metrics --store {} --serve 127.0.0.1:0 2>{} &
server=$!
until port=$(sed -n 's/.*on port //p' {}); [ -n "$port" ]; do kill -0 $server || exit 99; sleep 0.05; done
{}
kill -TERM $server; wait $server
)",
                                                   bin, path("history.db"), path("said"), path("said"), lines);
    return run("bash " + path("lines.sh"));
  }
};

TEST_F(HistoryMetrics, several_scrapes_at_once_get_the_metrics_until_a_signal) {
  const auto served =
      while_serving("for i in 1 2 3 4 5 6 7 8; do get $port /metrics & pids+=\" $!\"; done; wait $pids");
  EXPECT_EQ(served.status, 128 + SIGTERM) << served.output;
  std::size_t ends = 0;
  for (auto at = served.output.find("# EOF"); at != std::string::npos; at = served.output.find("# EOF", at + 1)) ++ends;
  EXPECT_EQ(ends, 8U) << served.output;
  EXPECT_TRUE(has(served.output, "200 OK") && has(served.output, "application/openmetrics-text")) << served.output;
}

TEST_F(HistoryMetrics, launches_that_are_added_are_served) {
  const auto served = while_serving(fmt::format(
      "get $port /metrics >/dev/null; {}/ringmark-history forget --cluster lab --store {}; get $port /metrics", bin,
      path("history.db")));
  EXPECT_FALSE(has(served.output, "ringmark_time_seconds{")) << served.output;
  EXPECT_TRUE(has(served.output, "# EOF")) << served.output;
}

TEST_F(HistoryMetrics, a_store_that_is_replaced_or_gone_is_noticed) {
  const auto served = while_serving(fmt::format(
      "get $port /metrics >/dev/null; {0}/ringmark-history backup {1}.new --store {1}; {0}/ringmark-history forget "
      "--cluster lab --store {1}.new; mv {1}.new {1}; get $port /metrics; rm {1}; get $port /metrics",
      bin, path("history.db")));
  EXPECT_FALSE(has(served.output, "ringmark_time_seconds{")) << served.output;
  EXPECT_TRUE(has(served.output, "500 Internal Server Error")) << served.output;
}

TEST_F(HistoryMetrics, other_paths_are_not_found_and_a_taken_port_is_refused) {
  const auto served = while_serving(
      fmt::format("get $port /; {}/ringmark-history metrics --store {} --serve 127.0.0.1:$port; echo ended with $?",
                  bin, path("history.db")));
  EXPECT_TRUE(has(served.output, "404 Not Found")) << served.output;
  EXPECT_TRUE(has(served.output, "ended with 2")) << served.output;
}

TEST_F(HistoryMetrics, promtool_finds_nothing_wrong) {
  if (run("promtool --version").status != 0) GTEST_SKIP() << "there is no promtool (Debian's package prometheus)";
  add_daily({10, 10, 10, 10, 10, 10, 30});
  close();
  const auto checked =
      run(fmt::format("{}/ringmark-history metrics --store {} | promtool check metrics", bin, path("history.db")));
  EXPECT_EQ(checked.status, 0) << checked.output;
}

TEST_F(HistoryMetrics, prometheus_scrapes_them) {
  if (run("prometheus --version").status != 0) GTEST_SKIP() << "there is no prometheus (Debian's package prometheus)";
  const auto port = free_port();
  const auto served = while_serving(fmt::format(
      R"(cat >{0}.yml <<END
scrape_configs:
  - job_name: ringmark
    scrape_interval: 1s
    static_configs: [{{targets: ["127.0.0.1:$port"]}}]
END
promtool check config {0}.yml >{0}.checked || exit 98
prometheus --config.file={0}.yml --storage.tsdb.path={0} --web.listen-address=127.0.0.1:{1} >{0}.log 2>&1 &
prometheus=$!
for try in $(seq 300); do
  get {1} '/api/v1/query?query=ringmark_is_slower_than_normal' >{0}.answer 2>/dev/null
  grep -q '"metric"' {0}.answer && break
  sleep 0.2
done
kill -TERM $prometheus; wait $prometheus)",
      path("prometheus"), port));
  EXPECT_EQ(served.status, 128 + SIGTERM) << served.output;
  std::ifstream file(path("prometheus.answer"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ASSERT_NE(text.find('{'), std::string::npos) << text;
  const auto answer = nlohmann::json::parse(text.substr(text.find('{'), text.rfind('}') - text.find('{') + 1));
  const auto& sample = answer.at("data").at("result").at(0);
  EXPECT_EQ(sample.at("metric").at("collective"), "all_reduce");
  EXPECT_EQ(sample.at("value").at(1), "1") << "the latest launch took three times as long";
}

}  // namespace
}  // namespace ringmark::history
