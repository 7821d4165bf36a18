// Rank 0's watch over the connections of the other ranks. If one closes, its rank is lost; if that rank has reported
// the loss of another one before it exited, the other one is.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "base/system/file_descriptor.hpp"
#include "transports/loss.hpp"

namespace ringmark {

class MembersWatch final : public LossNews {
 public:
  /// `connections` is by rank, not owned; rank 0 has none. `tell` is called once with a loss, to inform the other
  /// ranks.
  MembersWatch(std::span<const FileDescriptor> connections, std::function<void(const Loss&)> tell);

  int fd() const override { return loss_ ? -1 : epoll_.get(); }
  const std::optional<Loss>& look() override;
  void spread(const Loss& loss) override;

 private:
  Loss cause_of_end(std::size_t rank) const;

  std::span<const FileDescriptor> connections_;
  FileDescriptor epoll_;
  std::function<void(const Loss&)> tell_;
  std::optional<Loss> loss_;
};

}  // namespace ringmark
