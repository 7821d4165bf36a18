// The rates that a cluster's launches usually reach, as expectations of acceptance.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/datatype.hpp"
#include "base/operation.hpp"
#include "base/transport.hpp"
#include "results/schema/workload.hpp"

namespace ringmark::history {

struct UsualRate {
  double GBps;
  std::size_t launches;  ///< on which it is based: those since the last change
};

/// Selects launches that were measured the same way. Unset values match any.
struct AllReduceCase {
  std::size_t size_bytes;
  int ranks;
  Transport transport;
  std::optional<Timing> timing = Timing::each;
  std::optional<DataType> datatype = DataType::float32;
  std::optional<ReduceOp> op = ReduceOp::sum;
  std::string algorithm{};
};

/// The bus bandwidth of the out-of-place all_reduce at its median time, from the most recent series that matches. Empty
/// with fewer than five launches. Throws BadUsage if the store does not exist.
std::optional<UsualRate> usual_all_reduce(const std::string& store, const std::string& cluster,
                                          const AllReduceCase& asked);

/// The rate of the median link between these hosts, with messages of that size.
std::optional<UsualRate> usual_link(const std::string& store, const std::string& cluster, std::size_t size_bytes,
                                    Transport transport, const std::vector<std::string>& hosts);

}  // namespace ringmark::history
