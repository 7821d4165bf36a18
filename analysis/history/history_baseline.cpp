#include "analysis/history/history_baseline.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/text/with_count.hpp"
#include "history/answers/chains.hpp"
#include "history/input/selection_flags.hpp"
#include "history/questions/normal.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::string_view normal = "normal";

/// Puts rows of the store into the table as if `file` had them.
class StoreRows {
 public:
  StoreRows(history::Store& store, Table& table, std::string file)
      : reader_(store), table_(table), file_(std::move(file)) {
    table_.set_side("");
  }

  void add(std::int64_t launch, std::optional<std::int64_t> series = std::nullopt) {
    reader_.read(launch, series, [&](const history::StoredRow& row) {
      auto record = row.record;
      for (const auto& [variable, value] : std::exchange(record.extra, {}))
        record.settings.others.emplace(variable, value);
      table_.add(record, file_, ++line_, row.words);
    });
  }
  ~StoreRows() { table_.finish_file(); }

 private:
  history::RowReader reader_;
  Table& table_;
  std::string file_;
  std::size_t line_ = 0;
};

/// The launches since the last change, at most the latest 60.
std::span<const history::LaunchTime> normal_launches(const history::Chain& chain,
                                                     const history::ChangeOptions& options) {
  constexpr std::size_t most = 60;
  const auto changes = history::changes_in(chain.points(), options);
  const auto normal =
      std::span(chain.launches).subspan(history::first_at_present_level(chain.launches.size(), changes));
  return normal.last(std::min(normal.size(), most));
}

/// Drops launches that are also in the table, so that none is compared with itself.
void leave_out_launches_in(const Table& table, history::Store& store, std::vector<history::Chain>& chains) {
  std::set<std::int64_t> known;
  if (!table.has("run_id")) return;
  for (const auto& run_id : table.text("run_id").values()) {
    if (const auto launch = history::launch_with_key(store, run_id)) known.insert(*launch);
  }
  for (auto& chain : chains) {
    for (auto i = chain.launches.size(); i-- > 0;) {
      if (!known.contains(chain.launches[i].launch)) continue;
      chain.launches.erase(chain.launches.begin() + static_cast<std::ptrdiff_t>(i));
      chain.series_of.erase(chain.series_of.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::erase_if(chains, [](const history::Chain& chain) { return chain.launches.empty(); });
}

AddedBaseline add_normal(history::Store& store, const history::Selection& selection, Table& table) {
  auto chains = history::chains_of(store, history::all_series(store), selection);
  leave_out_launches_in(table, store, chains);
  if (chains.empty()) history::refuse_empty_selection(store, selection);
  AddedBaseline added{fmt::format("{} of {}", normal, selection.cluster), ""};
  StoreRows rows(store, table, added.file);
  const history::ChangeOptions options{.series = chains.size()};
  std::vector<std::size_t> counts;
  auto first = chains.front().launches.back().time, last = first;
  for (const auto& chain : chains) {
    const auto launches = normal_launches(chain, options);
    const auto offset = chain.launches.size() - launches.size();
    for (std::size_t i = 0; i < launches.size(); ++i)
      rows.add(launches[i].launch, chain.series[chain.series_of[offset + i]].id);
    counts.push_back(launches.size());
    first = std::min(first, launches.front().time);
    last = std::max(last, launches.back().time);
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  const auto hosts =
      history::host_spans(store, {.cluster = selection.cluster, .host = "", .since = first, .until = {}});
  added.note =
      fmt::format("baseline: {} series of cluster {} since their last changes, {} to {} launches each, {} to {}{}",
                  chains.size(), selection.cluster, *least, *most, utc_day(first), utc_day(last),
                  hosts.empty() ? "" : ", on " + with_count(hosts.size(), "host"));
  return added;
}

AddedBaseline add_launch(history::Store& store, const std::string& key, Table& table) {
  const auto launch = history::launch_with_key(store, key);
  if (!launch)
    throw BadUsage(Problem{.flag = "--baseline",
                           .text = fmt::format("{} has no launch {}", store.file(), key),
                           .remedy = fmt::format("give the run_id of a stored launch, or {}", normal)});
  StoreRows(store, table, key).add(*launch);
  const auto origin = history::origin_of_launch(store, *launch);
  return {key, fmt::format("baseline: launch {} of {}, from {}", key, utc_day(origin.time), origin.file)};
}

}  // namespace

struct HistoryBaseline::Options {
  std::string store, cluster;
};

HistoryBaseline::HistoryBaseline() : options_(std::make_unique<Options>()) {}
HistoryBaseline::~HistoryBaseline() = default;

void HistoryBaseline::declare(Flags& flags) {
  flags
      .file("--store", options_->store,
            "compare with a ringmark-history store: --baseline is then the run_id of a launch, or normal (the "
            "default): up to 60 launches of each case since its last change")
      .may_be_empty();
  flags.text("--cluster", options_->cluster, "cluster in the store", "NAME").may_be_empty();
}

bool HistoryBaseline::is_asked() const {
  if (options_->store.empty() && !options_->cluster.empty())
    throw BadUsage(Problem{.flag = "--cluster", .text = "only applies to a store", .remedy = "give --store FILE"});
  return !options_->store.empty();
}

AddedBaseline HistoryBaseline::add_to(Table& table, const std::optional<std::string>& baseline) const {
  history::Store store(options_->store, history::Access::read);
  if (baseline && *baseline != normal) return add_launch(store, *baseline, table);
  const auto selection =
      history::in_one_cluster(store, {.cluster = options_->cluster, .host = "", .since = {}, .until = {}});
  return add_normal(store, history::over_days(store, selection), table);
}

}  // namespace ringmark::analysis
