// Messages over one connected, non-blocking socket. Both ends know the next message's length, so only payload travels.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/queue.hpp"
#include "base/system/file_descriptor.hpp"
#include "transports/fabric/delivery.hpp"

namespace ringmark {

/// The connection ended; what() is the reason.
class StreamBroken final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class TcpStream {
 public:
  /// Messages longer than this get their own system call.
  static constexpr std::size_t most_joined_bytes = 64 << 10;

  explicit TcpStream(FileDescriptor fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  void send(std::span<const std::byte> message) { sends_.push_back(message); }
  void receive(const Incoming& incoming) { receives_.push_back(Delivery(incoming)); }

  bool has_sends() const { return !sends_.empty(); }
  /// True if the last attempt to send left bytes over: the socket was full, or the limit was reached.
  bool is_blocked() const { return is_blocked_; }
  bool has_receives() const { return !receives_.empty(); }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }

  struct Moved {
    std::size_t bytes = 0;
    std::size_t messages = 0;  ///< completed
  };
  /// Moves about `most` bytes in each direction without waiting. Bytes to reduce are first received into `bounce`,
  /// which is scratch memory. Throws StreamBroken.
  Moved pump(std::span<std::byte> bounce, std::size_t most);
  Moved pump_sends(std::size_t most);

 private:
  Moved receive_some(std::span<std::byte> bounce, std::size_t most);
  Moved receive_copies(std::size_t most);
  Moved receive_reduced(std::span<std::byte> bounce);

  FileDescriptor fd_;
  Queue<std::span<const std::byte>> sends_;  ///< the unsent part of each message
  Queue<Delivery> receives_;
  bool is_blocked_ = false;
  std::uint64_t sent_ = 0, received_ = 0;
};

}  // namespace ringmark
