// Reads pickles of plain data, as PyTorch's C++ code writes them: protocol 2, and no opcode that calls Python.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ringmark {

/// True for bytes that begin like a pickle of protocol 2 or later.
bool is_pickle(std::string_view bytes);

/// Tuples become arrays. Throws BadUsage with the file and byte for damaged or deeply nested data, for data that is
/// much larger than its file, and for every opcode that plain data does not need, which the message names.
nlohmann::json parse_pickle(const std::string& file, std::string_view bytes);

}  // namespace ringmark
