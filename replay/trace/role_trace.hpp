// A training step in which ranks have roles, as the stages of a pipeline do: schema steptrace/2.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/trace/step_trace.hpp"

namespace ringmark::replay {

/// Ranks that communicate. All ranks are divided into such groups of one shape; a rank's place in a dimension is its
/// number over the stride, modulo the size.
struct RankGroup {
  struct Dimension {
    int size = 1, stride = 1;

    bool operator==(const Dimension&) const = default;
  };

  std::string name;
  std::vector<Dimension> dimensions;

  int size() const;
  /// Of the group that contains `rank`.
  int first_member(int rank) const;
  /// Members of the group that contains `rank`, ascending.
  std::vector<int> members(int rank) const;
  bool operator==(const RankGroup&) const = default;
};

/// Events that ranks of several roles may share, and repeat for each micro-batch. Indices in Event::after count from
/// the pass's first event, groups are those of the RoleTrace; Event::micro_step has no meaning.
struct Pass {
  std::string name;          ///< as frameworks call it: "forward", "send_backward_recv_forward"
  std::optional<int> chunk;  ///< of the model, where a stage has several
  std::vector<Event> events;

  bool operator==(const Pass&) const = default;
};

struct Role {
  struct Play {
    int pass = 0;
    std::optional<int> micro_batch;

    bool operator==(const Play&) const = default;
  };

  std::string name;
  std::vector<Play> plays;  ///< in the order in which the host issues them
  std::vector<MemoryPart> memory;

  bool operator==(const Role&) const = default;
};

struct RoleTrace {
  std::string id, model, source;
  std::uint64_t model_elements = 0;
  int ranks = 1;
  int micro_batches = 1;
  std::uint64_t micro_batch = 0, sequence = 0;
  DataType type = DataType::bfloat16;
  /// Other parameters of the step by name; numbers as text.
  std::map<std::string, std::string> parameters;
  std::vector<RankGroup> groups;
  std::vector<Pass> passes;
  std::vector<Role> roles;
  int role_stride = 1;  ///< a rank's role is its number over this, modulo the number of roles

  const Role& fullest_role() const;  ///< whose ranks need the most memory
  const Role& role_of(int rank) const { return roles[static_cast<std::size_t>(rank / role_stride) % roles.size()]; }
  bool operator==(const RoleTrace&) const = default;
};

/// The role's events one after another, on a channel for each group, as its ranks play them.
StepTrace played_by(const RoleTrace& trace, const Role& role);

/// The step with a single role, and a pass for each run of events of the same phase and micro-step. Events lose their
/// dependencies.
RoleTrace with_one_role(const StepTrace& step);

/// The computations of all passes, each once, and what all roles share: the form of a step that computation flags and
/// tables work on.
StepTrace computations_of(const RoleTrace& trace);

}  // namespace ringmark::replay
