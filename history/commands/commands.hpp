// The subcommands of ringmark-history.
#pragma once

#include "base/flags/command.hpp"

namespace ringmark::history {

AddCommand add_add, add_check, add_backup, add_export, add_forget, add_trend, add_changes, add_normal, add_odd,
    add_against, add_metrics;

}  // namespace ringmark::history
