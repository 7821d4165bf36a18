#include "transports/nccl/nccl_start.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr auto start_message = "start of NCCL";

/// Rank 0's message to the others: the identifier, or why it is missing.
struct NcclStart {
  std::string id, problem;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NcclStart, id, problem)

}  // namespace

nccl::UniqueId identifier_of_communicator(const NcclRuntime& runtime, int rank, const NcclPeers& peers) {
  nccl::UniqueId id{};
  NcclStart mine;
  if (rank == 0) {
    const auto result = runtime.api().get_unique_id(&id);
    if (result != nccl::success) mine.problem = fmt::format("NCCL cannot start: {}", runtime.words(result, nullptr));
    mine.id.assign(id.bytes, id.bytes + sizeof id.bytes);
  }
  const auto start = decode<NcclStart>(start_message, peers.from_rank0(encode(start_message, mine)), "rank 0");
  if (!start.problem.empty()) throw Unusable(start.problem);
  if (start.id.size() != sizeof id.bytes) throw_unreadable(start_message, "rank 0");
  std::memcpy(id.bytes, start.id.data(), sizeof id.bytes);
  return id;
}

}  // namespace ringmark
