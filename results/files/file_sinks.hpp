// Sinks that write files: CSV rows of the contract, and JSON lines of all samples.
#pragma once

#include <memory>
#include <string>

#include "results/files/sink.hpp"

namespace ringmark {

/// Both append to an existing file of the same kind, and never overwrite one. They open the file immediately and throw
/// std::system_error if that fails, std::invalid_argument if the file contains something else. Rows have the given
/// `schema`.
std::unique_ptr<Sink> make_csv_sink(const std::string& path, Schema schema = Schema::collective);
/// The first line of a run is its context, {"schema":"samples/1","context":…}; then a line per row follows: its key,
/// and the time of every iteration on every rank.
std::unique_ptr<Sink> make_samples_sink(const std::string& path);

}  // namespace ringmark
