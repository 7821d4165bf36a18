#include "transports/fabric/tcp/endpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <system_error>

#include <netinet/tcp.h>

#include "transports/errors.hpp"
#include "transports/system/check.hpp"
#include "transports/system/host.hpp"

namespace ringmark {
namespace {

constexpr std::size_t most_strangers = 256;
constexpr int most_refusals_shown = 3;
constexpr auto stranger_patience = std::chrono::seconds(5);
constexpr auto broadcast_patience = std::chrono::seconds(1);

int as_milliseconds(Clock::duration wait) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
}

template <class Value>
void set_option(int fd, int level, int option, Value value, std::string_view name) {
  check_sys(::setsockopt(fd, level, option, &value, sizeof value), "set {} to {}", name, value);
}

/// Every kernel has it; whether it may be chosen is another matter, and no reason to fail.
constexpr std::string_view unpaced = "reno";

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

/// A connection attempt of this rank.
struct TcpEndpoint::Outgoing {
  FileDescriptor fd;
  int peer;
  std::string unsent;  ///< hello and text
  bool connected = false;
  std::vector<unsigned char> answer;
};

std::shared_ptr<TcpEndpoint> TcpEndpoint::create(Bootstrap& bootstrap, const TcpOptions& options) {
  std::shared_ptr<TcpEndpoint> endpoint(new TcpEndpoint(bootstrap.rank(), options));
  // A rank whose options admit nothing still takes part in the exchange, so that all learn of it and none waits.
  std::string offer, problem;
  try {
    offer = write_addresses(admitted(local_addresses(), options));
    const FileDescriptor probe(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket"));
    endpoint->apply_options(probe.get());
  } catch (const BadUsage& error) {
    problem = error.what();
  }
  const auto offers = bootstrap.all_gather(host_name() + "\n" + problem + "\n" + offer);
  std::vector<RankAddresses> ranks;
  for (std::size_t rank = 0; rank < offers.size(); ++rank) {
    const auto host_end = offers[rank].find('\n');
    const auto problem_end = offers[rank].find('\n', host_end + 1);
    const auto host = offers[rank].substr(0, host_end);
    if (problem_end > host_end + 1) {
      throw BadUsage(
          fmt::format("rank {} on {}: {}", rank, host, offers[rank].substr(host_end + 1, problem_end - host_end - 1)));
    }
    ranks.push_back({host, read_addresses(std::string_view(offers[rank]).substr(problem_end + 1))});
  }
  const auto chosen = choose_addresses(ranks, options);
  endpoint->own_ = chosen[static_cast<std::size_t>(bootstrap.rank())];
  endpoint->listen();

  SocketAddress bound;
  bound.length = sizeof bound.storage;
  check_sys(::getsockname(endpoint->listener_.get(), bound.get(), &bound.length), "read the listening port");
  const auto cards = bootstrap.all_gather(fmt::format("{} {}", bound.port(), RunToken::random().text()));
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    std::istringstream words(cards[rank]);
    std::uint16_t port = 0;
    std::string token_text;
    words >> port >> token_text;
    const auto token = RunToken::from_text(token_text);
    if (!token) throw TransportError(fmt::format("rank {} sent no token", rank));
    if (rank == 0) endpoint->token_ = *token;
    endpoint->peers_.push_back(
        {ranks[rank].host, SocketAddress::from(chosen[rank].address, chosen[rank].family, port)});
  }
  return endpoint;
}

std::string TcpEndpoint::congestion() const {
  std::array<char, 16> name{};
  socklen_t length = name.size();
  if (::getsockopt(listener_.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return "";
  return std::string(name.data(), ::strnlen(name.data(), name.size()));
}

void TcpEndpoint::apply_options(int fd) const {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (options_.send_buffer_bytes > 0) {
    set_option(fd, SOL_SOCKET, SO_SNDBUF, static_cast<int>(options_.send_buffer_bytes), "SO_SNDBUF");
  }
  if (options_.receive_buffer_bytes > 0) {
    set_option(fd, SOL_SOCKET, SO_RCVBUF, static_cast<int>(options_.receive_buffer_bytes), "SO_RCVBUF");
  }
  if (options_.unsent_bytes > 0) {
    set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, static_cast<unsigned>(options_.unsent_bytes), "TCP_NOTSENT_LOWAT");
  }
  const int busy_poll_us = static_cast<int>(options_.busy_poll.count());
  if (busy_poll_us > 0 && ::setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &busy_poll_us, sizeof busy_poll_us) != 0) {
    throw BadUsage(
        fmt::format("--set tcp.busy_poll={}: the kernel refuses it ({}); start as root, or set net.core.busy_read",
                    busy_poll_us, std::generic_category().message(errno)));
  }
  if (!options_.congestion.empty() && ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, options_.congestion.data(),
                                                   static_cast<socklen_t>(options_.congestion.size())) != 0) {
    throw BadUsage(fmt::format("--set tcp.congestion={}: this kernel has {}", options_.congestion,
                               read_text_file("/proc/sys/net/ipv4/tcp_available_congestion_control")));
  }
  // What the system's default paces, as bbr does, would be timed by its clock on the loopback.
  if (options_.congestion.empty() && own_.loopback)
    ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, unpaced.data(), static_cast<socklen_t>(unpaced.size()));
  // A silent peer with nothing on its way is found by probes; with data on its way, by TcpFabric.
  const int seconds = std::max(1, static_cast<int>(options_.silence.count() / 3000));
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1, "SO_KEEPALIVE");
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds, "TCP_KEEPIDLE");
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, seconds, "TCP_KEEPINTVL");
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 2, "TCP_KEEPCNT");
}

