// Whatever is parsed as CSV is written and parsed again to the same table; rows become records or an error by name.
#include <cstdint>
#include <cstdlib>

#include "results/files/result_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark;
  std::vector<CsvRow> table;
  try {
    table = parse_csv({reinterpret_cast<const char*>(data), size});
  } catch (const CsvError&) {
    return 0;
  }
  std::string text;
  for (const auto& row : table) text += write_csv(row);
  if (parse_csv(text) != table) std::abort();
  try {
    for (const auto& record : read_records(text)) {
      if (to_csv(record).size() != record_header().size()) std::abort();
    }
  } catch (const CsvError&) {
  }
  return 0;
}
