#include "transports/fabric/verbs/queue_pair.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

template <class Object>
Object* require_created(Object* object, std::string_view what) {
  if (object == nullptr) throw TransportError(fmt::format("cannot create {}: {}", what, std::strerror(errno)));
  return object;
}

void require_success(int error, std::string_view what) {
  if (error != 0) throw TransportError(fmt::format("{} failed: {}", what, std::strerror(error < 0 ? errno : error)));
}

}  // namespace

QueuePair::QueuePair(VerbsDevice& device, ibv::CompChannel* events, std::uint32_t send_depth,
                     std::uint32_t receive_depth)
    : cq_(nullptr, device.api().destroy_cq), qp_(nullptr, device.api().destroy_qp) {
  const auto& api = device.api();
  cq_.reset(
      require_created(api.create_cq(device.context(), static_cast<int>(send_depth + receive_depth), nullptr, events, 0),
                      "a completion queue"));
  ibv::QpInitAttr attr{};
  attr.send_cq = attr.recv_cq = cq_.get();
  attr.qp_type = ibv::qpt_rc;
  // Request the most inline data that the device supports, up to the size of a control message with some offers.
  for (const std::uint32_t inline_bytes : {128U, 64U, 0U}) {
    attr.cap = {send_depth, receive_depth, 1, 1, inline_bytes};
    qp_.reset(api.create_qp(device.pd(), &attr));
    if (qp_) break;
  }
  require_created(qp_.get(), "a queue pair");
  most_inline_bytes_ = attr.cap.max_inline_data;

  ibv::QpAttr init{};
  init.qp_state = ibv::qps_init;
  init.port_num = static_cast<std::uint8_t>(device.port().number);
  init.qp_access_flags = ibv::access_remote_write;
  require_success(
      api.modify_qp(qp_.get(), &init, ibv::qp_state | ibv::qp_pkey_index | ibv::qp_port | ibv::qp_access_flags),
      "initialising a queue pair");
}

bool QueuePair::connect(const VerbsDevice& device, const ConnectionCard& own, const ConnectionCard& peer,
                        const VerbsOptions& options) {
  const auto& api = device.api();
  ibv::QpAttr receive{};
  receive.qp_state = ibv::qps_rtr;
  receive.path_mtu = std::min(own.mtu_code, peer.mtu_code);
  receive.dest_qp_num = peer.qp_num;
  receive.rq_psn = peer.psn;
  receive.max_dest_rd_atomic = 1;
  receive.min_rnr_timer = static_cast<std::uint8_t>(options.rnr_timer);
  auto& path = receive.ah_attr;
  path.port_num = static_cast<std::uint8_t>(device.port().number);
  path.sl = static_cast<std::uint8_t>(options.service_level);
  path.dlid = peer.lid;
  // InfiniBand needs a global route only between subnets, or to carry options of the GRH.
  const VerbsOptions usual;
  const bool asks_for_route =
      options.gid_index || options.traffic_class != usual.traffic_class || options.hop_limit != usual.hop_limit;
  path.is_global = device.port().is_ethernet() || asks_for_route ? 1 : 0;
  path.dgid = peer.gid;
  path.sgid_index = static_cast<std::uint8_t>(device.gid().index);
  path.hop_limit = static_cast<std::uint8_t>(options.hop_limit);
  path.traffic_class = static_cast<std::uint8_t>(options.traffic_class);
  const int error = api.modify_qp(qp_.get(), &receive,
                                  ibv::qp_state | ibv::qp_av | ibv::qp_path_mtu | ibv::qp_dest_qpn | ibv::qp_rq_psn |
                                      ibv::qp_max_dest_rd_atomic | ibv::qp_min_rnr_timer);
  if (error == ETIMEDOUT || (error < 0 && errno == ETIMEDOUT)) return false;
  require_success(error, "making a queue pair ready to receive");
  ibv::QpAttr send{};
  send.qp_state = ibv::qps_rts;
  send.timeout = static_cast<std::uint8_t>(options.timeout_exponent);
  send.retry_cnt = static_cast<std::uint8_t>(options.retry_count);
  send.rnr_retry = static_cast<std::uint8_t>(options.rnr_retry);
  send.sq_psn = own.psn;
  send.max_rd_atomic = 1;
  require_success(api.modify_qp(qp_.get(), &send,
                                ibv::qp_state | ibv::qp_timeout | ibv::qp_retry_cnt | ibv::qp_rnr_retry |
                                    ibv::qp_sq_psn | ibv::qp_max_qp_rd_atomic),
                  "making a queue pair ready to send");
  return true;
}

void QueuePair::post(ibv::RecvWr& request) {
  ibv::RecvWr* bad = nullptr;
  require_success(qp_->context->post_recv(qp_.get(), &request, &bad), "posting a receive");
}

void QueuePair::post(ibv::SendWr& request) {
  ibv::SendWr* bad = nullptr;
  require_success(qp_->context->post_send(qp_.get(), &request, &bad), "posting a send");
}

std::span<const ibv::Wc> QueuePair::poll(std::span<ibv::Wc> completions) {
  const int count = cq_->context->poll_cq(cq_.get(), static_cast<int>(completions.size()), completions.data());
  if (count < 0) throw TransportError("polling a completion queue failed");
  return completions.first(static_cast<std::size_t>(count));
}

void QueuePair::request_event() { require_success(cq_->context->req_notify_cq(cq_.get(), 0), "requesting an event"); }

}  // namespace ringmark