void TcpEndpoint::listen() {
  const auto address = SocketAddress::from(own_.address, own_.family, 0);
  listener_ = FileDescriptor(
      check_sys(::socket(own_.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "create a listening socket"));
  apply_options(listener_.get());  // buffer sizes must be known when a connection is accepted
  check_sys(::bind(listener_.get(), address.get(), address.length), "listen on {}", address.text());
  check_sys(::listen(listener_.get(), SOMAXCONN), "listen on {}", address.text());
}

TcpEndpoint::Outgoing TcpEndpoint::begin(int peer, const Hello& hello, const std::string& text) {
  const auto& address = this->address(peer);
  Outgoing outgoing{FileDescriptor(check_sys(::socket(own_.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                                             "create a socket")),
                    peer,
                    {},
                    false,
                    {}};
  apply_options(outgoing.fd.get());
  // From the chosen address, so that the traffic takes the interface that was asked for.
  const auto from = SocketAddress::from(own_.address, own_.family, 0);
  check_sys(::bind(outgoing.fd.get(), from.get(), from.length), "send from {}", from.text());
  if (::connect(outgoing.fd.get(), address.get(), address.length) != 0 && errno != EINPROGRESS) {
    throw_errno(fmt::format("connect to rank {} at {}", peer, address.text()));
  }
  const auto wire = write_hello(hello, token_);
  outgoing.unsent.assign(wire.begin(), wire.end());
  outgoing.unsent += text;
  return outgoing;
}

std::optional<FileDescriptor> TcpEndpoint::advance(Outgoing& outgoing) const {
  const int fd = outgoing.fd.get();
  const auto fail = [&](std::string_view what) {
    throw PeerLost(outgoing.peer, host(outgoing.peer), fmt::format("{} at {}", what, address(outgoing.peer).text()));
  };
  if (!outgoing.connected) {
    pollfd writable{fd, POLLOUT, 0};
    if (::poll(&writable, 1, 0) <= 0) return std::nullopt;
    int error = 0;
    socklen_t length = sizeof error;
    check_sys(::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length), "read a socket's error");
    if (error != 0) fail(fmt::format("cannot connect to it ({})", std::generic_category().message(error)));
    outgoing.connected = true;
  }
  if (!outgoing.unsent.empty()) {
    const auto sent = ::send(fd, outgoing.unsent.data(), outgoing.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) fail("it closed the connection");
    if (sent > 0) outgoing.unsent.erase(0, static_cast<std::size_t>(sent));
    if (!outgoing.unsent.empty()) return std::nullopt;
  }
  std::array<unsigned char, welcome_bytes> part;
  const auto received = ::recv(fd, part.data(), welcome_bytes - outgoing.answer.size(), 0);
  if (received == 0 || (received < 0 && !would_block())) fail("it closed the connection without an answer");
  if (received > 0) outgoing.answer.insert(outgoing.answer.end(), part.begin(), part.begin() + received);
  if (outgoing.answer.size() < welcome_bytes) return std::nullopt;
  if (!read_welcome(outgoing.answer, token_)) fail("something that is not part of this run answers");
  return std::move(outgoing.fd);
}

std::vector<FileDescriptor> TcpEndpoint::open(std::span<const Link> links, Deadline deadline) {
  std::vector<FileDescriptor> sockets(links.size());
  std::map<std::size_t, Outgoing> attempts;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].peer < rank_) continue;
    Hello hello{HelloKind::stream, static_cast<std::uint32_t>(rank_), links[i].communicator,
                static_cast<std::uint32_t>(links[i].socket), 0};
    attempts.emplace(i, begin(links[i].peer, hello, ""));
  }
  for (;;) {
    serve();
    if (notice_) throw PeerLost(notice_->lost_rank, host(notice_->lost_rank), notice_->reason);
    for (auto attempt = attempts.begin(); attempt != attempts.end();) {
      auto socket = advance(attempt->second);
      if (socket) sockets[attempt->first] = std::move(*socket);
      attempt = socket ? attempts.erase(attempt) : std::next(attempt);
    }
    int missing = -1;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (const auto found = accepted_.find(links[i]); found != accepted_.end()) {
        sockets[i] = std::move(found->second);
        accepted_.erase(found);
      }
      if (!sockets[i]) missing = links[i].peer;
    }
    if (missing < 0) return sockets;
    if (deadline.passed()) {
      throw PeerLost(missing, host(missing),
                     fmt::format("no connection with {} within the time-out", address(missing).text()));
    }
    std::vector<pollfd> polled;
    append_poll(polled);
    for (const auto& [index, attempt] : attempts) {
      const bool writes = !attempt.connected || !attempt.unsent.empty();
      polled.push_back({attempt.fd.get(), static_cast<short>(writes ? POLLOUT : POLLIN), 0});
    }
    ::poll(polled.data(), polled.size(), as_milliseconds(deadline.left(std::chrono::milliseconds(100))));
  }
}

