#include "transports/fabric/tcp/endpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <netinet/tcp.h>

#include "base/errors.hpp"
#include "base/system/check.hpp"
#include "transports/fabric/tcp/connection_attempt.hpp"
#include "transports/fabric/tcp/messages.hpp"
#include "transports/fabric/tcp/socket_options.hpp"

namespace ringmark {

namespace {

constexpr auto question_exchange = "question for a rank";
constexpr auto witness_patience = std::chrono::milliseconds(500);
constexpr std::size_t most_unproven = 256;
constexpr int most_refusals_shown = 3;
constexpr auto proof_patience = std::chrono::seconds(5);

/// The kernel reports that no file descriptors are left before it checks for a pending connection.
bool somebody_waits(int listener) {
  pollfd polled{listener, POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

std::uint32_t as_unsigned(int number) { return static_cast<std::uint32_t>(number); }

/// False if the other end has disconnected.
bool welcome(const FileDescriptor& fd, const Digest& hello, const RunToken& token) {
  const auto wire = write_welcome(hello, token);
  return ::send(fd.get(), wire.data(), wire.size(), MSG_NOSIGNAL) == ssize_t{welcome_bytes};
}

int as_milliseconds(Clock::duration wait) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
}

}  // namespace

std::string encode_question(int rank) { return encode(question_exchange, rank); }

std::shared_ptr<TcpEndpoint> TcpEndpoint::create(Bootstrap& bootstrap, const TcpOptions& options) {
  std::shared_ptr<TcpEndpoint> endpoint(new TcpEndpoint(bootstrap.rank(), options));
  // A rank whose options allow no address still takes part in the exchange, so that no other rank waits for it.
  AddressOffer mine{.host = this_host(), .problem = {}, .addresses = {}};
  try {
    mine.addresses = admitted(local_addresses(), options);
    const FileDescriptor probe(check_sys(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "create a socket"));
    apply_options(probe.get(), options, false);
  } catch (const BadUsage& error) {
    mine.problem = error.what();
  }
  auto offers = exchange(bootstrap, AddressOffer::exchange, mine);
  std::vector<HostIdentity> hosts;
  for (const auto& offer : offers) hosts.push_back(offer.host);
  const auto names = distinct_names(hosts);
  std::vector<RankAddresses> ranks;
  for (auto& offer : offers) {
    const auto rank = ranks.size();
    if (!offer.problem.empty()) throw BadUsage(fmt::format("rank {} on {}: {}", rank, names[rank], offer.problem));
    if (!std::all_of(offer.addresses.begin(), offer.addresses.end(), is_valid))
      throw_unreadable(AddressOffer::exchange, fmt::format("rank {} on {}", rank, names[rank]));
    ranks.push_back({names[rank], std::move(offer.addresses)});
  }
  const auto chosen = choose_addresses(ranks, options);
  endpoint->news_ = bootstrap.news();
  endpoint->own_ = chosen[static_cast<std::size_t>(bootstrap.rank())];
  endpoint->listen();

  SocketAddress bound;
  bound.length = sizeof bound.storage;
  check_sys(::getsockname(endpoint->listener_.get(), bound.get(), &bound.length), "read the listening port");
  const auto listeners = exchange(bootstrap, Listener::exchange, Listener{RunToken::random(), bound.port()});
  endpoint->token_ = listeners.front().token.mixed_with(bootstrap.secret());
  for (std::size_t rank = 0; rank < listeners.size(); ++rank) {
    const auto address = SocketAddress::from(chosen[rank].address, chosen[rank].family, listeners[rank].port);
    endpoint->peers_.push_back({ranks[rank].host, address});
  }
  return endpoint;
}

std::string TcpEndpoint::congestion() const {
  std::array<char, 16> name{};
  socklen_t length = name.size();
  if (::getsockopt(listener_.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return "";
  return std::string(name.data(), ::strnlen(name.data(), name.size()));
}

void TcpEndpoint::listen() {
  const auto address = SocketAddress::from(own_.address, own_.family, 0);
  listener_ = FileDescriptor(
      check_sys(::socket(own_.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "create a listening socket"));
  apply_options(listener_.get(), options_, own_.loopback);  // buffer sizes must be known when a connection is accepted
  check_sys(::bind(listener_.get(), address.get(), address.length), "listen on {}", address.text());
  check_sys(::listen(listener_.get(), SOMAXCONN), "listen on {}", address.text());
}

ConnectionAttempt TcpEndpoint::attempt(int peer, Hello hello, const std::string& text) const {
  hello.rank = as_unsigned(rank_);
  hello.to = as_unsigned(peer);
  return {{peer, host(peer), address(peer)}, own_, options_, hello, text, token_};
}

void TcpEndpoint::open(std::span<const ConnectionKey> links, Deadline deadline, std::vector<FileDescriptor>& sockets) {
  sockets.resize(links.size());
  std::map<std::size_t, ConnectionAttempt> attempts;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].peer < rank_) continue;
    const Hello hello{.communicator = links[i].communicator, .socket = as_unsigned(links[i].socket)};
    attempts.emplace(i, attempt(links[i].peer, hello, ""));
  }
  for (;;) {
    serve();
    throw_if_told();
    for (auto each = attempts.begin(); each != attempts.end();) {
      auto socket = each->second.advance();
      if (socket) sockets[each->first] = std::move(*socket);
      each = socket ? attempts.erase(each) : std::next(each);
    }
    int missing = -1;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (const auto found = accepted_.find(links[i]); found != accepted_.end()) {
        sockets[i] = std::move(found->second);
        accepted_.erase(found);
      }
      if (!sockets[i]) missing = links[i].peer;
    }
    if (missing < 0) return;
    if (deadline.passed()) {
      throw NoConnection(
          missing, fmt::format("no connection to {} within the timeout (--timeout)", address(missing).text()), false);
    }
    std::vector<pollfd> polled;
    append_poll(polled);
    for (const auto& [index, each] : attempts) polled.push_back(each.polled());
    ::poll(polled.data(), polled.size(), as_milliseconds(deadline.left(std::chrono::milliseconds(100))));
  }
}

void TcpEndpoint::append_poll(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  if (news_ && !losses_are_apart_) polled.push_back({news_->fd(), POLLIN, 0});
  for (const auto& question : questions_) question.probe.append_poll(polled);
  for (const auto& connection : unproven_) polled.push_back({connection.fd.get(), POLLIN, 0});
}

void TcpEndpoint::serve() {
  std::erase_if(unproven_, [this](UnprovenConnection& connection) { return !hear(connection); });
  accept_all();
  answer_questions();
  if (news_ && !notice_ && !losses_are_apart_) notice_ = news_->look();
}

void TcpEndpoint::accept_all() {
  // Connections beyond the limit wait in the kernel's queue. They get their turn soon: ranks say hello immediately, and
  // silent connections are dropped.
  while (unproven_.size() < most_unproven) {
    SocketAddress from;
    from.length = sizeof from.storage;
    FileDescriptor fd(::accept4(listener_.get(), from.get(), &from.length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
      // Unknown peers may disconnect at any time; errors of connections that were never established do not matter.
      const int error = errno;
      const bool is_full = error == EMFILE || error == ENFILE;
      if (is_full && unproven_.empty() && somebody_waits(listener_.get()))
        throw_errno("accept a connection (raise ulimit -n, or give fewer tcp.sockets)", error);
      return;
    }
    unproven_.push_back({std::move(fd), from.text(), {}, std::nullopt, Deadline::after(proof_patience)});
    if (!hear(unproven_.back())) unproven_.pop_back();
  }
}

bool TcpEndpoint::hear(UnprovenConnection& connection) {
  const std::size_t expected = hello_bytes + (connection.hello ? connection.hello->text_bytes : 0);
  std::array<unsigned char, hello_bytes + most_hello_text> part;
  const auto received = ::recv(connection.fd.get(), part.data(), expected - connection.bytes.size(), 0);
  if (received == 0 || (received < 0 && !would_block())) {
    refuse(connection, "it closed the connection");
    return false;
  }
  if (received > 0) connection.bytes.insert(connection.bytes.end(), part.begin(), part.begin() + received);
  if (connection.bytes.size() < expected) {
    if (!connection.deadline.passed()) return true;
    refuse(connection, "it sent nothing");
    return false;
  }
  if (!connection.hello) {
    connection.hello = read_hello(connection.bytes);
    if (!connection.hello) {
      refuse(connection, "it does not speak this version's protocol");
      return false;
    }
    if (connection.hello->text_bytes > 0) return hear(connection);
  }
  const auto proof = proof_of(connection.bytes, token_);
  if (!proof) {
    refuse(connection, "it does not know this run's token");
    return false;
  }
  const bool is_for_us = connection.hello->rank < peers_.size() && connection.hello->to == as_unsigned(rank_);
  if (!is_for_us || !seen_.insert(*proof).second) {
    refuse(connection, "it replays an earlier message of a rank");
    return false;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(connection.bytes.data()), connection.bytes.size());
  try {
    take(connection, bytes.substr(hello_bytes), *proof);
  } catch (const TransportError& error) {
    refuse(connection, error.what());
  }
  return false;
}

void TcpEndpoint::take(UnprovenConnection& connection, std::string_view text, const Digest& proof) {
  const auto& hello = *connection.hello;
  const auto sender = fmt::format("rank {}", hello.rank);
  const auto is_rank = [this](int rank) { return rank >= 0 && rank < size(); };
  if (hello.kind == HelloKind::question) {
    const auto asked = decode<int>(question_exchange, text, sender);
    if (!is_rank(asked)) throw_unreadable(question_exchange, sender);
    HostProbe probe([this, asked] { return attempt(asked, {.kind = HelloKind::probe}, ""); });
    questions_.push_back({std::move(connection.fd), proof, std::move(probe), Deadline::after(witness_patience)});
    return;
  }
  if (!welcome(connection.fd, proof, token_)) return;
  if (hello.kind == HelloKind::stream) {
    accepted_[{static_cast<int>(hello.rank), hello.communicator, static_cast<int>(hello.socket)}] =
        std::move(connection.fd);
  } else if (hello.kind == HelloKind::abort && !notice_ && !losses_are_apart_) {
    auto loss = decode<Loss>(notice_exchange, text, sender);
    if (!is_rank(loss.rank) || (loss.link_to != Loss::no_rank && !is_rank(loss.link_to)))
      throw_unreadable(notice_exchange, sender);
    notice_ = std::move(loss);
  }
}

void TcpEndpoint::answer_questions() {
  std::erase_if(questions_, [this](Question& question) {
    const bool hears = question.probe.advance();
    if (hears) welcome(question.fd, question.proof, token_);
    return hears || question.deadline.passed();
  });
}

void TcpEndpoint::refuse(const UnprovenConnection& connection, std::string_view why) {
  if (++refused_ > most_refusals_shown) return;
  fmt::print(stderr, "ringmark: rank {} refused a connection from {}: {}; the run continues\n", rank_, connection.from,
             why);
}

}  // namespace ringmark
