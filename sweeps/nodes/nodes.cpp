#include "sweeps/nodes/nodes.hpp"

#include <algorithm>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "base/system/files.hpp"
#include "base/system/host.hpp"
#include "sweeps/nodes/node_facts.hpp"
#include "transports/bootstrap/meeting.hpp"
#include "transports/bootstrap/message.hpp"
#include "transports/bootstrap/socket_address.hpp"
#include "transports/exchange.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto time_for_message = std::chrono::seconds(30);
/// Ranks that lose another one need a moment to report it.
constexpr auto patience_after_failure = std::chrono::seconds(10);

/// A free port of the loopback interface; those after it are most likely free as well.
std::uint16_t free_port() {
  const FileDescriptor fd(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket"));
  auto address = SocketAddress::from("127.0.0.1", AF_INET, 0);
  check_sys(::bind(fd.get(), address.get(), address.length), "find a free port");
  check_sys(::getsockname(fd.get(), address.get(), &address.length), "find a free port");
  return std::min<std::uint16_t>(address.port(), UINT16_MAX - 16);
}

void append_to(const std::string& path, const std::string& text) {
  const FileDescriptor file(check_sys(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), "open {}", path));
  for (std::string_view rest = text; !rest.empty();)
    rest.remove_prefix(static_cast<std::size_t>(
        check_sys(retry_interrupted([&] { return ::write(file.get(), rest.data(), rest.size()); }), "write {}", path)));
}

}  // namespace

std::string secret_of_nodes() {
  auto secret = shared_secret();
  if (secret.empty())
    throw BadUsage(Problem{
        .flag = "RINGMARK_TOKEN",
        .text =
            "is not set: nodes run what the first node sends them, so they need a secret to authenticate each other",
        .remedy =
            "set it to the same secret on all nodes, or let RINGMARK_TOKEN_FILE name a file that contains the secret"});
  return secret;
}

Nodes::Nodes() : hosts_{host_name()} {
  place_ = {.launcher = "none", .source = "this node alone", .host = "127.0.0.1", .port = free_port()};
  facts_[hosts_.front()] = node_facts();
}

Nodes::Nodes(Rendezvous place, std::chrono::milliseconds timeout) : place_(std::move(place)) {
  auto connections = host_meeting(place_, secret_of_nodes(), timeout);
  std::vector<NodeIntroduction> nodes{{this_host(), node_facts()}};
  for (std::size_t node = 1; node < connections.size(); ++node) {
    const auto from = fmt::format("node {}", node);
    keep_alive(connections[node].get());
    const auto message = receive_message(connections[node].get(), Deadline::after(time_for_message));
    if (!message) throw TransportError(fmt::format("{} ended while the nodes were meeting", from));
    nodes.push_back(decode<NodeIntroduction>(NodeIntroduction::exchange, message->bytes, from));
    others_.push_back({std::move(connections[node])});
  }
  std::vector<HostIdentity> identities;
  for (const auto& node : nodes) identities.push_back(node.host);
  hosts_ = distinct_names(identities);
  for (std::size_t node = 0; node < nodes.size(); ++node) facts_[hosts_[node]] = std::move(nodes[node].facts);
}

MeetingPoint Nodes::next_meeting() {
  // The nodes' own meeting is over; torchrun itself listens on the first port.
  return {place_.host, static_cast<std::uint16_t>(place_.port + place_.ports - 1),
          fmt::format("{} {}.{}", place_.run, ::getpid(), ++launches_)};
}

Ending Nodes::run(const Sweep& sweep, const Resolved& resolved, const std::vector<std::string>& program,
                  const CommandRun& run, const SignalQueue& signals) {
  const auto meeting = next_meeting();
  patience_.reset();
  const auto nodes = static_cast<std::size_t>(nodes_of(resolved));
  for (std::size_t node = 1; node < nodes; ++node) {
    const auto part = node_part(sweep, resolved, program, static_cast<int>(node), meeting);
    NodeStart start{part.words, {}, {}, run.grace.count(), fmt::format("{}node-{}/", run.mark, node)};
    for (const auto& [name, value] : part.environment) {
      if (value) {
        start.set[name] = *value;
      } else {
        start.unset.push_back(name);
      }
    }
    auto& other = others_[node - 1];
    other.end.reset();
    try {
      send_message(other.connection.get(), MessageKind::contribution, encode(NodeStart::exchange, start));
      other.is_running = true;
    } catch (const std::system_error& error) {
      lose(node, error.code().message());
    }
  }
  const auto status_file = run.log + ".status";
  const bool has_own_status = sweep.launcher.kind == LauncherKind::torchrun;
  auto own_run = run;
  own_run.mark += "node-0/";
  own_run.watch = {-1, [this] { return watch(); }};
  const auto own_part =
      node_part(sweep, resolved, has_own_status ? leaving_status(program, status_file) : program, 0, meeting);
  auto ending = run_command(own_part, own_run, signals);
  if (has_own_status) {
    const int status = std::atoi(read_if_readable(status_file).c_str());
    ::unlink(status_file.c_str());
    if (WIFEXITED(ending.raw_status) && ending.raw_status != 0 && status != 0)
      ending.raw_status = W_EXITCODE(status, 0);
  }
  await_others(run, signals, ending);
  return ending;
}

