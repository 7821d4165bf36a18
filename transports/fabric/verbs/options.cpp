#include "transports/fabric/verbs/options.hpp"

namespace ringmark {
namespace {

OptionRow<VerbsOptions> mtu_option() {
  return {"verbs.mtu",
          "bytes",
          "256, 512, 1024, 2048 or 4096",
          "MTU of the path; by default the smaller port's",
          [](VerbsOptions& o, std::string_view text) {
            return read_number(text, 256, 4096, o.mtu_bytes) && (o.mtu_bytes & (o.mtu_bytes - 1)) == 0;
          },
          [](const VerbsOptions& o) { return o.mtu_bytes == 0 ? "" : std::to_string(o.mtu_bytes); }};
}

}  // namespace

const OptionTable<VerbsOptions>& VerbsOptions::table() {
  using Options = VerbsOptions;
  constexpr std::size_t least_slice = 64, most_slice = 64 * mebi;
  static const OptionTable<Options> table({
      text_option("verbs.device", "a device like mlx5_0, a port of one like mlx5_0:1, or numa", &Options::device,
                  "port for the traffic; by default the node's active ports in turn, one per local rank; numa: "
                  "the ports nearest to the rank's memory"),
      number_option(
          "verbs.gid_index", "", &Options::gid_index, 0, 255,
          "entry of the port's GID table; by default the RoCE v2 entry of verbs.gid_family, or 0 on InfiniBand"),
      word_option("verbs.gid_family", &Options::gid_family, {"ipv4", "ipv6"}, "preferred family of RoCE v2 GIDs"),
      choice_option<Options, MemoryKind>("verbs.memory", &Options::memory,
                                         {{"host", MemoryKind::host}, {"cuda", MemoryKind::cuda}},
                                         "where buffers are; cuda: on the GPU of the local rank, for operations that "
                                         "do not reduce (GPUDirect; unverified on hardware)"),
      number_option("verbs.queue_pairs", "queue pairs", &Options::queue_pairs, 1, 64,
                    "queue pairs to each peer, used by slices in turn"),
      size_option("verbs.slice", &Options::slice_bytes, least_slice, most_slice, "largest piece sent as one message"),
      size_option(
          "verbs.crossover", &Options::crossover_bytes, least_slice, most_slice,
          "alpha / beta: the size at which the bytes take as long as a message's fixed cost; determines auto and "
          "the smallest slice",
          "to measure it"),
      size_option("verbs.eager", &Options::eager_bytes, least_slice, 64 * kibi,
                  "messages up to this size are sent to a slot without a prior offer"),
      size_option("verbs.slot", &Options::slot_bytes, 4 * kibi, 4 * mebi,
                  "size of a receiver's slot for messages that are reduced or whose target is not registered"),
      mtu_option(),
      number_option("verbs.service_level", "", &Options::service_level, 0, 15,
                    "InfiniBand's service level, or RoCE's priority with VLANs"),
      number_option("verbs.traffic_class", "", &Options::traffic_class, 0, 255,
                    "traffic class in the GRH: DSCP × 4 for RoCE v2"),
      number_option("verbs.hop_limit", "hops", &Options::hop_limit, 1, 255, "hop limit in the GRH"),
      number_option("verbs.timeout", "n of 4.096 µs × 2^n", &Options::timeout_exponent, 1, 31,
                    "how long to wait for an acknowledgement (18: 1.1 s)"),
      number_option("verbs.retry_count", "times", &Options::retry_count, 0, 7,
                    "retransmissions of an unacknowledged packet"),
      number_option("verbs.rnr_retry", "times", &Options::rnr_retry, 0, 7,
                    "retransmissions to a receiver that is not ready (7: forever)"),
      number_option("verbs.rnr_timer", "index of the InfiniBand specification's table", &Options::rnr_timer, 0, 31,
                    "how long a sender waits for a receiver that is not ready (12: 0.64 ms)"),
      duration_option("verbs.spin", "microseconds", &Options::spin, 0, 1'000'000,
                      "how long a wait polls before it sleeps until an event; by default 200, or 20 on a host with "
                      "more ranks than cores"),
  });
  return table;
}

}  // namespace ringmark
