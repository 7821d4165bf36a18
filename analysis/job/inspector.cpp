#include "analysis/job/readers.hpp"
#include "analysis/read/inspector_log.hpp"

namespace ringmark::analysis::job {

bool is_inspector(std::string_view text) { return is_inspector_log(text); }

void read_inspector(Evidence& evidence, const JobFile& file, std::string_view text) {
  const auto log = read_inspector_log(file.path, text);
  for (const auto& note : {log.damage, log.cut_off}) {
    if (!note.empty()) evidence.notes.push_back(note);
  }
  if (log.contexts.empty()) return;
  const auto source = evidence.sources.size();
  evidence.sources.push_back({file.path, SourceKind::inspector, log.version, log.written});
  std::vector<std::size_t> communicators;
  for (const auto& context : log.contexts) {
    communicators.push_back(evidence.communicator(context.communicator, context.label, /*has_job_ranks=*/false));
    evidence.communicators[communicators.back()].size = context.ranks;
  }
  for (const auto& call : log.calls) {
    const auto& context = log.contexts[call.context];
    evidence.timed.push_back({source, communicators[call.context], context.rank, context.host,
                              operation_named(call.collective), call.sequence, call.size_bytes, call.time_us,
                              call.busbw_GBps});
  }
}

}  // namespace ringmark::analysis::job
