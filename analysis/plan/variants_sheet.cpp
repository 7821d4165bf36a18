#include "analysis/plan/variants_sheet.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/plan/words.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::size_t first_place_line = 2, first_variant_column = 3;  // above are names, to the left is the place

}  // namespace

VariantsSheet::VariantsSheet(Spreadsheet& book, const Scenario& scenario, const PlanWithVariants& plan)
    : scenario_(scenario), plan_(plan), sheet_(book.hidden_sheet("Variants")), places_(places_of(plan.rows)) {
  sheet_.text(0, 0, "The best configuration of each place with other hardware, as simulated", Style::bold);
  for (std::size_t cluster = 0; cluster < scenario.clusters.size(); ++cluster) {
    const auto variants = variants_of(scenario, cluster);
    if (variants.size() <= names_.size()) continue;
    names_.clear();
    for (const auto& each : variants) names_.push_back(each.is_next ? "with the next device" : each.name);
  }
  constexpr const char* titles[]{"tokens/s", "mean",          "variance",         "third cumulant",
                                 "MFU",      "configuration", "second, tokens/s", "second configuration"};
  for (std::size_t v = 0; v < names_.size(); ++v) {
    const auto column = first_variant_column + v * columns_of_variant;
    sheet_.text(0, column, names_[v]);
    for (std::size_t c = 0; c < columns_of_variant; ++c) sheet_.text(1, column + c, titles[c]);
  }
  auto column = first_variant_column + names_.size() * columns_of_variant;
  for (const auto& input : sensitive_inputs()) {
    sheet_.text(1, column++, fmt::format("{} -{:.0f} %", input.name, 100 * sensitivity_change));
    sheet_.text(1, column++, fmt::format("{} +{:.0f} %", input.name, 100 * sensitivity_change));
  }
  for (std::size_t i = 0; i < places_.size(); ++i) write_place(i);
}

void VariantsSheet::write_place(std::size_t place) {
  const auto line = first_place_line + place;
  const auto& [where, some] = places_[place];
  const auto& simulated = plan_.places.at(where);
  sheet_.text(line, 0, scenario_.models[where[0]].name);
  sheet_.text(line, 1, scenario_.clusters[where[1]].name);
  sheet_.number(line, 2, scenario_.nodes[where[2]], Style::whole);
  for (std::size_t v = 0; v < simulated.best.size(); ++v) write_variant(line, v, simulated);
  if (simulated.best.size() < names_.size())
    sheet_.text(line, first_variant_column + simulated.best.size() * columns_of_variant + words,
                "no next device is given");
  if (some.empty()) return;
  const auto inputs = first_variant_column + names_.size() * columns_of_variant;
  for (const auto& each : simulated.sensitivities) {
    const auto index = static_cast<std::size_t>(each.input - sensitive_inputs().data());
    sheet_.number(line, inputs + 2 * index, each.less.tokens_per_s, Style::figure);
    sheet_.number(line, inputs + 1 + 2 * index, each.more.tokens_per_s, Style::figure);
  }
}

void VariantsSheet::write_variant(std::size_t line, std::size_t variant, const PlaceVariants& simulated) {
  const auto &row = simulated.best[variant], &second = simulated.second[variant];
  if (!row) return;
  const auto column = first_variant_column + variant * columns_of_variant;
  sheet_.number(line, column + tokens_per_s, row->tokens_per_s, Style::figure);
  sheet_.number(line, column + mean, row->of_step.mean, Style::figure);
  sheet_.number(line, column + variance, row->of_step.variance, Style::figure);
  sheet_.number(line, column + third, row->of_step.third, Style::figure);
  sheet_.number(line, column + mfu, row->mfu, Style::percent);
  sheet_.text(line, column + words, configuration_words(*row));
  sheet_.number(line, column + second_rate, second ? second->tokens_per_s : row->tokens_per_s, Style::figure);
  sheet_.text(line, column + second_words, second ? configuration_words(*second) : "the only one that fits");
}

std::optional<PlanRow> VariantsSheet::best(std::size_t place, std::size_t variant) const {
  const auto& best = plan_.places.at(places_[place].where).best;
  return variant < best.size() ? best[variant] : std::nullopt;
}

std::size_t VariantsSheet::place_of(const PlanRow& row) const {
  const std::array where{row.model, row.cluster, row.nodes_index};
  const auto found =
      std::find_if(places_.begin(), places_.end(), [&](const PlanPlace& each) { return each.where == where; });
  return static_cast<std::size_t>(found - places_.begin());
}

std::optional<std::size_t> VariantsSheet::next_device() const {
  const auto& clusters = scenario_.clusters;
  const bool any = std::any_of(clusters.begin(), clusters.end(), [](const Cluster& each) { return each.next; });
  return any ? std::optional(names_.size() - 1) : std::nullopt;
}

std::string VariantsSheet::cell(std::size_t place, Column column, const std::string& variant) const {
  const auto line = first_place_line + place;
  return fmt::format("INDEX(Variants!{}:{},({}-1)*{}+{})", cell_at(first_variant_column, line),
                     cell_at(first_variant_column + names_.size() * columns_of_variant - 1, line), variant,
                     static_cast<std::size_t>(columns_of_variant), static_cast<std::size_t>(column) + 1);
}

std::string VariantsSheet::at_place(const std::string& place, std::size_t column) const {
  return fmt::format("INDEX({},{})",
                     column_range("Variants", column, first_place_line, first_place_line + places_.size() - 1), place);
}

std::string VariantsSheet::of_place(const std::string& place, Column column, std::size_t variant) const {
  return at_place(place, first_variant_column + variant * columns_of_variant + column);
}

std::string VariantsSheet::selected(const std::string& place, Column column, const std::string& variant) const {
  const auto last = first_variant_column + names_.size() * columns_of_variant - 1;
  return fmt::format("INDEX(Variants!{}:{},{},({}-1)*{}+{})", cell_at(first_variant_column, first_place_line),
                     cell_at(last, first_place_line + places_.size() - 1), place, variant,
                     static_cast<std::size_t>(columns_of_variant), static_cast<std::size_t>(column) + 1);
}

std::string VariantsSheet::rate_with(const std::string& place, std::size_t input, bool is_more) const {
  const auto first = first_variant_column + names_.size() * columns_of_variant;
  return at_place(place, first + 2 * input + (is_more ? 1 : 0));
}

}  // namespace ringmark::analysis
