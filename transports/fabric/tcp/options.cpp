#include "transports/fabric/tcp/options.hpp"

namespace ringmark {

const OptionTable<TcpOptions>& tcp_option_table() {
  using Options = TcpOptions;
  constexpr std::size_t least_slice = 64, most_slice = 64 * mebi, least_buffer = 4 * kibi, most_buffer = 1024 * mebi;
  static const OptionTable<Options> table({
      text_option("tcp.interface", "an interface name or a subnet like 10.0.0.0/24", &Options::interface,
                  "where the traffic goes; by default loopback on one node, else the subnet that all nodes share"),
      word_option("tcp.family", &Options::family, {"any", "ipv4", "ipv6"}, "which addresses to use"),
      number_option("tcp.sockets", "sockets", &Options::sockets, 1, 64, "connections to each peer; slices take turns"),
      size_option("tcp.slice", &Options::slice_bytes, least_slice, most_slice, "most that travels as one piece"),
      size_option("tcp.crossover", &Options::crossover_bytes, least_slice, most_slice,
                  "alpha / beta: the size whose bytes take as long as a message's fixed cost; decides auto and the "
                  "smallest slice",
                  "to measure it"),
      size_option("tcp.burst", &Options::burst_bytes, least_buffer, most_buffer,
                  "most bytes sent on a socket before looking for what has come, and the reverse, so that they stay in "
                  "the cache"),
      size_option("tcp.send_buffer", &Options::send_buffer_bytes, least_buffer, most_buffer,
                  "SO_SNDBUF; more than net.core.wmem_max takes root", "for the kernel's own tuning"),
      size_option("tcp.receive_buffer", &Options::receive_buffer_bytes, least_buffer, most_buffer,
                  "SO_RCVBUF; more than net.core.rmem_max takes root", "for the kernel's own tuning"),
      size_option(
          "tcp.unsent", &Options::unsent_bytes, least_buffer, most_buffer,
          "TCP_NOTSENT_LOWAT: unsent bytes beyond which a socket takes no more, so that slices stay in order of "
          "need",
          "for no limit"),
      text_option("tcp.congestion", "a name in net.ipv4.tcp_available_congestion_control", &Options::congestion,
                  "TCP_CONGESTION of the sockets; by default the system's, and reno on the loopback"),
      duration_option("tcp.spin", "microseconds", &Options::spin, 0, 1'000'000,
                      "how long a wait polls before it blocks"),
      duration_option("tcp.busy_poll", "microseconds", &Options::busy_poll, 0, 1000,
                      "SO_BUSY_POLL: above 0 the kernel asks the adapter itself when a rank looks; more than "
                      "net.core.busy_read takes root"),
      word_option("tcp.pin", &Options::pin, {"auto", "none", "core", "numa"},
                  "binds each rank to a core of its own, or to the cores beside the interface, where no launcher has "
                  "done so; auto: to one core while vectors are short, where ranks outnumber cores"),
      duration_option("tcp.silence", "milliseconds", &Options::silence, 500, 600'000,
                      "a peer whose kernel acknowledges nothing for so long is lost"),
  });
  return table;
}

}  // namespace ringmark
