// The part of NCCL's interface (nccl.h of 2.28) that is used here, so that everything builds without NCCL installed;
// abi_check.cpp compares it with the real header if present. Tests fill the table with fakes.
#pragma once

#include <climits>
#include <cstddef>

#include "transports/memory/cuda/driver.hpp"

namespace ringmark {

namespace nccl {
using Result = int;
using Comm = void*;
using Window = void*;

constexpr Result success = 0, invalid_argument = 4, invalid_usage = 5, remote_error = 6, in_progress = 7;
constexpr int split_no_color = -1, window_symmetric = 1;

struct UniqueId {
  char bytes[128];
};

/// Layout of NCCL 2.28: an older library reads the part it knows, a newer one fills in the rest according to `version`.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 22809;
  int blocking = INT_MIN;
  int cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN;
  const char* net_name = nullptr;
  int split_share = INT_MIN, traffic_class = INT_MIN;
  const char* comm_name = nullptr;
  int collnet_enable = INT_MIN, cta_policy = INT_MIN, shrink_share = INT_MIN, nvls_ctas = INT_MIN;
  int channels_per_net_peer = INT_MIN, nvlink_centric_sched = INT_MIN;
};
}  // namespace nccl

struct NcclApi {
  nccl::Result (*get_version)(int* version);
  nccl::Result (*get_unique_id)(nccl::UniqueId* id);
  nccl::Result (*comm_init_rank_config)(nccl::Comm* comm, int ranks, nccl::UniqueId id, int rank, nccl::Config* config);
  nccl::Result (*comm_destroy)(nccl::Comm comm);
  nccl::Result (*comm_abort)(nccl::Comm comm);
  nccl::Result (*comm_get_async_error)(nccl::Comm comm, nccl::Result* error);
  const char* (*get_error_string)(nccl::Result result);
  nccl::Result (*group_start)();
  nccl::Result (*group_end)();
  nccl::Result (*all_reduce)(const void* send, void* recv, std::size_t count, int type, int op, nccl::Comm comm,
                             cuda::Stream stream);
  nccl::Result (*reduce_scatter)(const void* send, void* recv, std::size_t recv_count, int type, int op,
                                 nccl::Comm comm, cuda::Stream stream);
  nccl::Result (*all_gather)(const void* send, void* recv, std::size_t send_count, int type, nccl::Comm comm,
                             cuda::Stream stream);
  nccl::Result (*reduce)(const void* send, void* recv, std::size_t count, int type, int op, int root, nccl::Comm comm,
                         cuda::Stream stream);
  nccl::Result (*broadcast)(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm,
                            cuda::Stream stream);
  nccl::Result (*send)(const void* buffer, std::size_t count, int type, int peer, nccl::Comm comm, cuda::Stream stream);
  nccl::Result (*recv)(void* buffer, std::size_t count, int type, int peer, nccl::Comm comm, cuda::Stream stream);

  // Null in libraries older than the version in the comment.
  const char* (*get_last_error)(nccl::Comm comm);                                                            // 2.13
  nccl::Result (*comm_split)(nccl::Comm comm, int color, int key, nccl::Comm* group, nccl::Config* config);  // 2.18
  nccl::Result (*mem_alloc)(void** begin, std::size_t bytes);                                                // 2.19
  nccl::Result (*mem_free)(void* begin);                                                                     // 2.19
  nccl::Result (*comm_register)(nccl::Comm comm, void* begin, std::size_t bytes, void** handle);             // 2.19
  nccl::Result (*comm_deregister)(nccl::Comm comm, void* handle);                                            // 2.19
  nccl::Result (*window_register)(nccl::Comm comm, void* begin, std::size_t bytes, nccl::Window* window,
                                  int flags);                               // 2.27
  nccl::Result (*window_deregister)(nccl::Comm comm, nccl::Window window);  // 2.27
  nccl::Result (*all_to_all)(const void* send, void* recv, std::size_t count, int type, nccl::Comm comm,
                             cuda::Stream stream);  // 2.28
  nccl::Result (*gather)(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm,
                         cuda::Stream stream);  // 2.28
  nccl::Result (*scatter)(const void* send, void* recv, std::size_t count, int type, int root, nccl::Comm comm,
                          cuda::Stream stream);  // 2.28
  void (*reset_debug)();                         ///< reads NCCL_DEBUG again; NVIDIA plans to remove it
};

}  // namespace ringmark
