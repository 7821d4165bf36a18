// A table of NCCL's variables that are worth a sweep: meaning, legal values, and silent effects of other values. For
// NCCL 2.28, based on NVIDIA's user guide and NCCL's source at v2.28.9; names from the libraries up to 2.32.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace ringmark {

/// Values of NcclParameter::affects for variables that matter on only one kind of network.
constexpr std::string_view nccl_over_sockets = "over sockets", nccl_over_ib = "over IB and RoCE";

struct NcclParameter {
  enum class Kind { integer, bytes, flag, words, choices, text };
  enum class Read { communicator, process };  ///< read for each communicator, or once per process

  std::string_view name;  ///< "NCCL_ALGO"
  Kind kind = Kind::text;
  long long least = 0, most = 0;          ///< for integers and bytes
  int multiple_of = 1;                    ///< for integers
  std::vector<std::string_view> choices;  ///< for words (a list in NCCL_ALGO's grammar) and choices
  std::string_view default_value;
  Read read = Read::process;
  std::string_view since, until;  ///< versions; empty: no limit
  std::string_view affects;       ///< which collectives and networks
  std::string_view meaning;
  std::string_view trap;  ///< surprising behaviour of NCCL; may be empty
};

std::span<const NcclParameter> nccl_parameters();

/// Null for a name that is not in the table.
const NcclParameter* find_nccl_parameter(std::string_view name);

/// The problem with a wrong value, including the legal values; empty if the value is fine. A name that differs from a
/// known one by a letter or two is a problem too, since NCCL would ignore it. Other names are not checked: versions and
/// plug-ins have their own, and a name without NCCL_ is not NCCL's.
std::optional<Problem> problem_of_parameter(std::string_view name, std::string_view value);

/// True for a variable that some version of NCCL, a plug-in or an NVIDIA image uses.
bool is_known_to_nccl(std::string_view name);

/// The versions whose names are known, as ncclGetVersion's numbers.
constexpr int oldest_known_nccl = 21602, newest_known_nccl = 23203;

/// Which of the examined versions have a variable. It is unknown for versions between these.
struct NcclNameHistory {
  int since = 0;         ///< the first version that has it; 0 if the oldest known version has it, or none
  int last_without = 0;  ///< the last examined version before that
  int gone = 0;          ///< the first version that no longer has it; 0 if none
};
NcclNameHistory nccl_name_history(std::string_view name);

/// A number as NCCL reads it, including 0x10; empty for other text, or if NCCL would read a different number.
std::optional<long long> parameter_number(std::string_view text);

/// The algorithms or protocols that NCCL_ALGO or NCCL_PROTO allow for a collective; all if the variable is empty.
std::vector<std::string> words_allowed(std::string_view parameter, std::string_view value, std::string_view collective);

/// The output of --list-parameters.
std::string parameter_listing();

}  // namespace ringmark
