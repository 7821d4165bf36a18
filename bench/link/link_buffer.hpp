// The buffer for a link's messages, at either end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bench/harness/checked_buffers.hpp"
#include "bench/link/link_measure.hpp"

namespace ringmark {

class LinkBuffer {
 public:
  /// `fabric` must outlive this. The destination expects what a broadcast from the source would deliver.
  LinkBuffer(Fabric& fabric, const LinkPlan& plan)
      : fabric_(fabric),
        block_(fabric.memory(), plan.bytes),
        bytes_(block_.data(), plan.bytes),
        checked_(fabric.memory(), {Collective::broadcast, DataType::uint8, ReduceOp::sum, plan.bytes, plan.source},
                 {block_.data(), block_.data()}, fabric.rank(), fabric.size()) {
    fabric_.keep(bytes_);
  }
  ~LinkBuffer() { fabric_.forget(bytes_); }
  LinkBuffer(const LinkBuffer&) = delete;
  LinkBuffer& operator=(const LinkBuffer&) = delete;

  void fill() { checked_.fill(); }
  void poison() { checked_.poison(); }
  std::size_t count_wrong() { return checked_.count_wrong(); }
  std::size_t size() const { return bytes_.size(); }
  /// The number of fabric messages that it is sent as.
  std::size_t pieces() const { return (bytes_.size() + piece_bytes - 1) / piece_bytes; }

  /// Both return the number of the last message.
  std::uint64_t post_send(int peer) {
    return in_pieces([&](std::span<std::byte> piece) { return fabric_.send(peer, piece); });
  }
  std::uint64_t post_receive(int peer) {
    return in_pieces([&](std::span<std::byte> piece) { return fabric_.receive(peer, {piece.data(), piece.size()}); });
  }

 private:
  /// Splits long messages: each completed piece shows that bytes still flow, so that the timeout does not depend on the
  /// message's length.
  template <class Post>
  std::uint64_t in_pieces(Post post_piece) const {
    std::uint64_t last = 0;
    for (std::size_t at = 0; at < bytes_.size(); at += piece_bytes)
      last = post_piece(bytes_.subspan(at, std::min(piece_bytes, bytes_.size() - at)));
    return last;
  }

  static constexpr std::size_t piece_bytes = 16U << 20U;

  Fabric& fabric_;
  Block block_;
  std::span<std::byte> bytes_;
  CheckedBuffers checked_;
};

}  // namespace ringmark
