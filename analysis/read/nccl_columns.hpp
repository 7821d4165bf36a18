// The columns of nccl-tests' table, by its header: 11 to 13 words before August 2022, 13 since, 21 with -I. Until 2019
// they were called bytes, N, type, op, time, algbw, busbw and res, and times were in milliseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/read/foreign_rows.hpp"

namespace ringmark::analysis {

struct NcclColumns {
  struct Placement {
    bool is_in_place;
    std::size_t time;
    std::optional<std::size_t> algbw, busbw;
    std::optional<std::size_t> wrong;  ///< the number of wrong elements, or their deviation
  };
  std::size_t size = 0, count = 0, type = 0;
  std::optional<std::size_t> redop, root;
  std::vector<Placement> placements;
  std::size_t words = 0;              ///< of a row, without time stamps
  bool has_deviation = false;         ///< `error`, which is not a count, instead of `#wrong`
  bool is_time_of_processor = false;  ///< with -C
  double us_of_time = 1;              ///< microseconds of a unit of time
};

/// Nothing if the line is not such a header. `above` is the line with the placements: "out-of-place   in-place".
std::optional<NcclColumns> nccl_columns(std::string_view line, std::string_view above);

/// True if the line below a header begins with the rest of a column's name, or with the next column: a terminal wrapped
/// the lines.
bool continues_header(std::string_view header, std::string_view below);

/// A row's words by column; empty for a placement that was left out.
using NcclRow = std::vector<std::string_view>;
/// Empty for a line without a row. Words before the row, which a logger wrote, are ignored.
std::optional<NcclRow> nccl_row(const NcclColumns& columns, std::string_view line);
/// True for a row of nccl-tests as any version since 2.0 writes it without -I.
bool is_row_of_some_version(std::string_view line);
/// The name that nccl-tests has had for the type since 2019.
std::string type_called_now(const std::string& name);
/// True for the beginning of a row that was cut off.
bool is_part_of_row(const NcclColumns& columns, std::string_view line);
/// The first word of such a row that its column cannot have; empty if words are missing.
std::string_view unreadable_word(const NcclColumns& columns, std::string_view line);
/// True for a line that has only times, rates and numbers of wrong elements.
bool has_figures_only(std::string_view line);

}  // namespace ringmark::analysis
