// Compares ibverbs_abi.hpp with libibverbs' header if that is installed: a difference fails to compile.
#include "transports/fabric/verbs/ibverbs_abi.hpp"

#if __has_include(<infiniband/verbs.h>)
#include <infiniband/verbs.h>

namespace ringmark::ibv {

// NOLINTBEGIN(bugprone-sizeof-expression): sizes of pointers are compared like all others.
#define SAME_SIZE(Ours, theirs) static_assert(sizeof(Ours) == sizeof(theirs))
#define SAME_PLACE(Ours, theirs, field) \
  static_assert(offsetof(Ours, field) == offsetof(theirs, field) && sizeof(Ours::field) == sizeof(theirs::field))
#define SAME_VALUE(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))

SAME_SIZE(PortAttr, ibv_port_attr);
SAME_PLACE(PortAttr, ibv_port_attr, state);
SAME_PLACE(PortAttr, ibv_port_attr, active_mtu);
SAME_PLACE(PortAttr, ibv_port_attr, gid_tbl_len);
SAME_PLACE(PortAttr, ibv_port_attr, lid);
SAME_PLACE(PortAttr, ibv_port_attr, active_width);
SAME_PLACE(PortAttr, ibv_port_attr, link_layer);
SAME_SIZE(DeviceAttr, ibv_device_attr);
SAME_PLACE(DeviceAttr, ibv_device_attr, max_qp_wr);
SAME_PLACE(DeviceAttr, ibv_device_attr, phys_port_cnt);
SAME_SIZE(Mr, ibv_mr);
SAME_PLACE(Mr, ibv_mr, lkey);
SAME_PLACE(Mr, ibv_mr, rkey);
SAME_PLACE(CompChannel, ibv_comp_channel, fd);
SAME_SIZE(Sge, ibv_sge);
SAME_PLACE(Sge, ibv_sge, length);
SAME_PLACE(Sge, ibv_sge, lkey);
SAME_SIZE(SendWr, ibv_send_wr);
SAME_PLACE(SendWr, ibv_send_wr, sg_list);
SAME_PLACE(SendWr, ibv_send_wr, opcode);
SAME_PLACE(SendWr, ibv_send_wr, send_flags);
SAME_PLACE(SendWr, ibv_send_wr, imm_data);
static_assert(offsetof(SendWr, remote_addr) == offsetof(ibv_send_wr, wr.rdma.remote_addr));
static_assert(offsetof(SendWr, rkey) == offsetof(ibv_send_wr, wr.rdma.rkey));
SAME_SIZE(RecvWr, ibv_recv_wr);
SAME_PLACE(RecvWr, ibv_recv_wr, sg_list);
SAME_PLACE(RecvWr, ibv_recv_wr, num_sge);
SAME_SIZE(Wc, ibv_wc);
SAME_PLACE(Wc, ibv_wc, status);
SAME_PLACE(Wc, ibv_wc, opcode);
SAME_PLACE(Wc, ibv_wc, byte_len);
SAME_PLACE(Wc, ibv_wc, imm_data);
SAME_PLACE(Wc, ibv_wc, qp_num);
SAME_SIZE(QpCap, ibv_qp_cap);
SAME_PLACE(QpCap, ibv_qp_cap, max_inline_data);
static_assert(offsetof(Context, poll_cq) == offsetof(ibv_context, ops.poll_cq));
static_assert(offsetof(Context, req_notify_cq) == offsetof(ibv_context, ops.req_notify_cq));
static_assert(offsetof(Context, post_send) == offsetof(ibv_context, ops.post_send));
static_assert(offsetof(Context, post_recv) == offsetof(ibv_context, ops.post_recv));
SAME_PLACE(Context, ibv_context, async_fd);
SAME_PLACE(Pd, ibv_pd, context);
SAME_PLACE(Cq, ibv_cq, context);
SAME_PLACE(Qp, ibv_qp, context);
SAME_PLACE(Qp, ibv_qp, qp_num);
SAME_SIZE(QpInitAttr, ibv_qp_init_attr);
SAME_PLACE(QpInitAttr, ibv_qp_init_attr, recv_cq);
SAME_PLACE(QpInitAttr, ibv_qp_init_attr, cap);
SAME_PLACE(QpInitAttr, ibv_qp_init_attr, qp_type);
SAME_PLACE(QpInitAttr, ibv_qp_init_attr, sq_sig_all);
SAME_SIZE(AhAttr, ibv_ah_attr);
static_assert(offsetof(AhAttr, sgid_index) == offsetof(ibv_ah_attr, grh.sgid_index));
static_assert(offsetof(AhAttr, traffic_class) == offsetof(ibv_ah_attr, grh.traffic_class));
SAME_PLACE(AhAttr, ibv_ah_attr, dlid);
SAME_PLACE(AhAttr, ibv_ah_attr, sl);
SAME_PLACE(AhAttr, ibv_ah_attr, is_global);
SAME_PLACE(AhAttr, ibv_ah_attr, port_num);
SAME_SIZE(QpAttr, ibv_qp_attr);
SAME_PLACE(QpAttr, ibv_qp_attr, path_mtu);
SAME_PLACE(QpAttr, ibv_qp_attr, rq_psn);
SAME_PLACE(QpAttr, ibv_qp_attr, dest_qp_num);
SAME_PLACE(QpAttr, ibv_qp_attr, qp_access_flags);
SAME_PLACE(QpAttr, ibv_qp_attr, ah_attr);
SAME_PLACE(QpAttr, ibv_qp_attr, pkey_index);
SAME_PLACE(QpAttr, ibv_qp_attr, max_rd_atomic);
SAME_PLACE(QpAttr, ibv_qp_attr, max_dest_rd_atomic);
SAME_PLACE(QpAttr, ibv_qp_attr, min_rnr_timer);
SAME_PLACE(QpAttr, ibv_qp_attr, port_num);
SAME_PLACE(QpAttr, ibv_qp_attr, timeout);
SAME_PLACE(QpAttr, ibv_qp_attr, retry_cnt);
SAME_PLACE(QpAttr, ibv_qp_attr, rnr_retry);

SAME_VALUE(port_active, IBV_PORT_ACTIVE);
SAME_VALUE(port_down, IBV_PORT_DOWN);
SAME_VALUE(port_init, IBV_PORT_INIT);
SAME_VALUE(port_armed, IBV_PORT_ARMED);
SAME_VALUE(link_layer_infiniband, IBV_LINK_LAYER_INFINIBAND);
SAME_VALUE(link_layer_ethernet, IBV_LINK_LAYER_ETHERNET);
SAME_VALUE(qpt_rc, IBV_QPT_RC);
SAME_VALUE(qps_init, IBV_QPS_INIT);
SAME_VALUE(qps_rtr, IBV_QPS_RTR);
SAME_VALUE(qps_rts, IBV_QPS_RTS);
SAME_VALUE(wr_rdma_write, IBV_WR_RDMA_WRITE);
SAME_VALUE(wr_rdma_write_with_imm, IBV_WR_RDMA_WRITE_WITH_IMM);
SAME_VALUE(wr_send, IBV_WR_SEND);
SAME_VALUE(send_signaled, IBV_SEND_SIGNALED);
SAME_VALUE(send_inline, IBV_SEND_INLINE);
SAME_VALUE(wc_success, IBV_WC_SUCCESS);
SAME_VALUE(wc_wr_flush_err, IBV_WC_WR_FLUSH_ERR);
SAME_VALUE(wc_loc_prot_err, IBV_WC_LOC_PROT_ERR);
SAME_VALUE(wc_rem_access_err, IBV_WC_REM_ACCESS_ERR);
SAME_VALUE(wc_retry_exc_err, IBV_WC_RETRY_EXC_ERR);
SAME_VALUE(wc_rnr_retry_exc_err, IBV_WC_RNR_RETRY_EXC_ERR);
SAME_VALUE(wc_send, IBV_WC_SEND);
SAME_VALUE(wc_rdma_write, IBV_WC_RDMA_WRITE);
SAME_VALUE(wc_recv, IBV_WC_RECV);
SAME_VALUE(wc_recv_rdma_with_imm, IBV_WC_RECV_RDMA_WITH_IMM);
SAME_VALUE(access_local_write, IBV_ACCESS_LOCAL_WRITE);
SAME_VALUE(access_remote_write, IBV_ACCESS_REMOTE_WRITE);
SAME_VALUE(qp_state, IBV_QP_STATE);
SAME_VALUE(qp_access_flags, IBV_QP_ACCESS_FLAGS);
SAME_VALUE(qp_pkey_index, IBV_QP_PKEY_INDEX);
SAME_VALUE(qp_port, IBV_QP_PORT);
SAME_VALUE(qp_av, IBV_QP_AV);
SAME_VALUE(qp_path_mtu, IBV_QP_PATH_MTU);
SAME_VALUE(qp_timeout, IBV_QP_TIMEOUT);
SAME_VALUE(qp_retry_cnt, IBV_QP_RETRY_CNT);
SAME_VALUE(qp_rnr_retry, IBV_QP_RNR_RETRY);
SAME_VALUE(qp_rq_psn, IBV_QP_RQ_PSN);
SAME_VALUE(qp_max_qp_rd_atomic, IBV_QP_MAX_QP_RD_ATOMIC);
SAME_VALUE(qp_min_rnr_timer, IBV_QP_MIN_RNR_TIMER);
SAME_VALUE(qp_sq_psn, IBV_QP_SQ_PSN);
SAME_VALUE(qp_max_dest_rd_atomic, IBV_QP_MAX_DEST_RD_ATOMIC);
SAME_VALUE(qp_dest_qpn, IBV_QP_DEST_QPN);

// NOLINTEND(bugprone-sizeof-expression)
}  // namespace ringmark::ibv
#endif
