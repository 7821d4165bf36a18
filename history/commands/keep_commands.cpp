// check, backup, export and forget: what it takes to keep a store for years.
#include <filesystem>
#include <set>

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text/with_count.hpp"
#include "base/write_file.hpp"
#include "history/commands/commands.hpp"
#include "history/commands/common_flags.hpp"
#include "history/input/own_contents.hpp"
#include "history/store/forget.hpp"
#include "history/store/tables.hpp"
#include "results/files/csv.hpp"
#include "results/files/json_rows.hpp"
#include "results/files/provenance.hpp"
#include "results/files/result_file.hpp"

namespace ringmark::history {
namespace {

class CheckCommand final : public Command {
 public:
  explicit CheckCommand(Flags& program)
      : Command(program.subcommand("check", "look for damage, and show what the store contains")) {
    declare_store(flags, store_);
    flags.examples({"ringmark-history check --store history.db"});
  }

  int run() const override {
    Store store(store_, Access::read);
    store.check();
    const auto size = size_of(store);
    fmt::print("{}: no damage, version {}\n", store_, store_version);
    fmt::print("{}, {}, {}, samples of {}, {}\n", with_count(size.launches, "launch"), with_count(size.rows, "row"),
               fmt::format("{} series", size.series), with_count(size.samples, "rank"),
               with_count(size.verdicts, "verdict"));
    for (const auto& [cluster, launches] : clusters_in(store))
      fmt::print("cluster {}: {}\n", cluster, with_count(launches, "launch"));
    if (const auto latest = latest_launch(store, {}); latest && is_in_the_future(*latest))
      fmt::print(
          "the latest launch is dated {}, in the future, so questions miss all others; export --since {} "
          "shows its run_id, and forget --launch RUN_ID deletes it\n",
          utc_text(*latest), utc_day(*latest));
    return exit_ok;
  }

 private:
  std::string store_;
};

class BackupCommand final : public Command {
 public:
  explicit BackupCommand(Flags& program)
      : Command(program.subcommand("backup", "copy a store that others may be using")) {
    flags.file("copy", copy_, "the new file").required();
    declare_store(flags, store_);
    flags.examples({"ringmark-history backup history-2026-11.db --store history.db"});
  }

  int run() const override {
    if (std::filesystem::exists(copy_))
      throw BadUsage(fmt::format("{}: already exists; give the name of a new file", copy_));
    Store store(store_, Access::read);
    replace_file(copy_, [&](const std::string& part) {
      SQLite::Database to(part, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      constexpr int all_pages = -1;
      SQLite::Backup(to, store.database()).executeStep(all_pages);
      to.exec("PRAGMA journal_mode = DELETE");  // one file, without those of a write-ahead log
      if (const auto found = to.execAndGet("PRAGMA integrity_check(1)").getString(); found != "ok")
        throw std::runtime_error(fmt::format("{}: damaged, so nothing was written: {}", store_, found));
    });
    fmt::print("wrote {}\n", copy_);
    return exit_ok;
  }

 private:
  std::string copy_, store_;
};

class ExportCommand final : public Command {
 public:
  explicit ExportCommand(Flags& program)
      : Command(program.subcommand("export", "write rows as Ringmark's result files")) {
    declare_store(flags, store_);
    declare_selection(flags, selection_);
    flags.group("Output");
    std::vector<std::pair<std::string, Schema>> schemas;
    for (const auto schema : {Schema::collective, Schema::link, Schema::replay})
      schemas.emplace_back(name(schema), schema);
    flags.choice("--schema", schema_, schemas, "rows to write: of collectives, links, or replayed steps");
    flags.file("--csv", csv_, "result rows; - is standard output");
    flags.file("--json", json_, "rows as JSON lines; - is standard output");
    flags.examples({"ringmark-history export --store history.db --csv all.csv",
                    "ringmark-history export --store history.db --since 30d --json - | head"});
  }

  void check_flags() override {
    if (csv_.empty() == json_.empty()) flags.problem("--csv", "give either --csv or --json");
  }

  int run() const override {
    Store store(store_, Access::read);
    std::uint64_t rows = 0;
    const auto write = [&](const TextSink& sink) {
      rows = csv_.empty() ? write_json(store, sink) : write_csv(store, sink);
    };
    if (!latest_launch(store, selection_)) refuse_empty_selection(store, selection_);
    const auto& file = csv_.empty() ? json_ : csv_;
    if (file != "-") {
      write_file(file, write);
      fmt::print("wrote {} to {}\n", with_count(rows, "row"), file);
    } else {
      write([](std::string_view part) { fmt::print("{}", part); });
    }
    return exit_ok;
  }

