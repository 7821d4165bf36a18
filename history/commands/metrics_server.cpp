#include "history/commands/metrics_server.hpp"

#include <chrono>
#include <csignal>
#include <exception>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"

namespace ringmark::history {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;
using Error = beast::error_code;

/// A client that is silent for longer is disconnected.
constexpr std::chrono::seconds patience(30);

http::response<http::string_body> answer_to(const http::request<http::string_body>& request,
                                            const std::function<std::string()>& metrics) {
  http::response<http::string_body> response(http::status::ok, request.version());
  response.keep_alive(request.keep_alive());
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    response.result(http::status::method_not_allowed);
    response.set(http::field::allow, "GET, HEAD");
  } else if (const auto path = request.target().substr(0, request.target().find('?')); path != "/metrics") {
    response.result(http::status::not_found);
    response.body() = "only /metrics exists\n";
  } else {
    try {
      response.body() = metrics();
      response.set(http::field::content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    } catch (const std::exception& error) {
      response.result(http::status::internal_server_error);
      response.body() = fmt::format("{}\n", error.what());
    }
  }
  response.prepare_payload();
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

/// A connection. Its pending callback keeps it alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, const std::function<std::string()>& metrics)
      : stream_(std::move(socket)), metrics_(metrics) {}

  void read() {
    request_ = {};
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, request_, [self = shared_from_this()](Error error, std::size_t) {
      if (!error) self->answer();
    });
  }

 private:
  void answer() {
    response_ = answer_to(request_, metrics_);
    stream_.expires_after(patience);
    http::async_write(stream_, response_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive()) {
        self->read();
      } else {
        self->stream_.socket().shutdown(Tcp::socket::shutdown_send, error);
      }
    });
  }

  beast::tcp_stream stream_;
  const std::function<std::string()>& metrics_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

class Server {
 public:
  Server(const ServeAddress& address, const std::function<std::string()>& metrics)
      : metrics_(metrics), signals_(context_, SIGINT, SIGTERM), acceptor_(context_) {
    const auto endpoint = endpoint_of(address);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Tcp::acceptor::reuse_address(true));
    if (address.host.empty() && endpoint.protocol() == Tcp::v6()) acceptor_.set_option(asio::ip::v6_only(false));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  int run() {
    int ended_by = 0;
    signals_.async_wait([&](Error error, int signal) {
      if (error) return;
      ended_by = signal;
      context_.stop();
    });
    accept();
    constexpr int threads = 4;
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { context_.run(); });
    context_.run();
    others.clear();
    return ended_by;
  }

 private:
  Tcp::endpoint endpoint_of(const ServeAddress& address) {
    if (!address.host.empty()) {
      return *Tcp::resolver(context_)
                  .resolve(address.host, std::to_string(address.port), Tcp::resolver::passive)
                  .begin();
    }
    Error error;
    Tcp::socket probe(context_);
    probe.open(Tcp::v6(), error);
    return {error ? Tcp::v4() : Tcp::v6(), address.port};
  }

  void accept() {
    acceptor_.async_accept(asio::make_strand(context_), [this](Error error, Tcp::socket socket) {
      if (!error) std::make_shared<Connection>(std::move(socket), metrics_)->read();
      accept();
    });
  }

  const std::function<std::string()>& metrics_;
  asio::io_context context_;
  asio::signal_set signals_;
  Tcp::acceptor acceptor_;
};

}  // namespace

std::optional<ServeAddress> parse_serve_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  ServeAddress address;
  if (!read_number(text.substr(colon + 1), std::uint16_t(0), std::numeric_limits<std::uint16_t>::max(), address.port))
    return std::nullopt;
  auto host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // without brackets, it is unclear which colon precedes the port
  }
  address.host = host;
  return address;
}

int serve_metrics(const ServeAddress& address, const std::function<std::string()>& metrics,
                  const std::function<void(std::uint16_t port)>& listening) {
  std::optional<Server> server;
  try {
    server.emplace(address, metrics);
  } catch (const boost::system::system_error& error) {
    throw BadUsage(
        Problem{.flag = "--serve",
                .text = fmt::format("cannot listen on {}:{}: {}", address.host, address.port, error.code().message()),
                .remedy = "give another address or port"});
  }
  listening(server->port());
  return server->run();
}

}  // namespace ringmark::history
