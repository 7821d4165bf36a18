#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

const OptionTable<TcpOptions>& TcpOptions::table() {
  using Options = TcpOptions;
  constexpr std::size_t least_slice = 64, most_slice = 64 * mebi, least_buffer = 4 * kibi, most_buffer = 1024 * mebi;
  static const OptionTable<Options> table({
      for_every_transport(text_option("tcp.interface",
                                      "an interface name or a subnet like 10.0.0.0/24, or a comma list of them",
                                      &Options::interface,
                                      "interface for the traffic, or several for a node's ranks in turn; by default "
                                      "loopback on one node, otherwise "
                                      "the subnet that all nodes share")),
      for_every_transport(
          word_option("tcp.family", &Options::family, {"any", "ipv4", "ipv6"}, "family of the addresses")),
      number_option("tcp.sockets", "sockets", &Options::sockets, 1, 64,
                    "connections to each peer, used by slices in turn"),
      size_option("tcp.slice", &Options::slice_bytes, least_slice, most_slice, "largest piece sent as one message"),
      size_option(
          "tcp.crossover", &Options::crossover_bytes, least_slice, most_slice,
          "alpha / beta: the size at which the bytes take as long as a message's fixed cost; determines auto and "
          "the smallest slice",
          "to measure it"),
      size_option(
          "tcp.burst", &Options::burst_bytes, least_buffer, most_buffer,
          "maximum bytes sent on a socket before receiving again, and vice versa, so that they stay in the cache"),
      size_option("tcp.send_buffer", &Options::send_buffer_bytes, least_buffer, most_buffer,
                  "SO_SNDBUF; more than net.core.wmem_max requires root", "for the kernel's own tuning"),
      size_option("tcp.receive_buffer", &Options::receive_buffer_bytes, least_buffer, most_buffer,
                  "SO_RCVBUF; more than net.core.rmem_max requires root", "for the kernel's own tuning"),
      size_option(
          "tcp.unsent", &Options::unsent_bytes, least_buffer, most_buffer,
          "TCP_NOTSENT_LOWAT: maximum unsent bytes that a socket accepts, so that slices leave in the order they "
          "are needed",
          "for no limit"),
      text_option("tcp.congestion", "a name in net.ipv4.tcp_available_congestion_control", &Options::congestion,
                  "TCP_CONGESTION of the sockets; by default the system's, or reno on loopback"),
      duration_option("tcp.spin", "microseconds", &Options::spin, 0, 1'000'000,
                      "how long a wait polls before it blocks"),
      duration_option("tcp.busy_poll", "microseconds", &Options::busy_poll, 0, 1000,
                      "SO_BUSY_POLL: above 0 the kernel polls the adapter when a rank polls; more than "
                      "net.core.busy_read requires root"),
      word_option("tcp.pin", &Options::pin, {"auto", "none", "core", "numa"},
                  "bind each rank to its own core (core) or to the cores near the interface (numa), unless a launcher "
                  "has bound it; auto: to one core while vectors are short, if ranks outnumber cores"),
      for_every_transport(duration_option(
          "tcp.silence", "milliseconds", &Options::silence, 500, 600'000,
          "a peer counts as lost if its kernel acknowledges nothing for this long and answers no probe")),
  });
  return table;
}

}  // namespace ringmark
