// The hidden sheet Variants: simulated results of each place, for formulas to choose from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/plan/formulas.hpp"
#include "analysis/plan/spreadsheet.hpp"
#include "analysis/plan/variants.hpp"

namespace ringmark::analysis {

/// A line for each place, in the order of places_of(). Cells are empty if nothing fits.
class VariantsSheet {
 public:
  VariantsSheet(Spreadsheet& book, const Scenario& scenario, const PlanWithVariants& plan);

  /// The columns of a variant, including the cumulants of its step time.
  enum Column : std::size_t {
    tokens_per_s,
    mean,
    variance,
    third,
    mfu,
    words,
    second_rate,
    second_words,
    columns_of_variant
  };

  const std::vector<PlanPlace>& places() const { return places_; }
  const std::vector<std::string>& names() const { return names_; }
  /// The index of the variant with the next device, which is the last; nothing if no cluster has a next device.
  std::optional<std::size_t> next_device() const;
  /// The best row; nothing if nothing fits.
  std::optional<PlanRow> best(std::size_t place, std::size_t variant) const;
  const std::vector<Sensitivity>& sensitivities(std::size_t place) const {
    return plan_.places.at(places_[place].where).sensitivities;
  }
  /// The place of a row.
  std::size_t place_of(const PlanRow& row) const;

  /// An expression: the cell of a place with the variant whose number, from 1, is the value of another expression.
  std::string cell(std::size_t place, Column column, const std::string& variant) const;
  /// The same of the place whose number, from 1, is an expression, with a given variant.
  std::string of_place(const std::string& place, Column column, std::size_t variant) const;
  /// The same with the variant whose number, from 1, is an expression as well.
  std::string selected(const std::string& place, Column column, const std::string& variant) const;
  /// The rate with a fifth less or a fifth more of an input on which steps depend, given by its index in
  /// sensitive_inputs().
  std::string rate_with(const std::string& place, std::size_t input, bool is_more) const;

 private:
  void write_place(std::size_t place);
  void write_variant(std::size_t line, std::size_t variant, const PlaceVariants& simulated);
  std::string at_place(const std::string& place, std::size_t column) const;

  const Scenario& scenario_;
  const PlanWithVariants& plan_;
  Sheet sheet_;
  std::vector<PlanPlace> places_;
  std::vector<std::string> names_;
};

}  // namespace ringmark::analysis
