// The options of every transport as values, and bench's list of transports for command lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/flags/option.hpp"
#include "base/memory_kind.hpp"
#include "base/transport.hpp"
#include "transports/fabric/tcp/options.hpp"
#include "transports/fabric/verbs/options.hpp"
#include "transports/mpi/options.hpp"
#include "transports/nccl/options.hpp"

namespace ringmark {

/// The list, in the order of `Transport`. Each type has `transport`, a `table()` of its options, and `memory_kind()`.
using OptionsOfTransports = std::tuple<TcpOptions, VerbsOptions, NcclOptions, MpiOptions>;

class TransportOptions {
 public:
  template <class Options>
  const Options& of() const {
    return std::get<Options>(all_);
  }
  /// Where operations' buffers will be.
  MemoryKind memory_kind(Transport transport) const;

  /// True if any transport has the option.
  static bool has(std::string_view key);
  /// False if the option has no effect with the transport. Throws BadUsage if the value is not allowed.
  bool set(Transport transport, std::string_view key, std::string_view value);

 private:
  OptionsOfTransports all_;
};

/// Calls visit with the table of each transport's options.
template <class Visit>
void visit_option_tables(const Visit& visit) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(std::tuple_element_t<i, OptionsOfTransports>::table()), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<OptionsOfTransports>>());
}

/// The output of --list-options.
std::string option_listing();

}  // namespace ringmark
