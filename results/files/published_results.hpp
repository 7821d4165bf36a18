// Published results of nccl-tests on named hardware: results/reference/nccl_tests.csv, which the programs contain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

struct PublishedResult {
  std::string gpu;      ///< "h100_sxm"
  std::string network;  ///< "ib_ndr_8x400", "nvlink" on one node; empty if not published, as are the next two
  std::string nccl_version, date;
  std::string source;  ///< its URL
  Record record;       ///< as if read from nccl-tests' own output, timed back to back
};

/// Selects a GPU ("h100_sxm"), or a GPU and networks by the beginning of their names ("h100_sxm:efa"). Throws BadUsage
/// for `flag` if the table has none; the message lists the GPUs or networks that it has.
std::vector<PublishedResult> published_results(const std::string& asked, const std::string& flag);

/// The bus bandwidth of an all_reduce, as the median over its sources.
struct PublishedRate {
  double busbw_GBps;
  std::vector<std::string> sources;  ///< "https://…, ib_ndr_8x400, NCCL 2.19.4, 2024-03"
};
std::optional<PublishedRate> published_all_reduce(const std::vector<PublishedResult>& results, std::uint64_t size_bytes,
                                                  int ranks);

/// "all_reduce over 16 ranks"
std::string operation_in_words(std::string_view collective, std::string_view ranks);
std::string operation_in_words(const PublishedResult& result);
/// "all_reduce over 8 ranks (1M, 1G), all_reduce over 16 ranks (1G)"
std::string cases_in_words(const std::vector<PublishedResult>& results);

/// Where and with what it was measured, in a line.
std::string origin_in_words(const PublishedResult& result);

/// The table, embedded.
extern const std::string_view nccl_tests_csv;

}  // namespace ringmark
