// Answers Prometheus' scrapes over HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ringmark::history {

struct ServeAddress {
  std::string host;  ///< empty for every address of the machine
  std::uint16_t port = 0;
};

/// Parses "127.0.0.1:9400", "[::1]:9400" or ":9400"; empty for other text.
std::optional<ServeAddress> parse_serve_address(std::string_view text);

/// Answers GET /metrics with `metrics()`, with status 500 if that throws, until SIGTERM or SIGINT, whose number it
/// returns. Calls `metrics` from several threads. `listening` gets the port, which the system chooses for port 0.
/// Throws BadUsage if the address cannot be used.
int serve_metrics(const ServeAddress& address, const std::function<std::string()>& metrics,
                  const std::function<void(std::uint16_t port)>& listening);

}  // namespace ringmark::history
