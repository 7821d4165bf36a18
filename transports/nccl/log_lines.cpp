#include "transports/nccl/log_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "transports/nccl/line_cursor.hpp"
#include "transports/nccl/names.hpp"

namespace ringmark {
namespace {

using Spelling = std::pair<std::string_view, std::string_view>;
constexpr std::array<Spelling, 7> algorithms{{{"TREE", "Tree"},
                                              {"RING", "Ring"},
                                              {"COLLNET_DIRECT", "CollNetDirect"},
                                              {"COLLNET_CHAIN", "CollNetChain"},
                                              {"NVLS", "NVLS"},
                                              {"NVLS_TREE", "NVLSTree"},
                                              {"PAT", "PAT"}}};
constexpr std::array<Spelling, 3> protocols{{{"LL", "LL"}, {"LL128", "LL128"}, {"SIMPLE", "Simple"}}};

template <class Table>
std::string spelt(const Table& table, std::string_view logged) {
  for (const auto& [log, name] : table) {
    if (log == logged) return std::string(name);
  }
  return std::string(logged);
}

/// "host:pid" from "host:pid:thread"; empty for other text. A launcher may put its own text before the host without a
/// blank: "[1,0]<stdout>:host:pid:thread".
std::string process_in(std::string_view word) {
  const auto thread = word.rfind(':');
  if (thread == std::string_view::npos || thread == 0) return "";
  const auto pid = word.rfind(':', thread - 1);
  if (pid == std::string_view::npos || pid == 0) return "";
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!is_number(word.substr(thread + 1)) || !is_number(word.substr(pid + 1, thread - pid - 1))) return "";
  const auto is_of_host = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
  auto host = pid;
  while (host > 0 && is_of_host(static_cast<unsigned char>(word[host - 1]))) --host;
  return host == pid ? "" : std::string(word.substr(host, thread - host));
}

}  // namespace

std::optional<NcclLogLine> split_nccl_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto mark = line.find(" NCCL ");
  if (mark == std::string_view::npos) return std::nullopt;
  NcclLogLine result;
  LineCursor before(line.substr(0, mark));
  if (before.skip("[")) {
    double seconds = 0;
    const auto stamp = before.until("]");
    const auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), seconds);
    if (error == std::errc() && end == stamp.data() + stamp.size()) result.seconds = seconds;
    before.skip("] ");
  }
  // Other forms of time stamps may precede the process; the GPU and a source file may follow it.
  for (auto rest = before.rest(); !rest.empty();) {
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    // The last match counts: a time "10:29:53" looks like a process too.
    if (auto process = process_in(word); !process.empty()) result.process = std::move(process);
  }
  if (result.process.empty()) return std::nullopt;
  LineCursor after(line.substr(mark + 6));
  result.level = after.until(" ");
  after.skip(" ");
  result.text = after.rest();
  return result;
}

std::optional<NcclChoiceLine> read_nccl_choice(std::string_view text) {
  LineCursor at(text);
  NcclChoiceLine choice;
  choice.collective = at.until(":");
  int low = 0, high = 0;
  constexpr std::string_view symmetric = " [Symmetric]";
  const bool is_symmetric = choice.collective.ends_with(symmetric);
  if (is_symmetric) choice.collective.resize(choice.collective.size() - symmetric.size());
  if (!is_nccl_function(choice.collective) || !at.skip(": ") || !at.number(choice.bytes)) return std::nullopt;
  if (is_symmetric) {
    if (!at.skip(" Bytes -> Kernel ")) return std::nullopt;
    choice.algorithm = nccl_symmetric;
    choice.protocol = at.until(" ");
    if (!at.skip(" nchannels ") || !at.number(choice.channels)) return std::nullopt;
    return choice;
  }
  if (!at.skip(" Bytes -> Algo ")) return std::nullopt;
  choice.algorithm = spelt(algorithms, at.until(" "));
  if (!at.skip(" proto ")) return std::nullopt;
  choice.protocol = spelt(protocols, at.until(" "));
  if (!at.skip(" channel{Lo..Hi}={") || !at.number(low) || !at.skip("..") || !at.number(high) || !at.skip("}"))
    return std::nullopt;
  choice.channels = high - low + 1;
  return choice;
}

std::optional<NcclConnection> read_nccl_connection(std::string_view text) {
  LineCursor at(text);
  if ((!at.skip("Channel ") && !at.skip("CollNet ")) || !at.find(" via ")) return std::nullopt;
  NcclConnection connection;
  connection.gpu_direct = at.rest().find("/GDRDMA") != std::string_view::npos;
  for (const std::string_view network : {"NET/", "COLLNET/"}) {
    // A plug-in's name may contain blanks: "NET/AWS Libfabric/0".
    if (at.skip(network)) connection.transport = fmt::format("{}{}", network, at.until("/"));
  }
  if (connection.transport.empty()) connection.transport = at.until(" /");
  return connection;
}

std::optional<NcclNetwork> read_nccl_network(std::string_view text) {
  LineCursor at(text);
  NcclNetwork network;
  network.transport = at.until(" ");
  if (!network.transport.starts_with("NET/") || !at.skip(" : Using ")) return std::nullopt;
  while (at.skip("[") && at.find("]")) {
    auto device = at.until(" ;");
    if (network.transport.starts_with("NET/IB")) {
      const auto slash = device.find('/');
      const auto layer = slash == std::string_view::npos ? "" : device.substr(slash + 1);
      network.link_layer = layer.substr(0, layer.find('/'));  // a plug-in appends more
      device = device.substr(0, slash);
    } else {
      device = device.substr(0, device.find(':'));
    }
    network.devices.emplace_back(device);
    while (at.skip(" ") || at.skip(";")) {
    }
    if (at.skip("[RO]")) {
      while (at.skip(" ") || at.skip(";")) {
      }
    }
  }
  if (network.devices.empty()) return std::nullopt;
  return network;
}

std::optional<NcclSocketThreads> read_nccl_socket_threads(std::string_view text) {
  LineCursor at(text);
  NcclSocketThreads result;
  const bool is_read = at.skip("NET/Socket: Using ") && at.number(result.threads) && at.skip(" threads and ") &&
                       at.number(result.sockets) && at.skip(" sockets per thread");
  return is_read ? std::optional(result) : std::nullopt;
}

std::optional<int> read_nccl_channel_count(std::string_view text) {
  LineCursor at(text);
  int channels = 0;
  return at.number(channels) && at.skip(" coll channels") ? std::optional(channels) : std::nullopt;
}

}  // namespace ringmark