 private:
  /// Visits the rows of the schema.
  std::uint64_t visit(Store& store, const std::function<void(const StoredRow&)>& each) const {
    std::uint64_t rows = 0;
    for_each_row(store, selection_, [&](const StoredRow& row) {
      if (row.record.schema != schema_) return;
      each(row);
      ++rows;
    });
    return rows;
  }

  std::uint64_t write_csv(Store& store, const TextSink& sink) const {
    auto extra = own_header(schema_);
    std::set<std::string> variables;
    for (const auto& series : all_series(store)) {
      if (series.row.record.schema != schema_) continue;
      for (const auto& [variable, value] : series.row.record.extra) variables.insert(variable);
    }
    extra.insert(extra.end(), variables.begin(), variables.end());
    const auto header = record_header(extra);
    sink(ringmark::write_csv(header));
    return visit(store, [&](const StoredRow& row) {
      auto cells = to_csv(row.record, extra);
      for (std::size_t i = 0; i < header.size(); ++i) {
        if (const auto word = row.words.find(header[i]); word != row.words.end()) cells[i] = word->second;
      }
      sink(ringmark::write_csv(cells));
    });
  }

  std::uint64_t write_json(Store& store, const TextSink& sink) const {
    return visit(store, [&](const StoredRow& row) {
      auto json = json_row(row.record);
      for (const auto& [column, word] : row.words) json[column] = word;
      sink(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    });
  }

  std::string store_, csv_, json_;
  Selection selection_;
  Schema schema_ = Schema::collective;
};

class ForgetCommand final : public Command {
 public:
  explicit ForgetCommand(Flags& program) : Command(program.subcommand("forget", "delete launches from a store")) {
    declare_store(flags, store_);
    flags.group("Conditions, all of which must hold");
    declare_date(flags, "--before", which_.before, "measured before this time: a date, or an age such as 730d");
    flags.text("--cluster", which_.cluster, "of this cluster", "NAME");
    flags.text("--launch", which_.launch, "with this run_id", "RUN_ID");
    flags.group("Options");
    flags.toggle("--dry-run", is_dry_, "only count them");
    flags.examples({"ringmark-history forget --store history.db --before 730d --dry-run"},
                   "Deleting cannot be undone: make a copy with ringmark-history backup first. The file keeps its "
                   "size, and later launches reuse the space.");
  }

  void check_flags() override {
    if (!flags.is_given("--before") && which_.cluster.empty() && which_.launch.empty())
      flags.problem("--before", "give at least one of --before, --cluster and --launch");
    if (which_.before && is_in_the_future(*which_.before))
      flags.problem("--before", "is in the future, and would delete everything");
  }

  int run() const override {
    if (!std::filesystem::exists(store_)) Store(store_, Access::read);  // throws
    Store store(store_, is_dry_ ? Access::read : Access::write);
    const auto counted = is_dry_ ? count_forgotten(store, which_) : forget(store, which_);
    if (counted.launches == 0 && counted.verdicts == 0)
      throw BadUsage(fmt::format("{}: no launch or verdict meets these conditions; the store has {}", store_,
                                 clusters_in_words(store)));
    fmt::print("{} {} with {}{}, and {}\n", is_dry_ ? "would forget" : "forgot", with_count(counted.launches, "launch"),
               with_count(counted.rows, "row"), days_in_words(counted), with_count(counted.verdicts, "verdict"));
    if (const auto left = clusters_in_words(store); !is_dry_)
      fmt::print("{} has {} left\n", store_, left.empty() ? "no launch" : left);
    return exit_ok;
  }

 private:
  static std::string days_in_words(const ForgottenCount& counted) {
    if (!counted.first || !counted.last) return "";
    return fmt::format(" from {} to {}", utc_day(*counted.first), utc_day(*counted.last));
  }

  std::string store_;
  Forgotten which_;
  bool is_dry_ = false;
};

}  // namespace

std::unique_ptr<Command> add_check(Flags& program) { return std::make_unique<CheckCommand>(program); }
std::unique_ptr<Command> add_backup(Flags& program) { return std::make_unique<BackupCommand>(program); }
std::unique_ptr<Command> add_export(Flags& program) { return std::make_unique<ExportCommand>(program); }
std::unique_ptr<Command> add_forget(Flags& program) { return std::make_unique<ForgetCommand>(program); }

}  // namespace ringmark::history
