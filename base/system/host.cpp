#include "base/system/host.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

#include "base/system/files.hpp"

namespace ringmark {
namespace {

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::optional<std::size_t> available_memory_bytes() {
  std::istringstream lines(read_text_if_readable("/proc/meminfo"));
  std::string word;
  while (lines >> word) {
    std::size_t kibibytes = 0;
    if (word == "MemAvailable:" && lines >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

std::optional<double> interface_bits_per_s(std::string_view interface) {
  const auto folder = "/sys/class/net/" + std::string(interface);
  if (::access((folder + "/device").c_str(), F_OK) != 0) return std::nullopt;
  const auto mbits = to_number(read_text_if_readable(folder + "/speed"));
  constexpr double bits_per_mbit = 1e6;
  return mbits && *mbits > 0 ? std::optional(static_cast<double>(*mbits) * bits_per_mbit) : std::nullopt;
}

std::optional<std::uint64_t> interface_sent_bytes(std::string_view interface) {
  // /proc/self/net follows the process's namespace; /sys shows the namespace in which it was mounted.
  std::istringstream lines(read_text_if_readable("/proc/self/net/dev"));
  std::string line;
  while (std::getline(lines, line)) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(' ');
    if (std::string_view(line).substr(start, colon - start) != interface) continue;
    std::istringstream columns(line.substr(colon + 1));
    constexpr int sent_column = 9;  // after eight columns of received traffic
    std::string value;
    for (int column = 0; column < sent_column; ++column) columns >> value;
    return to_number(value);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> tcp_retransmitted_segments() {
  std::istringstream lines(read_text_if_readable("/proc/self/net/snmp"));
  std::string names, values;
  while (std::getline(lines, names) && std::getline(lines, values)) {
    if (!names.starts_with("Tcp:")) continue;
    std::istringstream name_words(names), value_words(values);
    std::string name, value;
    while (name_words >> name && value_words >> value) {
      if (name == "RetransSegs") return to_number(value);
    }
  }
  return std::nullopt;
}

}  // namespace ringmark
