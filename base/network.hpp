// The network that bytes cross, as proven by counters or NCCL's log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringmark {

class Network {
 public:
  enum Kind {
    ib,
    roce,
    tcp,
    shm,      ///< memory shared by the ranks of a host
    device,   ///< ranks access each other's GPUs directly
    plug_in,  ///< the network of an NCCL plug-in, named after the plug-in
  };

  Network(Kind kind) : kind_(kind) {}  // NOLINT(google-explicit-constructor): a kind is the network

  Kind kind() const { return kind_; }
  bool operator==(const Network&) const = default;

 private:
  friend std::string name(const Network& network);
  friend std::optional<Network> parse_network(std::string_view text);

  Kind kind_;
  std::string plug_in_;  ///< "NET/Libfabric"
};

/// "tcp"; a plug-in's own name, such as "NET/Libfabric".
std::string name(const Network& network);
std::optional<Network> parse_network(std::string_view text);

}  // namespace ringmark
