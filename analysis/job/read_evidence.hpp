// Reads the evidence of a job from files of any known kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/job/evidence.hpp"
#include "analysis/job/readers.hpp"

namespace ringmark::analysis::job {

/// Files, folders, and patterns of files. In a folder, files of other kinds and damaged ones are left out with a note;
/// a damaged dump still shows that its rank left one. Throws BadUsage for such a file if it is named itself, and if no
/// file is evidence.
Evidence read_evidence(const std::vector<std::string>& paths);

/// One file's bytes, for read_evidence and its fuzzer. Throws BadUsage.
Evidence read_bytes(const JobFile& file, const std::string& bytes);

}  // namespace ringmark::analysis::job
