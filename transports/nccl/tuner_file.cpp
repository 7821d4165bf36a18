#include "transports/nccl/tuner_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace ringmark {

std::string nccl_tuner_word(std::string_view value, std::string_view collective) {
  constexpr std::pair<std::string_view, std::string_view> words[]{
      {"tree", "tree"},   {"ring", "ring"},    {"collnetdirect", "collnet_direct"}, {"collnetchain", "collnet_chain"},
      {"nvls", "nvls"},   {"pat", "pat"},      {"nvlstree", "nvls_tree"},           {"ll", "ll"},
      {"ll128", "ll128"}, {"simple", "simple"}};
  std::string name(value);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.starts_with(fmt::format("{}:", collective))) name.erase(0, collective.size() + 1);
  for (const auto& [nccl, tuner] : words) {
    if (name == nccl) return std::string(tuner);
  }
  return "";
}

std::string nccl_setting_of(std::string_view name, std::string_view value, std::string_view collective) {
  const bool is_for_all = value.find(':') == std::string_view::npos && nccl_tuner_word(value, collective) != "ring";
  return name == "NCCL_ALGO" && is_for_all && !collective.empty() ? fmt::format("{}:{}", collective, value)
                                                                  : std::string(value);
}

std::string nccl_tuner_line(const NcclTunerRange& range) {
  return fmt::format("{},{},{},{},{},-1,{},{}\n", range.collective, range.from_bytes, range.to_bytes, range.algorithm,
                     range.protocol, range.nodes, range.ranks);
}

}  // namespace ringmark
