#include "analysis/plan/spread_formulas.hpp"

#include <fmt/format.h>

#include "analysis/plan/spread.hpp"

namespace ringmark::analysis {

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

}  // namespace ringmark::analysis
