#include "sweeps/nodes/node_agent.hpp"

#include <fmt/format.h>
#include <poll.h>

#include "base/exit_status.hpp"
#include "results/files/provenance.hpp"
#include "sweeps/launch/output_file.hpp"
#include "sweeps/nodes/node_facts.hpp"
#include "sweeps/nodes/node_messages.hpp"
#include "sweeps/nodes/nodes.hpp"
#include "sweeps/run/progress.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/exchange.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto from_first = "the first node";
constexpr auto first_is_lost = "the first node has ended, or its connection broke: restart the nodes to continue";

class Agent {
 public:
  Agent(const Rendezvous& place, std::chrono::milliseconds timeout)
      : first_(join_meeting(place, secret_of_nodes(), timeout)) {
    keep_alive(first_.get());
    send_message(first_.get(), MessageKind::contribution,
                 encode(NodeIntroduction::exchange, NodeIntroduction{this_host(), node_facts()}));
  }

  int serve() {
    for (;;) {
      wait();
      const auto message = receive_message(first_.get(), Deadline::after(std::chrono::seconds(30)));
      if (!message) return tell(fmt::format("ringmark-sweep: {}\n", first_is_lost)), exit_failed;
      if (message->kind == MessageKind::finished)
        return decode<SweepEnd>(SweepEnd::exchange, message->bytes, from_first).status;
      // A launch that the first node wants to end may already have ended by itself.
      if (message->kind == MessageKind::contribution)
        launch(decode<NodeStart>(NodeStart::exchange, message->bytes, from_first));
    }
  }

 private:
  bool has_news() const {
    pollfd readable{first_.get(), POLLIN, 0};
    return ::poll(&readable, 1, 0) > 0;
  }

  void wait() const {
    while (!has_news()) {
      pollfd waiting[]{{first_.get(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
      ::poll(waiting, 2, -1);
      while (const auto signal = signals_.next()) {
        if (signal->number != SIGCHLD) throw Interrupted(signal->number);
      }
    }
  }

  void launch(const NodeStart& start) {
    Command command{start.words, {start.set.begin(), start.set.end()}};
    for (const auto& name : start.unset) command.environment[name] = std::nullopt;
    // The first node enforces the deadline.
    constexpr auto no_deadline = std::chrono::hours(24 * 365);
    const CommandRun run{
        no_deadline, std::chrono::milliseconds(start.grace_ms), output_.path(), start.mark, {first_.get(), [this] {
                                                                                               return has_news();
                                                                                             }}};
    const auto ending = run_command(command, run, signals_);
    if (ending.interrupted_by) throw Interrupted(*ending.interrupted_by);
    try {
      send_message(first_.get(), MessageKind::contribution,
                   encode(NodeEnd::exchange, NodeEnd{ending.raw_status, output_.end()}));
    } catch (const std::system_error&) {
      return;  // the next message shows that the first node is lost
    }
  }

  FileDescriptor first_;
  OutputFile output_;
  SignalQueue signals_;
};

}  // namespace

int serve_node(const Rendezvous& place, std::chrono::milliseconds timeout) { return Agent(place, timeout).serve(); }

}  // namespace ringmark::sweep
