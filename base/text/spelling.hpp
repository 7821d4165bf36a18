// How names are spelled, and which name a misspelled word stands for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringmark {

/// ASCII letters in lower case, everything else unchanged.
std::string lower_case(std::string_view text);
/// Letters only, in lower case, so that "All-Reduce", "allreduce" and "all_reduce" are equal.
std::string letters_of(std::string_view text);

/// The nearest known name if it differs by at most two typing errors, and one in words below six letters. Otherwise
/// empty.
std::string_view meant_by(std::string_view word, std::span<const std::string_view> known);

}  // namespace ringmark
