// The transports that can be measured, and the facts about each that code needs without including its network code.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace ringmark {

enum class Transport { tcp, verbs, nccl, mpi };

inline constexpr std::array every_transport{Transport::tcp, Transport::verbs, Transport::nccl, Transport::mpi};
constexpr std::span<const Transport> all_transports() { return every_transport; }

struct TransportFacts {
  std::string_view name;
  std::string_view library{};             ///< the library that chooses the algorithm; empty if our schedules run
  std::string_view algorithm_variable{};  ///< environment variable that sets the library's algorithm
  std::string_view variables{};           ///< prefix of environment variables that only this transport reads
  std::string_view connections_option{};  ///< number of connections between two ranks
  std::string_view interfaces_option{};   ///< interfaces assigned to the ranks of a host in turn
  bool needs_mpi = false;                 ///< MPI must have started the ranks
  bool computes_on_gpu = false;           ///< ranks can compute on the GPU that communicates
};

const TransportFacts& facts_of(Transport transport);
std::string_view name(Transport transport);
std::optional<Transport> parse_transport(std::string_view text);

/// True if our schedules run over our own fabric; false if a library chooses the algorithm.
bool has_own_schedules(Transport transport);
/// The transport that alone reads the environment variable; empty if none does.
std::optional<Transport> only_reader_of(std::string_view variable);

}  // namespace ringmark
