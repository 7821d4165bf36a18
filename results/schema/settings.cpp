#include "results/schema/settings.hpp"

#include "base/text/names.hpp"
#include "results/schema/columns.hpp"
#include "results/schema/record.hpp"

namespace ringmark {
namespace {

constexpr auto companies = names_up_to<Company::together>("alone", "together");

}  // namespace

std::string_view name(Company company) { return companies.of(company); }
std::optional<Company> parse_company(std::string_view text) { return companies.find(text); }

std::map<std::string, std::string> to_map(const Settings& settings) {
  Record record;
  record.settings = settings;
  auto values = settings.others;
  for (const auto& key : settings_keys()) {
    if (auto cell = key.cell(record); !cell.empty()) values.insert_or_assign(std::string(key.name), std::move(cell));
  }
  return values;
}

Settings settings_from(const std::map<std::string, std::string>& values) {
  Record record;
  record.settings.others = values;
  for (const auto& key : settings_keys()) {
    if (const auto value = record.settings.others.extract(std::string(key.name))) key.read(value.mapped(), record);
  }
  return record.settings;
}

}  // namespace ringmark