void Nodes::await_others(const CommandRun& run, const SignalQueue& signals, Ending& ending) {
  const auto start = Clock::now() - std::chrono::duration_cast<Clock::duration>(ending.time);
  const auto ends_after = std::chrono::duration_cast<Clock::duration>(run.ends_after(ending.started_after));
  const auto deadline = Deadline::at(start + ends_after);
  if (ending.raw_status != 0 && !patience_) patience_ = Deadline::after(patience_after_failure);
  const auto is_cut_short = [&] { return ending.past_deadline || ending.ended_by_watch || ending.interrupted_by; };
  while (is_running() && !is_cut_short()) {
    wait(std::chrono::milliseconds(200), signals.fd());
    while (const auto signal = signals.next()) {
      if (signal->number != SIGCHLD) ending.interrupted_by = signal->number;
    }
    const bool has_had_its_time = watch();
    if (!is_running()) break;  // the last one ended by itself
    ending.ended_by_watch = has_had_its_time;
    ending.past_deadline = deadline.passed();
  }
  if (is_running()) stop(run.grace);
  ending.time = Clock::now() - start;
  gather(run, ending);
}

void Nodes::gather(const CommandRun& run, Ending& ending) {
  // A rank that was ended because another failed is not the cause.
  bool is_own_the_cause = ending.raw_status != 0 && !ending.ended_by_watch;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const auto end = std::exchange(others_[i].end, std::nullopt);
    if (!end) continue;
    if (end->raw_status != 0 && !is_own_the_cause) {
      ending.raw_status = end->raw_status;
      is_own_the_cause = true;
    }
    if (!end->output.empty())
      append_to(run.log, fmt::format("# node {} on {}:\n{}", i + 1, hosts_[i + 1], end->output));
  }
  if (loss_) {
    append_to(run.log, fmt::format("ringmark: {}\n", *loss_));
    if (ending.raw_status == 0) ending.raw_status = W_EXITCODE(1, 0);
  }
}

void Nodes::stop(std::chrono::milliseconds grace) {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (!others_[i].is_running) continue;
    try {
      send_message(others_[i].connection.get(), MessageKind::refused, "");
    } catch (const std::system_error& error) {
      lose(i + 1, error.code().message());
    }
  }
  constexpr auto for_the_way = std::chrono::seconds(5);
  for (const auto deadline = Deadline::after(grace + for_the_way); is_running() && !deadline.passed();) {
    wait(std::chrono::milliseconds(200));
    watch();
  }
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].is_running) lose(i + 1, "it does not answer");
  }
}

bool Nodes::is_running() const {
  return std::any_of(others_.begin(), others_.end(), [](const Node& node) { return node.is_running; });
}

void Nodes::wait(std::chrono::milliseconds limit, int other_fd) {
  std::vector<pollfd> waiting{{other_fd, POLLIN, 0}};
  for (const auto& node : others_) waiting.push_back({node.connection.get(), POLLIN, 0});
  ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
}

/// Reads all pending messages; true if the patience with a failed launch has run out.
bool Nodes::watch() {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    pollfd readable{others_[i].connection.get(), POLLIN, 0};
    while (others_[i].connection && ::poll(&readable, 1, 0) > 0) hear(i + 1);
  }
  return patience_ && patience_->passed();
}

void Nodes::hear(std::size_t node) {
  auto& other = others_[node - 1];
  const auto message = receive_message(other.connection.get(), Deadline::after(time_for_message));
  if (!message) return lose(node, "it ended, or its connection broke");
  other.end = decode<NodeEnd>(NodeEnd::exchange, message->bytes, fmt::format("node {}", node));
  other.is_running = false;
  if (other.end->raw_status != 0 && !patience_) patience_ = Deadline::after(patience_after_failure);
}

void Nodes::lose(std::size_t node, const std::string& reason) {
  auto& other = others_[node - 1];
  other.connection.reset();
  other.is_running = false;
  if (!loss_) loss_ = fmt::format("lost node {} on {}: {}", node, hosts_[node], reason);
  if (!patience_) patience_ = Deadline::after(patience_after_failure);
}

std::optional<std::string> Nodes::loss() {
  watch();
  return loss_;
}

void Nodes::finish(int status) {
  for (auto& node : others_) {
    if (!node.connection) continue;
    try {
      send_message(node.connection.get(), MessageKind::finished, encode(SweepEnd::exchange, SweepEnd{status}));
    } catch (const std::system_error&) {
      continue;  // it has ended before
    }
  }
}

}  // namespace ringmark::sweep
