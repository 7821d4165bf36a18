// declare(): makes a Column from a member of Record or of one of its parts.
#pragma once

#include <cmath>
#include <type_traits>

#include "base/flags/option.hpp"
#include "results/schema/column.hpp"

namespace ringmark {

/// The hand-written part of a column's declaration.
struct ColumnWords {
  std::string_view name;
  Role role;
  std::string_view unit;
  std::string_view meaning;
  std::string_view flag{};
  int since = 1;
};

namespace schema {

template <class Value>
struct Plain {
  using type = Value;
};
template <class Value>
struct Plain<std::optional<Value>> {
  using type = Value;
};

template <class Row, class Value>
Row row_of(Value Row::*);
template <class Row, class Value>
Value type_of(Value Row::*);

/// The part of a record that has the member; null if the record lacks the part.
template <class Row>
const Row* part_of(const Record& record) {
  if constexpr (std::is_same_v<Row, Record>) return &record;
  if constexpr (std::is_same_v<Row, Settings>) return &record.settings;
  if constexpr (std::is_same_v<Row, LinkEnds>) return record.link ? &*record.link : nullptr;
  if constexpr (std::is_same_v<Row, StepResult>) return record.step ? &*record.step : nullptr;
}
template <class Row>
Row& part_to_fill(Record& record) {
  if constexpr (std::is_same_v<Row, LinkEnds>) {
    if (!record.link) record.link.emplace();
  } else if constexpr (std::is_same_v<Row, StepResult>) {
    if (!record.step) record.step.emplace();
  }
  // Safe, since `record` is not const.
  return const_cast<Row&>(*part_of<Row>(record));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

template <class Value>
TypedCell typed(const Value& value, Digits digits) {
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return digits == Digits::whole ? TypedCell(static_cast<std::int64_t>(std::round(value))) : TypedCell(value);
  } else {
    auto text = to_cell(value, digits);
    return text.empty() ? TypedCell() : TypedCell(std::move(text));
  }
}
template <class Value>
TypedCell typed(const std::optional<Value>& value, Digits digits) {
  return value ? typed(*value, digits) : TypedCell();
}

}  // namespace schema

/// `digits` is how its numbers are written to cells.
template <auto member, Digits digits = Digits::six>
constexpr Column declare(const ColumnWords& words) {
  using Row = decltype(schema::row_of(member));
  using Value = decltype(schema::type_of(member));
  using One = Plain<Value>;
  constexpr double exact = 9007199254740992, most_ranks = 1 << 24;  // 2^53
  Column column{words.name, words.role, words.unit, words.meaning, words.flag, words.since};
  if constexpr (std::is_arithmetic_v<One>) column.type = ColumnType::number;
  if constexpr (std::is_same_v<One, Settings>) column.type = ColumnType::object;
  if constexpr (std::is_integral_v<One>) column.most = std::is_signed_v<One> ? most_ranks : exact;
  column.cell = [](const Record& record) {
    const auto* const part = schema::part_of<Row>(record);
    return part == nullptr ? std::string() : to_cell(part->*member, digits);
  };
  column.value = [](const Record& record) {
    const auto* const part = schema::part_of<Row>(record);
    return part == nullptr ? TypedCell() : schema::typed(part->*member, digits);
  };
  column.read = [](std::string_view cell, Record& record) {
    // An empty cell must not create the part.
    constexpr bool is_always_there = std::is_same_v<Row, Record> || std::is_same_v<Row, Settings>;
    if (is_always_there || !cell.empty()) from_cell(cell, schema::part_to_fill<Row>(record).*member);
  };
  return column;
}

}  // namespace ringmark
