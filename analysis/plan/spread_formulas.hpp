// The arithmetic of spread.hpp as a spreadsheet's formulas.
#pragma once

#include <string>

namespace ringmark::analysis {

/// Expressions, or cells.
struct CumulantCells {
  std::string mean, variance, third;
};
struct SpreadCells {
  std::string shift, below, above;
};

/// Standard deviation of the logarithm on one side: of a factor that is passed in 5 % of cases, given over the median
/// or as the inverse of that.
std::string scatter_formula(const std::string& factor);
/// Of a factor with these standard deviations of its logarithm.
CumulantCells cumulants_formula(const std::string& below, const std::string& above);
CumulantCells operator+(const CumulantCells& a, const CumulantCells& b);
/// The difference of `above` and `below`.
std::string asymmetry_formula(const CumulantCells& cumulants);
SpreadCells spread_formula(const CumulantCells& cumulants, const std::string& asymmetry);
std::string quantile_formula(const SpreadCells& spread, const std::string& probability);
std::string probability_formula(const SpreadCells& spread, const std::string& factor);
std::string mean_formula(const SpreadCells& spread);

}  // namespace ringmark::analysis
