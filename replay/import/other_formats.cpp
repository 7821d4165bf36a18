#include "replay/import/other_formats.hpp"

#include <algorithm>
#include <array>

namespace ringmark::replay {
namespace {

struct Format {
  std::string_view begin;
  std::string_view answer;
};

constexpr std::string_view gzip = "\x1F\x8B", xz = "\xFD"
                                                   "7zXZ";
constexpr std::string_view chakra =
    "is a Chakra graph; give the PyTorch execution traces that it was made from, which have the sizes of calls";

constexpr std::array formats{
    Format{gzip, "is compressed; unpack it first, with gzip -dk"},
    Format{xz, "is compressed; unpack it first, with xz -dk"},
    Format{"PK\x03\x04", "is an archive; unpack it first, with unzip"},
    Format{R"({"schema":"steptrace/)", "is already a step trace, which run, show and predict read"},
    Format{"NVIDIA Tegra Profiler Report",
           "is an Nsight Systems report, in which NCCL calls have no sizes; record the step with PyTorch's "
           "profiler, libringmark-capture.so or NCCL's log (NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL)"},
    Format{
        "SQLite format 3",
        "is a SQLite database, as Nsight Systems exports it, in which NCCL calls have no sizes; record the step "
        "with PyTorch's profiler, libringmark-capture.so or NCCL's log (NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL)"},
};

/// True for a protobuf message whose first attribute is the schema.
bool is_chakra(std::string_view text) {
  constexpr std::size_t first_attribute = 24;
  return text.substr(0, first_attribute).find("\x0A\x06schema") != std::string_view::npos;
}

bool is_tar(std::string_view text) {
  constexpr std::size_t at_magic = 257;
  return text.size() > at_magic && text.substr(at_magic).starts_with("ustar");
}

}  // namespace

std::string_view other_format(std::string_view text) {
  const auto* found =
      std::find_if(formats.begin(), formats.end(), [&](const Format& each) { return text.starts_with(each.begin); });
  if (found != formats.end()) return found->answer;
  if (is_tar(text)) return "is an archive; unpack it first, with tar -xf";
  const auto begin = std::min(text.find_first_not_of(" \t\r\n{"), text.size());
  const bool is_workload = text.starts_with('{') && text.substr(begin).starts_with("\"workload_graph\"");
  return is_workload || is_chakra(text) ? chakra : "";
}

}  // namespace ringmark::replay
