#include "transports/fabric/tcp/options.hpp"

namespace ringmark {
namespace {

template <class Duration>
bool read_duration(std::string_view text, int least, int most, Duration& to) {
  int count = 0;
  if (!read_number(text, least, most, count)) return false;
  to = Duration(count);
  return true;
}

}  // namespace

const OptionTable<TcpOptions>& tcp_option_table() {
  static const OptionTable<TcpOptions> table({
      {"tcp.interface", "", "an interface name or a subnet like 10.0.0.0/24", "",
       "where the traffic goes; by default loopback on one node, else the subnet that all nodes share",
       [](TcpOptions& o, std::string_view v) { return !(o.interface = v).empty(); }},
      {"tcp.family", "", "any, ipv4 or ipv6", "any", "which addresses to use",
       [](TcpOptions& o, std::string_view v) {
         o.family = v;
         return v == "any" || v == "ipv4" || v == "ipv6";
       }},
      {"tcp.sockets", "sockets", "1 to 64", "1", "connections to each peer; slices take turns",
       [](TcpOptions& o, std::string_view v) { return read_number(v, 1, 64, o.sockets); }},
      {"tcp.slice", "bytes", "64 to 64M", "128K", "most that travels as one piece",
       [](TcpOptions& o, std::string_view v) { return read_size(v, 64, 64 * mebi, o.slice_bytes); }},
      {"tcp.crossover", "bytes", "64 to 64M, or 0 to measure it", "0",
       "alpha / beta: the size whose bytes take as long as a message's fixed cost; decides auto and the smallest slice",
       [](TcpOptions& o, std::string_view v) {
         o.crossover_bytes = 0;
         return v == "0" || read_size(v, 64, 64 * mebi, o.crossover_bytes);
       }},
      {"tcp.burst", "bytes", "4K to 1G", "512K",
       "most bytes sent on a socket before looking for what has come, and the reverse, so that they stay in the cache",
       [](TcpOptions& o, std::string_view v) { return read_size(v, 4 * kibi, 1024 * mebi, o.burst_bytes); }},
      {"tcp.send_buffer", "bytes", "4K to 1G, or 0 for the kernel's own tuning", "0",
       "SO_SNDBUF; more than net.core.wmem_max takes root",
       [](TcpOptions& o, std::string_view v) {
         return v == "0" || read_size(v, 4 * kibi, 1024 * mebi, o.send_buffer_bytes);
       }},
      {"tcp.receive_buffer", "bytes", "4K to 1G, or 0 for the kernel's own tuning", "0",
       "SO_RCVBUF; more than net.core.rmem_max takes root",
       [](TcpOptions& o, std::string_view v) {
         return v == "0" || read_size(v, 4 * kibi, 1024 * mebi, o.receive_buffer_bytes);
       }},
      {"tcp.unsent", "bytes", "4K to 1G, or 0 for no limit", "128K",
       "TCP_NOTSENT_LOWAT: unsent bytes beyond which a socket takes no more, so that slices stay in order of need",
       [](TcpOptions& o, std::string_view v) {
         if (v == "0") return o.unsent_bytes = 0, true;
         return read_size(v, 4 * kibi, 1024 * mebi, o.unsent_bytes);
       }},
      {"tcp.congestion", "", "a name in net.ipv4.tcp_available_congestion_control", "",
       "TCP_CONGESTION of the sockets; by default the system's, and reno on the loopback",
       [](TcpOptions& o, std::string_view v) { return !(o.congestion = v).empty(); }},
      {"tcp.spin", "microseconds", "0 to 1000000", "50", "how long a wait polls before it blocks",
       [](TcpOptions& o, std::string_view v) { return read_duration(v, 0, 1'000'000, o.spin); }},
      {"tcp.busy_poll", "microseconds", "0 to 1000", "0",
       "SO_BUSY_POLL: above 0 the kernel asks the adapter itself when a rank looks; more than net.core.busy_read takes "
       "root",
       [](TcpOptions& o, std::string_view v) { return read_duration(v, 0, 1000, o.busy_poll); }},
      {"tcp.pin", "", "auto, none, core or numa", "auto",
       "binds each rank to a core of its own, or to the cores beside the interface, where no launcher has done so; "
       "auto: to one core while vectors are short, where ranks outnumber cores",
       [](TcpOptions& o, std::string_view v) {
         o.pin = v;
         return v == "auto" || v == "none" || v == "core" || v == "numa";
       }},
      {"tcp.silence", "milliseconds", "500 to 600000", "3000",
       "a peer whose kernel acknowledges nothing for so long is lost",
       [](TcpOptions& o, std::string_view v) { return read_duration(v, 500, 600'000, o.silence); }},
  });
  return table;
}

}  // namespace ringmark