void TcpEndpoint::append_poll(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  for (const auto& stranger : strangers_) polled.push_back({stranger.fd.get(), POLLIN, 0});
}

void TcpEndpoint::serve() {
  std::erase_if(strangers_, [this](Stranger& stranger) { return !hear(stranger); });
  accept_all();
}

void TcpEndpoint::accept_all() {
  // Those beyond the limit wait in the kernel's queue: one that says nothing is dropped in its time, and ranks say
  // hello at once.
  while (strangers_.size() < most_strangers) {
    SocketAddress from;
    from.length = sizeof from.storage;
    FileDescriptor fd(::accept4(listener_.get(), from.get(), &from.length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    strangers_.push_back({std::move(fd), from.text(), {}, std::nullopt, Deadline::after(stranger_patience)});
    if (!hear(strangers_.back())) strangers_.pop_back();
  }
}

bool TcpEndpoint::hear(Stranger& stranger) {
  const std::size_t expected = hello_bytes + (stranger.hello ? stranger.hello->text_bytes : 0);
  std::array<unsigned char, hello_bytes + most_hello_text> part;
  const auto received = ::recv(stranger.fd.get(), part.data(), expected - stranger.bytes.size(), 0);
  if (received == 0 || (received < 0 && !would_block())) {
    refuse(stranger, "it closed the connection");
    return false;
  }
  if (received > 0) stranger.bytes.insert(stranger.bytes.end(), part.begin(), part.begin() + received);
  if (stranger.bytes.size() < expected) {
    if (!stranger.deadline.passed()) return true;
    refuse(stranger, "it said nothing");
    return false;
  }
  if (!stranger.hello) {
    stranger.hello = read_hello(stranger.bytes, token_);
    const bool known = stranger.hello && stranger.hello->rank < peers_.size();
    if (!known) {
      refuse(stranger, "it does not know this run's token");
      return false;
    }
    if (stranger.hello->text_bytes > 0) return hear(stranger);
  }
  const auto welcome = write_welcome(token_);
  if (::send(stranger.fd.get(), welcome.data(), welcome.size(), MSG_NOSIGNAL) != ssize_t{welcome_bytes}) return false;
  const auto& hello = *stranger.hello;
  if (hello.kind == HelloKind::stream) {
    accepted_[{static_cast<int>(hello.rank), hello.communicator, static_cast<int>(hello.socket)}] =
        std::move(stranger.fd);
  } else if (!notice_) {
    std::istringstream text(std::string(stranger.bytes.begin() + hello_bytes, stranger.bytes.end()));
    AbortNotice notice{-1, {}};
    text >> notice.lost_rank;
    std::getline(text >> std::ws, notice.reason);
    if (notice.lost_rank >= 0 && notice.lost_rank < size()) notice_ = std::move(notice);
  }
  return false;
}

void TcpEndpoint::refuse(const Stranger& stranger, std::string_view why) {
  if (++refused_ > most_refusals_shown) return;
  fmt::print(stderr, "ringmark: rank {} refused a connection from {}: {}; the run goes on\n", rank_, stranger.from,
             why);
}

void TcpEndpoint::broadcast(const AbortNotice& notice) noexcept {
  try {
    const std::string text = fmt::format("{} {}", notice.lost_rank, notice.reason).substr(0, most_hello_text);
    std::vector<Outgoing> attempts;
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank_ || peer == notice.lost_rank) continue;
      const Hello hello{HelloKind::abort, static_cast<std::uint32_t>(rank_), 0, 0,
                        static_cast<std::uint32_t>(text.size())};
      try {
        attempts.push_back(begin(peer, hello, text));
      } catch (const std::exception&) {
        continue;  // the others are told all the same
      }
    }
    const auto deadline = Deadline::after(broadcast_patience);
    while (!attempts.empty() && !deadline.passed()) {
      std::erase_if(attempts, [this](Outgoing& attempt) {
        try {
          return advance(attempt).has_value();
        } catch (const std::exception&) {
          return true;  // gone as well, or already informed and leaving
        }
      });
      std::vector<pollfd> polled;
      for (const auto& attempt : attempts) {
        polled.push_back({attempt.fd.get(), static_cast<short>(attempt.connected ? POLLIN : POLLOUT), 0});
      }
      ::poll(polled.data(), polled.size(), as_milliseconds(deadline.left(std::chrono::milliseconds(50))));
    }
  } catch (const std::exception&) {
    // Whoever was not told finds out by himself.
  }
}

}  // namespace ringmark
