#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <nccl.h>
#pragma GCC diagnostic pop

#include <type_traits>

#include "transports/nccl/api.hpp"

namespace {

using namespace ringmark;

static_assert(ncclSuccess == nccl::success && ncclInvalidUsage == nccl::invalid_usage);
static_assert(ncclInvalidArgument == nccl::invalid_argument);
static_assert(ncclRemoteError == nccl::remote_error && ncclInProgress == nccl::in_progress);
static_assert(sizeof(ncclUniqueId) == sizeof(nccl::UniqueId) && sizeof(ncclResult_t) == sizeof(nccl::Result));
static_assert(sizeof(ncclDataType_t) == sizeof(int) && sizeof(ncclRedOp_t) == sizeof(int));
static_assert(ncclInt8 == 0 && ncclUint8 == 1 && ncclInt32 == 2 && ncclUint32 == 3 && ncclInt64 == 4);
static_assert(ncclUint64 == 5 && ncclFloat16 == 6 && ncclFloat32 == 7 && ncclFloat64 == 8 && ncclBfloat16 == 9);
static_assert(ncclSum == 0 && ncclProd == 1 && ncclMax == 2 && ncclMin == 3 && ncclAvg == 4);
#if NCCL_VERSION_CODE >= 22400
static_assert(ncclFloat8e4m3 == 10 && ncclFloat8e5m2 == 11);
#endif
#if NCCL_VERSION_CODE >= 21800
static_assert(NCCL_SPLIT_NOCOLOR == nccl::split_no_color);
static_assert(offsetof(ncclConfig_t, magic) == offsetof(nccl::Config, magic));
static_assert(offsetof(ncclConfig_t, blocking) == offsetof(nccl::Config, blocking));
static_assert(offsetof(ncclConfig_t, netName) == offsetof(nccl::Config, net_name));
#endif
#if NCCL_VERSION_CODE >= 22800 && NCCL_VERSION_CODE < 22900
static_assert(NCCL_WIN_COLL_SYMMETRIC == nccl::window_symmetric);
static_assert(sizeof(ncclConfig_t) == sizeof(nccl::Config));
static_assert(offsetof(ncclConfig_t, commName) == offsetof(nccl::Config, comm_name));
static_assert(offsetof(ncclConfig_t, nvlinkCentricSched) == offsetof(nccl::Config, nvlink_centric_sched));
#endif

/// True if both functions take arguments of the same number and sizes and return the same type.
template <class... Theirs, class... Ours, class Their, class Our>
constexpr bool alike(Their (*)(Theirs...), Our (*)(Ours...)) {
  if constexpr (sizeof...(Theirs) != sizeof...(Ours)) {
    return false;
  } else {
    return ((sizeof(Theirs) == sizeof(Ours) && std::is_pointer_v<Theirs> == std::is_pointer_v<Ours>)&&...);
  }
}
#define SAME(theirs, ours) \
  static_assert(           \
      decltype([] { return std::bool_constant<alike(decltype(&theirs){}, decltype(NcclApi::ours){})>(); }())::value)
SAME(ncclCommInitRankConfig, comm_init_rank_config);
SAME(ncclAllReduce, all_reduce);
SAME(ncclReduceScatter, reduce_scatter);
SAME(ncclAllGather, all_gather);
SAME(ncclReduce, reduce);
SAME(ncclBroadcast, broadcast);
SAME(ncclSend, send);
SAME(ncclRecv, recv);
#if NCCL_VERSION_CODE >= 22800
SAME(ncclCommSplit, comm_split);
SAME(ncclCommRegister, comm_register);
SAME(ncclCommWindowRegister, window_register);
SAME(ncclAlltoAll, all_to_all);
SAME(ncclGather, gather);
SAME(ncclScatter, scatter);
#endif
#undef SAME

}  // namespace
#endif
