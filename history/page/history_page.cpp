#include "history/page/history_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/with_count.hpp"
#include "history/answers/events.hpp"
#include "history/input/selection_flags.hpp"
#include "history/page/fleet_map.hpp"
#include "history/page/series_chart.hpp"
#include "results/files/provenance.hpp"
#include "results/page/head.hpp"
#include "results/page/page.hpp"
#include "results/statistics/comparison.hpp"

namespace ringmark::history {
namespace {

PageHead head_of(Store& store, const HistoryPage& page, const std::vector<Chain>& chains) {
  std::set<std::int64_t> launches;
  for (const auto& chain : chains) {
    for (const auto& launch : chain.launches) launches.insert(launch.launch);
  }
  const auto span = span_of(chains);
  PageHead head;
  head.cluster = page.selection.cluster;
  head.first_utc = utc_text(span.first);
  head.last_utc = utc_text(span.last);
  for (const auto& span : host_spans(store, page.selection)) head.hosts.push_back(span.host);
  head.settings = {{"Launches", with_count(launches.size(), "launch")},
                   {"Series", fmt::format("{} series", chains.size())},
                   {"Store", store.file()}};
  head.software = "ringmark " + version();
  return head;
}

std::string headline(const std::vector<Event>& events, const std::vector<SeriesChart>& charts) {
  std::set<std::size_t> slower;
  const Event* last = nullptr;
  for (const auto& event : events) {
    if (!event.is_slower()) continue;
    last = &event;
    for (const auto& change : event.changes) slower.insert(change.chain);
  }
  auto text = fmt::format("Nothing became slower in {} series", charts.size());
  if (last != nullptr) {
    text = fmt::format("{} of {} series became slower", slower.size(), charts.size());
    text += last->changes.size() == slower.size()
                ? fmt::format(" on {}", utc_day(last->first_after))
                : fmt::format(", the last {} of them on {}", last->changes.size(), utc_day(last->first_after));
  }
  const auto above =
      std::count_if(charts.begin(), charts.end(), [](const SeriesChart& each) { return each.is_slower; });
  if (above > 0) text += fmt::format("; the latest launch of {} is slower than normal", above);
  return text;
}

/// `places` has the number on the page of each chain's chart.
PageJson event_json(const Event& event, const std::vector<std::size_t>& places) {
  const auto& largest = *std::max_element(event.changes.begin(), event.changes.end(), [](const auto& a, const auto& b) {
    return std::abs(std::log(a.change.ratio)) < std::abs(std::log(b.change.ratio));
  });
  auto causes = PageJson::array(), series = PageJson::array();
  for (const auto& cause : event.causes) causes.push_back(in_words(cause, event));
  for (const auto& change : event.changes) series.push_back(places[change.chain]);
  return {{"date", utc_day(event.first_after)},
          {"slower", event.is_slower()},
          {"drift", largest.change.kind == Change::Kind::drift},
          {"largest", difference_words(largest.change.ratio, largest.change.interval)},
          {"causes", std::move(causes)},
          {"series", std::move(series)}};
}

}  // namespace

std::string history_page_data(Store& store, const HistoryPage& page) {
  const auto chains = chains_of(store, page.series, page.selection);
  if (chains.empty()) refuse_empty_selection(store, page.selection);
  const auto names = names_of(chains);
  const auto events = events_of(store, chains, page.selection, {});
  std::vector<std::vector<Change>> changes(chains.size());
  for (const auto& event : events) {
    for (const auto& each : event.changes) changes[each.chain].push_back(each.change);
  }
  LinkedLaunches linked;
  std::vector<SeriesChart> charts;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    std::sort(changes[i].begin(), changes[i].end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    charts.push_back(series_chart(names[i], chains[i], changes[i], linked));
  }
  // Grouped by operation; the worst operation first, and in each the worst chart first.
  std::map<std::string, double> worst;
  for (const auto& chart : charts) worst[chart.operation] = std::max(worst[chart.operation], chart.badness);
  std::vector<std::size_t> order(charts.size()), places(charts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto place = [&](const SeriesChart& chart) {
      return std::tuple(-worst[chart.operation], chart.operation, -chart.badness);
    };
    return place(charts[a]) < place(charts[b]);
  });
  PageJson out;
  out["title"] = page.title;
  out["head"] = head_of(store, page, chains).facts();
  out["headline"] = headline(events, charts);
  out["made"] = now_utc();
  out["series"] = PageJson::array();
  for (const auto i : order) {
    places[i] = out["series"].size();
    charts[i].json["operation"] = charts[i].operation;
    out["series"].push_back(std::move(charts[i].json));
  }
  out["events"] = PageJson::array();
  for (auto event = events.rbegin(); event != events.rend(); ++event)
    out["events"].push_back(event_json(*event, places));
  out["fleets"] = PageJson::array();
  for (const auto& fleet : Fleets(store, page.series, page.selection, Usual::of_case).all())
    out["fleets"].push_back(fleet_map(fleet));
  out["launches"] = linked.to_json(store);
  return within_script(out.dump(-1, ' ', false, PageJson::error_handler_t::replace));
}

void write_history_page(Store& store, const HistoryPage& page, const TextSink& sink) {
  const auto data = history_page_data(store, page);
  write_page(
      {"Ringmark history", "The charts and heat maps of this page", history_js, history_css},
      [&](const TextSink& to) { to(data); }, sink);
}

}  // namespace ringmark::history
