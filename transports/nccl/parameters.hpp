// The variables of NCCL that are worth a sweep, as a table: what each means, which values NCCL takes, and what it does
// with others without a word. For NCCL 2.28; after NVIDIA's user guide and NCCL's source at v2.28.9.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// What NcclParameter::affects says of a variable that matters on one kind of network alone.
constexpr std::string_view nccl_over_sockets = "over sockets", nccl_over_ib = "over IB and RoCE";

struct NcclParameter {
  enum class Kind { integer, bytes, flag, words, choices, text };
  enum class Read { communicator, process };  ///< anew for each communicator, or once per process

  std::string_view name;  ///< "NCCL_ALGO"
  Kind kind = Kind::text;
  long long least = 0, most = 0;          ///< of integers and bytes
  int multiple_of = 1;                    ///< of integers
  std::vector<std::string_view> choices;  ///< of words (a list after NCCL_ALGO's grammar) and choices
  std::string_view default_value;
  Read read = Read::process;
  std::string_view since, until;  ///< versions; empty: always, still
  std::string_view affects;       ///< which collectives and networks
  std::string_view meaning;
  std::string_view trap;  ///< what NCCL does that one would not expect; may be empty
};

std::span<const NcclParameter> nccl_parameters();

/// Null for a name that is not in the table.
const NcclParameter* find_nccl_parameter(std::string_view name);

/// What is wrong with a value, with the legal ones; empty if nothing is. A name that is a known one but for a letter or
/// two is wrong too, since NCCL would ignore it; others are not judged, since versions and plug-ins have their own.
std::string why_wrong_parameter(std::string_view name, std::string_view value);

/// True for a variable that NCCL 2.28 looks up, or a plug-in or an image of NVIDIA's has.
bool is_known_to_nccl(std::string_view name);

/// A number as NCCL reads it, 0x10 too; nothing for what is none, or would be read as another.
std::optional<long long> parameter_number(std::string_view text);

/// What NCCL_ALGO or NCCL_PROTO leave for a collective, as they spell it; all if the variable is empty.
std::vector<std::string> words_allowed(std::string_view parameter, std::string_view value, std::string_view collective);

/// What --list-parameters prints.
std::string parameter_listing();

}  // namespace ringmark
