#include "transports/fabric/verbs/options.hpp"

namespace ringmark {
const OptionTable<VerbsOptions>& verbs_option_table() {
  static const OptionTable<VerbsOptions> table({
      {"verbs.device", "", "a device like mlx5_0, a port of one like mlx5_0:1, or numa", "",
       "where the traffic goes; by default the node's active ports in turn, one for each local rank; with numa those "
       "nearest to the rank's memory",
       [](VerbsOptions& o, std::string_view v) { return !(o.device = v).empty(); }},
      {"verbs.gid_index", "", "0 to 255", "",
       "entry of the port's GID table; by default the RoCE v2 one of verbs.gid_family, or 0 on InfiniBand",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 0, 255, o.gid_index.emplace()); }},
      {"verbs.gid_family", "", "ipv4 or ipv6", "ipv4", "which RoCE v2 GID to prefer",
       [](VerbsOptions& o, std::string_view v) {
         o.gid_family = v;
         return v == "ipv4" || v == "ipv6";
       }},
      {"verbs.memory", "", "host or cuda", "host",
       "where buffers lie; cuda: on the GPU of the local rank, for what does not reduce (GPUDirect; unverified on "
       "hardware)",
       [](VerbsOptions& o, std::string_view v) {
         o.memory = v == "cuda" ? MemoryKind::cuda : MemoryKind::host;
         return v == "host" || v == "cuda";
       }},
      {"verbs.queue_pairs", "queue pairs", "1 to 64", "1", "to each peer; slices take turns",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 1, 64, o.queue_pairs); }},
      {"verbs.slice", "bytes", "64 to 64M", "128K", "most that travels as one piece",
       [](VerbsOptions& o, std::string_view v) { return read_size(v, 64, 64 * mebi, o.slice_bytes); }},
      {"verbs.crossover", "bytes", "64 to 64M, or 0 to measure it", "0",
       "alpha / beta: the size whose bytes take as long as a message's fixed cost; decides auto and the smallest slice",
       [](VerbsOptions& o, std::string_view v) {
         o.crossover_bytes = 0;
         return v == "0" || read_size(v, 64, 64 * mebi, o.crossover_bytes);
       }},
      {"verbs.eager", "bytes", "64 to 64K", "4K", "messages up to this are copied into a slot without asking first",
       [](VerbsOptions& o, std::string_view v) { return read_size(v, 64, 64 * kibi, o.eager_bytes); }},
      {"verbs.slot", "bytes", "4K to 4M", "128K", "of a receiver's slot for what is reduced or lies in no kept memory",
       [](VerbsOptions& o, std::string_view v) { return read_size(v, 4 * kibi, 4 * mebi, o.slot_bytes); }},
      {"verbs.mtu", "bytes", "256, 512, 1024, 2048 or 4096", "", "of the path; by default the smaller of both ports'",
       [](VerbsOptions& o, std::string_view v) {
         return read_number(v, 256, 4096, o.mtu_bytes) && (o.mtu_bytes & (o.mtu_bytes - 1)) == 0;
       }},
      {"verbs.service_level", "", "0 to 15", "0", "of InfiniBand, or the priority of RoCE with VLANs",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 0, 15, o.service_level); }},
      {"verbs.traffic_class", "", "0 to 255", "0", "of the GRH: DSCP × 4 for RoCE v2",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 0, 255, o.traffic_class); }},
      {"verbs.hop_limit", "hops", "1 to 255", "64", "of the GRH",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 1, 255, o.hop_limit); }},
      {"verbs.timeout", "n of 4.096 µs × 2^n", "1 to 31", "18", "how long to wait for an acknowledgement (18: 1.1 s)",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 1, 31, o.timeout_exponent); }},
      {"verbs.retry_count", "times", "0 to 7", "7", "to send again what was not acknowledged",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 0, 7, o.retry_count); }},
      {"verbs.rnr_retry", "times", "0 to 7", "7", "to send again to a receiver that was not ready (7: for ever)",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 0, 7, o.rnr_retry); }},
      {"verbs.rnr_timer", "index of the InfiniBand specification's table", "0 to 31", "12",
       "how long a sender waits for a receiver that was not ready (12: 0.64 ms)",
       [](VerbsOptions& o, std::string_view v) { return read_number(v, 0, 31, o.rnr_timer); }},
      {"verbs.spin", "microseconds", "0 to 1000000", "200, or 20 on a host with more ranks than cores",
       "how long a wait polls before it sleeps until an event",
       [](VerbsOptions& o, std::string_view v) {
         int count = 0;
         if (!read_number(v, 0, 1'000'000, count)) return false;
         o.spin = std::chrono::microseconds(count);
         return true;
       }},
  });
  return table;
}

}  // namespace ringmark
