// Rank 0's watch over the connections of the other ranks, whose ends mean that these are lost.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "transports/loss.hpp"

namespace ringmark {

class MembersWatch final : public LossNews {
 public:
  /// `connections` by rank, not owned; rank 0's is none. `tell` gets a loss once, for the other ranks.
  MembersWatch(const std::vector<FileDescriptor>& connections, std::function<void(const Loss&)> tell);

  int fd() const override { return loss_ ? -1 : epoll_.get(); }
  const std::optional<Loss>& look() override;

 private:
  FileDescriptor epoll_;
  std::function<void(const Loss&)> tell_;
  std::optional<Loss> loss_;
};

}  // namespace ringmark
