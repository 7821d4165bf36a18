#include "analysis/plan/formulas.hpp"

#include <fmt/format.h>

#include "analysis/plan/scenario.hpp"
#include "analysis/plan/spread.hpp"

namespace ringmark::analysis {

std::array<double, std::size(cluster_cells)> values_of_cells(const Cluster& c) {
  const auto& failures = c.failures;
  const auto reserved = c.reserved.value_or(Reservation{});
  return {c.spare_nodes * c.gpus_per_node,
          c.price_per_GPU_hour,
          c.power_kW_per_GPU,
          failures.node_mtbf_hours,
          failures.checkpoint_write_s,
          failures.restart_s,
          failures.checkpoint_interval_s.value_or(0),
          reserved.nodes * c.gpus_per_node,
          reserved.share,
          reserved.price_per_GPU_hour};
}

std::string goodput_formula(const CellNames::Cluster& c, const std::string& nodes) {
  const auto mtbf = fmt::format("({}*3600/{})", c.mtbf_hours, nodes);
  const auto ratio = fmt::format("({}/(2*{}))", c.write_s, mtbf);
  const auto optimum =
      fmt::format("IF({0}>=2*{1},{1},SQRT(2*{0}*{1})*(1+SQRT({2})/3+{2}/9)-{0})", c.write_s, mtbf, ratio);
  const auto interval = fmt::format("IF({0}>0,{0},MAX({1},{2}))", c.interval_s, least_interval_s, optimum);
  return fmt::format("IF({0}=0,1,{1}/({2}*EXP(MIN({3},{4}/{2}))*(EXP(MIN({5},({1}+{6})/{2}))-1)))", c.mtbf_hours,
                     interval, mtbf, most_failures_in_a_restart, c.restart_s, most_failures_in_an_interval, c.write_s);
}

std::string days_formula(const CellNames& names, const CellNames::Cluster& cluster, const RateCells& rate) {
  return fmt::format("{}/{}/86400/({}*{})", names.tokens, rate.tokens_per_s, goodput_formula(cluster, rate.nodes),
                     names.utilisation);
}

std::string price_formula(const CellNames::Cluster& cluster, const std::string& GPUs) {
  if (cluster.reserved_price == "0") return cluster.price;
  const auto paid = fmt::format("({}+{})", GPUs, cluster.spare_GPUs);
  const auto reserved = fmt::format("MIN({0},{1}+{2}*{0})", paid, cluster.reserved_GPUs, cluster.reserved_share);
  return fmt::format("(({0}*{1}+({2}-{0})*{3})/{2})", reserved, cluster.reserved_price, paid, cluster.price);
}

namespace {

/// GPU-hours of the run, including spare GPUs.
std::string hours_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs) {
  return fmt::format("{}*24*({}+{})", days, GPUs, cluster.spare_GPUs);
}

}  // namespace

std::string cost_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs) {
  return hours_formula(cluster, days, GPUs) + "*" + price_formula(cluster, GPUs);
}

std::string energy_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs) {
  return fmt::format("{}*{}*{}/1000", hours_formula(cluster, days, GPUs), cluster.power, cluster.PUE);
}

std::string outlay_formula(const CellNames::Cluster& cluster, const std::string& GPUs) {
  return fmt::format("({}+{})*{}", GPUs, cluster.spare_GPUs, cluster.price_per_GPU);
}

std::string depreciation_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs) {
  return fmt::format("{}*{}/({}*{})", hours_formula(cluster, days, GPUs), cluster.price_per_GPU, cluster.years,
                     hours_per_year);
}

std::string electricity_formula(const CellNames::Cluster& cluster, const std::string& days, const std::string& GPUs) {
  return fmt::format("{}*{}*{}*{}", hours_formula(cluster, days, GPUs), cluster.power, cluster.PUE,
                     cluster.electricity);
}

std::string exceeds_formula(const std::string& value, const std::string& limit) {
  return fmt::format("AND({0}>0,{1}>{0})", limit, value);
}

