// Descriptions of a scenario's keys, for readers of the spreadsheet who have not seen the scenario file.
#pragma once

#include <string>
#include <string_view>

namespace ringmark::analysis {

/// "price per GPU-hour" of "price_per_GPU_hour". Throws std::out_of_range for a key that no sheet shows.
std::string input_words(std::string_view key);

}  // namespace ringmark::analysis
