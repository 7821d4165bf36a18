#include "transports/bootstrap/local_bootstrap.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/system/check.hpp"
#include "base/system/child.hpp"
#include "base/system/file_descriptor.hpp"
#include "base/system/host.hpp"
#include "base/text/error_text.hpp"
#include "transports/bootstrap/contributions.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/relay_line.hpp"
#include "transports/exchange.hpp"

namespace ringmark {
namespace {

constexpr auto parent_name = "the process that started the ranks";

/// A rank's side: sends its contribution to the parent, which answers with the contributions of all ranks.
class LocalBootstrap final : public Bootstrap {
 public:
  LocalBootstrap(int rank, int size, int fd, std::chrono::milliseconds timeout)
      : rank_(rank), size_(size), fd_(fd), timeout_(timeout), parent_(std::make_shared<RelayLine>(fd, parent_name)) {}

  std::string_view launcher() const override { return "local"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> all_gather(std::string_view mine) override {
    const auto answer = parent_->ask(mine, Deadline::after(timeout_));
    if (const auto& loss = parent_->look()) throw PeerLost(loss->rank, host_name(), loss->reason);
    if (!answer) throw TransportError("the other ranks did not answer within the timeout (--timeout)");
    return decode_contributions(*answer, size_, parent_name);
  }
  std::shared_ptr<LossNews> news() override { return parent_; }

  void barrier() override { all_gather(""); }
  void finish(int status) override {
    // A failed rank counts as lost, so that no rank waits for it.
    if (status != exit_failed) send_message(fd_, MessageKind::finished, "");
  }

 private:
  int rank_, size_, fd_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<RelayLine> parent_;
};

/// The parent's side.
class Family {
 public:
  Family(int ranks, std::chrono::milliseconds grace, std::function<void(const PeerLost&)> on_loss)
      : members_(static_cast<std::size_t>(ranks)), grace_(grace), on_loss_(std::move(on_loss)) {}

  void start(std::chrono::milliseconds timeout, const std::function<int(Bootstrap&)>& body) {
    std::fflush(nullptr);
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      int ends[2];
      check_sys(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "create a socket pair");
      FileDescriptor ours(ends[0]), theirs(ends[1]);
      const pid_t child = start_child(fmt::format("start rank {}", rank), SIGKILL, [&] {
        ours.reset();
        for (auto& other : members_) other.socket.reset();
        return run_rank(static_cast<int>(rank), theirs.get(), timeout, body);
      });
      members_[rank] = {child, std::move(ours)};
    }
  }

  int wait() {
    while (std::any_of(members_.begin(), members_.end(), [](const auto& member) { return member.pid > 0; })) {
      serve(std::chrono::milliseconds(100));
      reap();
      if (failure_ && kill_at_.passed()) kill_all();
    }
    return status_;
  }

 private:
  struct Member {
    pid_t pid = 0;
    FileDescriptor socket;
    std::optional<std::string> contribution;
    bool finished = false;
  };

  int run_rank(int rank, int fd, std::chrono::milliseconds timeout, const std::function<int(Bootstrap&)>& body) {
    int status = exit_failed;
    try {
      LocalBootstrap bootstrap(rank, static_cast<int>(members_.size()), fd, timeout);
      status = body(bootstrap);
    } catch (const std::exception& error) {
      fmt::print(stderr, "ringmark: rank {}: {}\n", rank, text_of(error));
    }
    std::fflush(nullptr);
    return status;
  }

  void serve(std::chrono::milliseconds wait) {
    std::vector<pollfd> readable;
    std::vector<std::size_t> ranks;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (!members_[rank].socket) continue;
      readable.push_back({members_[rank].socket.get(), POLLIN, 0});
      ranks.push_back(rank);
    }
    const auto ready = ::poll(readable.data(), readable.size(), static_cast<int>(wait.count()));
    for (std::size_t i = 0; ready > 0 && i < readable.size(); ++i) {
      if (readable[i].revents != 0) hear(static_cast<int>(ranks[i]));
    }
  }

