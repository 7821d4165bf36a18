#include <cerrno>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/exit_status.hpp"
#include "base/write_file.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/commands/metrics_server.hpp"
#include "history/commands/open_metrics.hpp"

namespace ringmark::history {
namespace {

std::string metrics_of(Store& store, int days) {
  return open_metrics(latest_launches(store, days), latest_hosts(store, days), latest_verdicts(store),
                      latest_rows(store));
}

/// Distinguishes a file from another one that has replaced it.
std::pair<dev_t, ino_t> identity_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw std::system_error(errno, std::generic_category(), file);
  return {status.st_dev, status.st_ino};
}

/// The text, regenerated only after others changed or replaced the store.
class MetricsText {
 public:
  MetricsText(std::string file, int days) : file_(std::move(file)), days_(days) { open(); }

  std::string operator()() {
    const std::lock_guard one_at_a_time(mutex_);
    if (identity_of(file_) != identity_) open();
    const auto version = store_->database().execAndGet("PRAGMA data_version").getInt64();
    if (version_ != version) {
      text_ = metrics_of(*store_, days_);
      version_ = version;
    }
    return text_;
  }

 private:
  void open() {
    store_.emplace(file_, Access::read);
    identity_ = identity_of(file_);
    version_.reset();
  }

  std::mutex mutex_;
  std::string file_;
  std::optional<Store> store_;
  std::pair<dev_t, ino_t> identity_;
  int days_;
  std::optional<std::int64_t> version_;
  std::string text_;
};

class MetricsCommand final : public Command {
 public:
  explicit MetricsCommand(Flags& program)
      : Command(program.subcommand("metrics", "the latest launches as OpenMetrics text, for Prometheus")) {
    declare_store(flags, store_);
    flags.group("Output");
    constexpr int most_days = 3650;
    flags.number("--days", days_, 1, most_days,
                 "leave out series without a launch in that many days before the cluster's latest one");
    flags.file("-o,--output", output_, "a file that node_exporter's textfile collector reads; - is standard output");
    flags.word(
        "--serve", "ADDRESS", "",
        [this](const std::string& word) {
          serve_ = parse_serve_address(word);
          return serve_ ? "" : "give a host and a port such as 127.0.0.1:9400, or :9400 for all addresses";
        },
        "answer scrapes of http://ADDRESS/metrics until SIGTERM or SIGINT, instead of writing once");
    flags.examples({"ringmark-history metrics --store history.db -o /var/lib/prometheus/node-exporter/ringmark.prom",
                    "ringmark-history metrics --store history.db --serve :9400"});
  }

  void check_flags() override {
    if (serve_ && output_ != "-") flags.problem("--serve", "answers scrapes instead of writing a file; leave -o out");
  }

  int run() const override {
    if (!serve_) {
      Store store(store_, Access::read);
      write_file_or_output(output_, metrics_of(store, days_));
      return exit_ok;
    }
    MetricsText text(store_, days_);
    const auto signal = serve_metrics(*serve_, std::ref(text), [&](std::uint16_t port) {
      fmt::print(stderr, "ringmark-history: serving metrics at {} on port {}\n",
                 serve_->host.empty() ? "all addresses" : serve_->host, port);
    });
    constexpr int ended_by_signal = 128;
    return ended_by_signal + signal;
  }

 private:
  std::string store_, output_ = "-";
  int days_ = 30;
  std::optional<ServeAddress> serve_;
};

}  // namespace

std::unique_ptr<Command> add_metrics(Flags& program) { return std::make_unique<MetricsCommand>(program); }

}  // namespace ringmark::history
