// Ranks that meet at rank 0's socket, whose port is in the fake NCCL's unique id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap.hpp"

namespace ringmark::fake {

class StarBootstrap final : public Bootstrap {
 public:
  /// A socket that listens on a port of its own; kept until rank 0 of this process is made.
  static std::uint16_t listen();

  /// Blocks until all are there.
  StarBootstrap(std::uint16_t port, int rank, int size);

  std::string_view launcher() const override { return "fake"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> all_gather(std::string_view mine) override;
  void barrier() override { all_gather(""); }
  void finish(int) override {}

 private:
  int rank_, size_;
  std::vector<FileDescriptor> sockets_;  ///< rank 0's by rank; another's to rank 0 alone
};

}  // namespace ringmark::fake
