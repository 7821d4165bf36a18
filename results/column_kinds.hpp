// The meaning of a swept variable, or of a column beyond the contract's, for a row.
#pragma once

#include <optional>
#include <string_view>

namespace ringmark {

enum class ColumnKind {
  choice,      ///< how it was done: what comparisons choose among
  thing,       ///< what was measured: ranks, sizes, a model
  distortion,  ///< how a replay distorts the step that it plays, such as a scale of time or a straggler: nobody can
               ///< choose it
};

/// The kind of a flag of the measuring programs, without its dashes, or of a column of replay/1. Nothing for other
/// names, and for flags that a sweep cannot vary.
std::optional<ColumnKind> kind_of(std::string_view column);

/// True for a column that is better the larger it is.
bool is_rate(std::string_view column);

/// True for what says where a row comes from: the hosts of its ranks, the program's version. It may differ between
/// launches of one setting.
bool is_origin(std::string_view column);

/// True for the version of a library on which a row ran, such as nccl_version. It says where a row comes from, until
/// rows of several versions are read together: then it is a setting.
bool is_library_version(std::string_view column);

/// True for choices; also for names that are neither flags nor columns: options and variables of the environment.
bool is_choice(std::string_view column);

}  // namespace ringmark
