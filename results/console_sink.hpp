// The table that nccl-tests prints: the same columns, comment lines and footer, so that its parsers work unchanged.
#pragma once

#include <cstdio>
#include <memory>

#include "results/sink.hpp"

namespace ringmark {

/// Prints a line for each size, once both the out-of-place and the in-place row are there; `both` says whether both
/// will come. Rows without times show "N/A", and their reason goes to a comment line.
std::unique_ptr<Sink> make_console_sink(std::FILE* out, bool both);

}  // namespace ringmark