  void hear(int rank) {
    auto& member = members_[static_cast<std::size_t>(rank)];
    auto message = receive_message(member.socket.get(), Deadline::after(std::chrono::seconds(1)));
    if (!message) {
      member.socket.reset();  // reap() will collect its exit status
      return;
    }
    if (message->kind == MessageKind::finished) {
      member.finished = true;
      return;
    }
    member.contribution = std::move(message->bytes);
    if (!failure_ && std::all_of(members_.begin(), members_.end(), [](const auto& m) { return m.contribution; })) {
      std::vector<std::string> parts;
      for (auto& each : members_) parts.push_back(std::move(*each.contribution));
      const auto everything = encode_contributions(parts);
      for (auto& each : members_) {
        each.contribution.reset();
        tell(each, MessageKind::everything, everything);
      }
    }
  }

  static void tell(Member& member, MessageKind kind, std::string_view bytes) {
    try {
      if (member.socket) send_message(member.socket.get(), kind, bytes);
    } catch (const std::system_error&) {
      member.socket.reset();  // the rank has just died; reap() handles that
    }
  }

  struct End {
    int rank, raw_status;

    bool is_kill() const { return WIFSIGNALED(raw_status); }
    /// False for a rank that exits with exit_failed, since it has reported its failure itself.
    bool is_sudden() const { return is_kill() || WEXITSTATUS(raw_status) != exit_failed; }
    std::string reason() const {
      if (!is_kill()) return fmt::format("exited with status {}", WEXITSTATUS(raw_status));
      const int signal = WTERMSIG(raw_status);
      return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
    }
  };

  void reap() {
    std::vector<End> ends;
    int raw = 0;
    for (pid_t pid = ::waitpid(-1, &raw, WNOHANG); pid > 0; pid = ::waitpid(-1, &raw, WNOHANG)) {
      const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.pid == pid; });
      if (found == members_.end()) continue;
      found->pid = 0;
      while (found->socket) hear(static_cast<int>(found - members_.begin()));  // read what it sent before it exited
      ends.push_back({static_cast<int>(found - members_.begin()), raw});
      status_ = std::max(status_, ends.back().is_kill() ? exit_failed : WEXITSTATUS(raw));
      if (found->finished && !ends.back().is_kill()) ends.pop_back();
    }
    // The order of exits is unknown, and ranks that reported a failure may have failed because of the others.
    std::stable_partition(ends.begin(), ends.end(), std::mem_fn(&End::is_sudden));
    for (const auto& end : ends) fail(end);
  }

  /// Only the first failure counts, since it causes the others.
  void fail(const End& end) {
    if (end.is_sudden() && !killed_all_) {
      const PeerLost lost(end.rank, host_name(), end.reason());
      fmt::print(stderr, "ringmark: {}\n", text_of(lost));
      if (on_loss_ && !failure_) on_loss_(lost);
    }
    if (failure_) return;
    failure_ = encode(loss_message, Loss{.rank = end.rank, .reason = end.reason()});
    kill_at_ = Deadline::after(grace_);
    for (auto& member : members_) tell(member, MessageKind::lost, *failure_);
  }

  void kill_all() {
    killed_all_ = true;
    for (const auto& member : members_) {
      if (member.pid > 0) ::kill(member.pid, SIGKILL);
    }
  }

  std::vector<Member> members_;
  std::chrono::milliseconds grace_;
  std::function<void(const PeerLost&)> on_loss_;
  std::optional<std::string> failure_;  ///< the encoded loss
  bool killed_all_ = false;
  Deadline kill_at_ = Deadline::now();
  int status_ = 0;
};

}  // namespace

int run_local_ranks(int ranks, std::chrono::milliseconds timeout, const std::function<int(Bootstrap&)>& body,
                    std::function<void(const PeerLost&)> on_loss, std::chrono::milliseconds grace) {
  Family family(ranks, grace, std::move(on_loss));
  family.start(timeout, body);
  return family.wait();
}

}  // namespace ringmark
