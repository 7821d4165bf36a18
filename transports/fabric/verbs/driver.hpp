// The functions of libibverbs, loaded at run time so that one binary runs with and without the library. Tests fill the
// table with fakes.
#pragma once

#include <filesystem>
#include <string>

#include "transports/fabric/verbs/ibverbs_abi.hpp"

namespace ringmark {

struct VerbsApi {
  ibv::Device** (*get_device_list)(int* count);
  void (*free_device_list)(ibv::Device** list);
  const char* (*get_device_name)(ibv::Device* device);
  ibv::Context* (*open_device)(ibv::Device* device);
  int (*close_device)(ibv::Context* context);
  int (*query_device)(ibv::Context* context, ibv::DeviceAttr* attr);
  int (*query_port)(ibv::Context* context, std::uint8_t port, ibv::PortAttr* attr);
  int (*query_gid)(ibv::Context* context, std::uint8_t port, int index, ibv::Gid* gid);
  ibv::Pd* (*alloc_pd)(ibv::Context* context);
  int (*dealloc_pd)(ibv::Pd* pd);
  ibv::Mr* (*reg_mr)(ibv::Pd* pd, void* address, std::size_t bytes, int access);
  int (*dereg_mr)(ibv::Mr* mr);
  ibv::CompChannel* (*create_comp_channel)(ibv::Context* context);
  int (*destroy_comp_channel)(ibv::CompChannel* channel);
  ibv::Cq* (*create_cq)(ibv::Context* context, int entries, void* cq_context, ibv::CompChannel* channel, int vector);
  int (*destroy_cq)(ibv::Cq* cq);
  int (*get_cq_event)(ibv::CompChannel* channel, ibv::Cq** cq, void** cq_context);
  void (*ack_cq_events)(ibv::Cq* cq, unsigned events);
  ibv::Qp* (*create_qp)(ibv::Pd* pd, ibv::QpInitAttr* attr);
  int (*destroy_qp)(ibv::Qp* qp);
  int (*modify_qp)(ibv::Qp* qp, ibv::QpAttr* attr, int mask);
  const char* (*wc_status_str)(ibv::WcStatus status);
  /// Null in libraries before rdma-core 34.
  ibv::Mr* (*reg_dmabuf_mr)(ibv::Pd* pd, std::uint64_t offset, std::size_t bytes, std::uint64_t address, int fd,
                            int access);
};

/// The functions, or the reason why they are missing.
struct VerbsDriver {
  const VerbsApi* api = nullptr;
  std::string why_not;
  std::filesystem::path sysfs = "/sys";  ///< the kernel's description of devices; tests use a tree of their own
};

/// The version of libibverbs loaded into this process, by whatever code: "1.14.44.0", where 44.0 is rdma-core's. Empty
/// if it is not loaded, or its file name does not contain the version.
std::string ibverbs_version_text();

/// This machine's library, opened once.
const VerbsDriver& system_verbs_driver();

}  // namespace ringmark
