// The part of libibverbs' binary interface (IBVERBS_1.1, stable since 2008) that this transport uses, declared here so
// that it builds and is tested everywhere. Fields have libibverbs' names; unused ones are padding.
// ibverbs_abi_check.cpp compares all of it with infiniband/verbs.h if that is installed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringmark::ibv {

struct Device {};  ///< only ever pointed to

using Gid = std::array<std::uint8_t, 16>;

enum PortState : int { port_nop, port_down, port_init, port_armed, port_active, port_active_defer };
enum LinkLayer : std::uint8_t { link_layer_unspecified, link_layer_infiniband, link_layer_ethernet };
enum QpType : int { qpt_rc = 2 };
enum QpState : int { qps_reset, qps_init, qps_rtr, qps_rts, qps_sqd, qps_sqe, qps_err };
enum Opcode : int { wr_rdma_write = 0, wr_rdma_write_with_imm = 1, wr_send = 2 };
enum SendFlags : unsigned { send_signaled = 1 << 1, send_inline = 1 << 3 };
enum WcStatus : int {
  wc_success,
  wc_loc_len_err,
  wc_loc_qp_op_err,
  wc_loc_eec_op_err,
  wc_loc_prot_err,
  wc_wr_flush_err,
  wc_mw_bind_err,
  wc_bad_resp_err,
  wc_loc_access_err,
  wc_rem_inv_req_err,
  wc_rem_access_err,
  wc_rem_op_err,
  wc_retry_exc_err,
  wc_rnr_retry_exc_err,
};
enum WcOpcode : int { wc_send = 0, wc_rdma_write = 1, wc_recv = 1 << 7, wc_recv_rdma_with_imm = (1 << 7) + 1 };
enum Access : int { access_local_write = 1, access_remote_write = 1 << 1 };
enum QpAttrMask : int {
  qp_state = 1 << 0,
  qp_access_flags = 1 << 3,
  qp_pkey_index = 1 << 4,
  qp_port = 1 << 5,
  qp_av = 1 << 7,
  qp_path_mtu = 1 << 8,
  qp_timeout = 1 << 9,
  qp_retry_cnt = 1 << 10,
  qp_rnr_retry = 1 << 11,
  qp_rq_psn = 1 << 12,
  qp_max_qp_rd_atomic = 1 << 13,
  qp_min_rnr_timer = 1 << 15,
  qp_sq_psn = 1 << 16,
  qp_max_dest_rd_atomic = 1 << 17,
  qp_dest_qpn = 1 << 20,
};

struct PortAttr {
  PortState state;
  int max_mtu, active_mtu;  ///< 1: 256 bytes … 5: 4096
  int gid_tbl_len;
  std::uint32_t port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
  std::uint16_t pkey_tbl_len, lid, sm_lid;
  std::uint8_t lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply, active_width, active_speed, phys_state,
      link_layer, flags;
  std::uint16_t port_cap_flags2;
};

struct DeviceAttr {
  char fw_ver[64];
  std::uint64_t node_guid, sys_image_guid, max_mr_size, page_size_cap;
  std::uint32_t vendor_id, vendor_part_id, hw_ver;
  int max_qp, max_qp_wr;
  std::uint8_t unused_[111];
  std::uint8_t phys_port_cnt;
};

struct Mr {
  void* context;
  void* pd;
  void* addr;
  std::size_t length;
  std::uint32_t handle, lkey, rkey;
};

struct CompChannel {
  void* context;
  int fd;
  int refcnt;
};

struct Sge {
  std::uint64_t addr;
  std::uint32_t length, lkey;
};

struct SendWr {
  std::uint64_t wr_id;
  SendWr* next;
  Sge* sg_list;
  int num_sge;
  Opcode opcode;
  unsigned send_flags;
  std::uint32_t imm_data;  ///< in network format
  std::uint64_t remote_addr;
  std::uint32_t rkey;
  std::uint8_t unused_[76];
};

struct RecvWr {
  std::uint64_t wr_id;
  RecvWr* next;
  Sge* sg_list;
  int num_sge;
};

struct Wc {
  std::uint64_t wr_id;
  WcStatus status;
  WcOpcode opcode;
  std::uint32_t vendor_err, byte_len, imm_data, qp_num, src_qp;
  unsigned wc_flags;
  std::uint16_t pkey_index, slid;
  std::uint8_t sl, dlid_path_bits;
};

struct QpCap {
  std::uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data;
};

struct Cq;
struct Qp;

/// The calls of the data path go through the device's own functions.
struct Context {
  Device* device;
  void* unused_before_poll_[11];
  int (*poll_cq)(Cq* cq, int entries, Wc* wc);
  int (*req_notify_cq)(Cq* cq, int solicited_only);
  void* unused_before_send_[12];
  int (*post_send)(Qp* qp, SendWr* wr, SendWr** bad_wr);
  int (*post_recv)(Qp* qp, RecvWr* wr, RecvWr** bad_wr);
  void* unused_after_recv_[5];
  int cmd_fd, async_fd;
};

struct Pd {
  Context* context;
};
struct Cq {
  Context* context;
};
struct Qp {
  Context* context;
  void* unused_[5];
  std::uint32_t handle;
  std::uint32_t qp_num;
};

struct QpInitAttr {
  void* qp_context;
  Cq *send_cq, *recv_cq;
  void* srq;
  QpCap cap;
  QpType qp_type;
  int sq_sig_all;
};

struct AhAttr {
  Gid dgid;
  std::uint32_t flow_label;
  std::uint8_t sgid_index, hop_limit, traffic_class;
  std::uint8_t alignment_;
  std::uint16_t dlid;
  std::uint8_t sl, src_path_bits, static_rate, is_global, port_num;
  std::uint8_t alignment_end_;
};
static_assert(sizeof(AhAttr) == 32);

struct QpAttr {
  QpState qp_state, cur_qp_state;
  int path_mtu, path_mig_state;
  std::uint32_t qkey, rq_psn, sq_psn, dest_qp_num;
  unsigned qp_access_flags;
  QpCap cap;
  alignas(8) AhAttr ah_attr;
  alignas(8) AhAttr alt_ah_attr;
  std::uint16_t pkey_index, alt_pkey_index;
  std::uint8_t en_sqd_async_notify, sq_draining, max_rd_atomic, max_dest_rd_atomic, min_rnr_timer, port_num, timeout,
      retry_cnt, rnr_retry, alt_port_num, alt_timeout;
  std::uint32_t rate_limit;
};

}  // namespace ringmark::ibv
