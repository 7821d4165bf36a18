// A rank's connection to the process that relays the ranks' exchanges: the parent that forked them, or rank 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/system/deadline.hpp"
#include "transports/loss.hpp"

namespace ringmark {

/// Name of the relay's message about a lost rank.
constexpr auto loss_message = "loss";

/// The relay may report a lost rank at any time, even instead of an answer.
class RelayLine final : public LossNews {
 public:
  /// Does not own `fd`. `at_end` is the loss implied by the end of the connection, if any.
  RelayLine(int fd, std::string relay, std::optional<Loss> at_end = std::nullopt)
      : fd_(fd), relay_(std::move(relay)), at_end_(std::move(at_end)) {}

  int fd() const override { return loss_ || ended_ ? -1 : fd_; }
  const std::optional<Loss>& look() override;
  /// Sends the loss only to a relay whose own exit would be a loss; other relays find the cause by themselves.
  void spread(const Loss& loss) override;
  /// The relay's answer; empty if it reported a loss instead, or if none came. Throws the relay's refusal.
  std::optional<std::string> ask(std::string_view mine, Deadline deadline);

 private:
  std::optional<std::string> receive(Deadline deadline);

  int fd_;
  std::string relay_;
  std::optional<Loss> at_end_;
  bool ended_ = false;
  std::optional<Loss> loss_;
};

}  // namespace ringmark
