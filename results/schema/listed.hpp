// A value of a row that may have several.
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <vector>

namespace ringmark {

/// Has one value in a measured row, none if the column does not apply, and several in the row that stands for a sweep's
/// failed launch, which was to measure each of them.
template <class Value>
class Listed {
 public:
  Listed() = default;
  template <std::convertible_to<Value> One>
  Listed(One one) : values_{Value(one)} {}   // NOLINT(google-explicit-constructor): one value is the usual case
  Listed(const std::optional<Value>& one) {  // NOLINT(google-explicit-constructor)
    if (one) values_.push_back(*one);
  }
  explicit Listed(std::vector<Value> values) : values_(std::move(values)) {}

  bool empty() const { return values_.empty(); }
  const std::vector<Value>& all() const { return values_; }
  /// Empty if there are no values, or several.
  std::optional<Value> only() const { return values_.size() == 1 ? std::optional(values_.front()) : std::nullopt; }

  friend bool operator==(const Listed&, const Listed&) = default;

 private:
  std::vector<Value> values_;
};

}  // namespace ringmark
