// The table that nccl-tests prints: the same columns, comment lines and footer, so that its parsers work unchanged.
#pragma once

#include <cstdio>
#include <memory>

#include "results/files/sink.hpp"

namespace ringmark {

/// Prints a line per size once both the out-of-place and the in-place row have arrived; without `both`, only one of
/// them is expected. Rows without times show "N/A", with the reason in a comment line.
std::unique_ptr<Sink> make_console_sink(std::FILE* out, bool both);

}  // namespace ringmark
