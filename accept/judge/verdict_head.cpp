#include "accept/judge/verdict_head.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/with_count.hpp"
#include "base/units.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::accept {
namespace {

std::string topology_in_words(const Fabric& fabric) {
  std::vector<std::string> parts;
  if (!fabric.leaves.empty())
    parts.push_back(fabric.leaves.size() == 1 ? "1 leaf" : fmt::format("{} leaves", fabric.leaves.size()));
  if (fabric.spines > 0) parts.push_back(with_count(fabric.spines, "spine"));
  if (fabric.rails > 1) parts.push_back(fmt::format("{} NICs in each host", fabric.rails));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string settings_in_words(const Criteria& criteria) {
  std::vector<std::string> words;
  for (const auto& [name, value] : criteria.arguments) words.push_back(name + "=" + sweep::to_text(value));
  words.push_back("messages of " + format_size(criteria.size_bytes));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string expectations_in_words(const Criteria& criteria) {
  std::vector<std::string> words;
  if (criteria.link_GBps) words.push_back(fmt::format("links: {:g} GB/s", *criteria.link_GBps));
  if (criteria.busbw_GBps) words.push_back(fmt::format("all_reduce: {:g} GB/s bus bandwidth", *criteria.busbw_GBps));
  if (criteria.step_ms) words.push_back(fmt::format("training step: {:g} ms", *criteria.step_ms));
  if (!criteria.link_GBps) words.emplace_back("links are compared with each other");
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

PageHead head_of(const Criteria& criteria, const VerdictRun& run) {
  const auto file = std::filesystem::path(run.criteria_file).filename().string();
  const auto& rates = criteria.rates;
  return {.question = file.empty() ? "" : fmt::format("Does the cluster meet the criteria in {}?", file),
          .cluster = criteria.name,
          .first_utc = run.first_utc,
          .last_utc = run.last_utc,
          .hosts = criteria.fabric.hosts,
          .settings = {{"Topology", topology_in_words(criteria.fabric)},
                       {"Settings", settings_in_words(criteria)},
                       {"Expected", expectations_in_words(criteria)},
                       {"Fails on", fmt::format("a loss of {:g} % of the expected rate", 100 * rates.loss)},
                       {"Error rates", fmt::format("{:g} false alarms per cluster, {:g} misses per loss",
                                                   rates.false_alarm, rates.miss)}},
          .software = "ringmark " + version()};
}

std::string in_words(const PageHead& head) {
  std::string text;
  for (const auto& [name, value] : head.facts()) text += fmt::format("# {}: {}\n", name, value);
  return text;
}

}  // namespace ringmark::accept
