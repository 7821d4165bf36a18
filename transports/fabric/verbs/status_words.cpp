#include "transports/fabric/verbs/status_words.hpp"

namespace ringmark {

std::string_view usual_cause(ibv::WcStatus status) {
  switch (status) {
    case ibv::wc_retry_exc_err:
      return "nothing was acknowledged: the peer has exited, its port is down, or the network drops packets (RoCE: "
             "check "
             "PFC and ECN, MTU, the route to its GID); verbs.timeout and verbs.retry_count set how long to wait";
    case ibv::wc_rnr_retry_exc_err:
      return "the peer posted no receive in time: it is stopped or overloaded; verbs.rnr_retry and verbs.rnr_timer set "
             "how long to wait";
    case ibv::wc_loc_prot_err:
      return "the memory to send from is not registered correctly";
    case ibv::wc_loc_len_err:
    case ibv::wc_rem_inv_req_err:
      return "the two ends disagree on a length: do they have the same options? Soft-RoCE also reports this after "
             "needless retransmissions: --set verbs.slice=4K --set verbs.slot=4K avoids it";
    case ibv::wc_rem_access_err:
      return "the peer does not allow writing there: its memory is no longer registered";
    case ibv::wc_rem_op_err:
    case ibv::wc_bad_resp_err:
      return "the peer's adapter failed or ran out of resources";
    case ibv::wc_wr_flush_err:
      return "the queue pair had already failed";
    default:
      return "the adapter refused the request; check the kernel log (dmesg)";
  }
}

bool is_local(ibv::WcStatus status) {
  switch (status) {
    case ibv::wc_loc_len_err:
    case ibv::wc_loc_qp_op_err:
    case ibv::wc_loc_prot_err:
    case ibv::wc_loc_access_err:
      return true;
    default:
      return false;
  }
}

}  // namespace ringmark
