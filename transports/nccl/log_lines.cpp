#include "transports/nccl/log_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text/line_cursor.hpp"
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

/// 3 in "[3]", alone or at the end of a word; empty for other words.
std::optional<int> device_at_end(std::string_view word) {
  int device = 0;
  LineCursor at(word.substr(std::min(word.rfind('['), word.size())));
  const bool is_read = at.skip("[") && at.number(device) && device >= 0 && at.rest() == "]";
  return is_read ? std::optional(device) : std::nullopt;
}

/// The tag that a launcher puts before a line, "1:" or "[1,0]<stdout>:", without its colon.
std::string tag_before(std::string_view word, std::string_view last) {
  const auto glued = last.substr(0, last.rfind('['));
  const auto tag = glued.empty() ? word : glued;
  return tag.ends_with(':') ? std::string(tag.substr(0, tag.size() - 1)) : "unnamed";
}

/// The text after a rank that a logger put before it: "[0] ", "[rank 0] ", "rank 0: ".
std::string_view without_rank(std::string_view text) {
  LineCursor at(text);
  const bool has_bracket = at.skip("[");
  const bool has_word = at.skip("rank") || at.skip("Rank");
  at.skip(" ");
  int rank = 0;
  const bool has_rank = (has_bracket || has_word) && at.number(rank) && at.skip(has_bracket ? "]" : ":");
  at.skip(":");
  return has_rank && at.skip(" ") ? at.rest() : text;
}

}  // namespace

std::optional<NcclLogLine> split_nccl_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto mark = line.find(" NCCL ");
  if (mark == std::string_view::npos) return std::nullopt;
  NcclLogLine result;
  LineCursor before(line.substr(0, mark));
  // A launcher's rank in brackets has no fraction.
  if (LineCursor at = before; at.skip("[")) {
    double seconds = 0;
    const auto stamp = at.until("]");
    const auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), seconds);
    const bool is_stamp = error == std::errc() && end == stamp.data() + stamp.size() && stamp.find('.') != stamp.npos;
    if (is_stamp && at.skip("] ")) {
      result.seconds = seconds;
      before = at;
    }
  }
  // Other forms of time stamps may precede the process; the GPU and a source file may follow it.
  std::string_view last, word_before;
  for (auto rest = before.rest(); !rest.empty();) {
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    // The last match counts: a time "10:29:53" looks like a process too.
    if (auto process = process_in(word); !process.empty()) {
      result.process = std::move(process);
      result.device.reset();  // a launcher's rank
    } else if (const auto device = device_at_end(word)) {
      result.device = device;
    }
    word_before = std::exchange(last, word);
  }
  if (result.process.empty()) {
    if (!device_at_end(last)) return std::nullopt;
    result.process = tag_before(word_before, last);
  }
  LineCursor after(line.substr(mark + 6));
  result.level = after.until(" ");
  after.skip(" ");
  result.text = without_rank(after.rest());
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