std::string scatter_formula(const std::string& factor) {
  return fmt::format("IFERROR(MAX(0,LN({}))/NORMSINV(0.95),0)", factor);
}

CumulantCells cumulants_formula(const std::string& below, const std::string& above) {
  const auto d = fmt::format("({}-{})", above, below), mean = fmt::format("({}/SQRT(2*PI()))", d);
  return {mean, fmt::format("(({}^2+{}^2)/2-{}^2)", below, above, mean),
          fmt::format("({}*((3*({}+{})^2-{d}^2)/4+{d}^2/PI()))", mean, above, below, fmt::arg("d", d))};
}

CumulantCells operator+(const CumulantCells& a, const CumulantCells& b) {
  return {a.mean + "+" + b.mean, a.variance + "+" + b.variance, a.third + "+" + b.third};
}

std::string asymmetry_formula(const CumulantCells& of) {
  constexpr auto c = "(1-2.5/PI())";
  const auto sine = fmt::format("{}*SQRT(2*PI())*SQRT({})/(2*{}^1.5)", of.third, c, of.variance);
  return fmt::format("IF({0}<=0,0,2*SQRT({0}/{1})*SIN(ASIN(MAX(-1,MIN(1,{2})))/3))", of.variance, c, sine);
}

SpreadCells spread_formula(const CumulantCells& of, const std::string& d) {
  const auto sum = fmt::format("SQRT(MAX(0,4*{}-{}^2*(1-2/PI())))", of.variance, d);
  return {fmt::format("{}-{}/SQRT(2*PI())", of.mean, d), fmt::format("MAX(0,{}-{})/2", sum, d),
          fmt::format("MAX(0,{}+{})/2", sum, d)};
}

std::string quantile_formula(const SpreadCells& spread, const std::string& probability) {
  return fmt::format("EXP({0}+NORMSINV({1})*IF({1}<0.5,{2},{3}))", spread.shift, probability, spread.below,
                     spread.above);
}

std::string probability_formula(const SpreadCells& spread, const std::string& factor) {
  const auto away = fmt::format("(LN({})-{})", factor, spread.shift);
  const auto side = [&](const std::string& scatter, const std::string& certain) {
    return fmt::format("IF({0}<={1},{2},NORMSDIST({3}/{0}))", scatter, Spread::least, certain, away);
  };
  return fmt::format("IF({}<0,{},{})", away, side(spread.below, fmt::format("IF({}<{},0,1)", away, -Spread::least)),
                     side(spread.above, "1"));
}

std::string mean_formula(const SpreadCells& spread) {
  return fmt::format("EXP({0})*(EXP({1}^2/2)*NORMSDIST(-{1})+EXP({2}^2/2)*NORMSDIST({2}))", spread.shift, spread.below,
                     spread.above);
}

std::string column_letter(std::size_t column) {
  constexpr std::size_t letters = 26;
  const auto letter = [](std::size_t index) { return std::string(1, static_cast<char>('A' + index)); };
  return column < letters ? letter(column) : letter(column / letters - 1) + letter(column % letters);
}

std::string cell_at(std::size_t column, std::size_t line) {
  return fmt::format("${}${}", column_letter(column), line + 1);
}

std::string column_range(const std::string& sheet, std::size_t column, std::size_t first, std::size_t last) {
  return fmt::format("{}!{}:{}", sheet, cell_at(column, first), cell_at(column, last));
}

std::string constant(double value) { return fmt::format("{:.17G}", value); }

std::string quoted(const std::string& text) {
  constexpr std::size_t longest = 250;  // bytes of a literal, which may have 255 characters
  std::string result = "\"";
  std::size_t length = 0;
  for (const char c : text) {
    const bool continues_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
    if (++length > longest && !continues_character) {
      result += "\"&\"";
      length = 1;
    }
    result += c == '"' ? "\"\"" : std::string(1, c);
  }
  return result + '"';
}

std::string number_formula(const std::string& value, const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ",") + quoted(text);
  return fmt::format("MATCH({},{{{}}},0)", value, list);
}

}  // namespace ringmark::analysis
