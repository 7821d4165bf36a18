// How names are spelt, and the name that a misspelt word stands for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringmark {

/// ASCII letters in lower case, the rest as it is.
std::string lower_case(std::string_view text);
/// The letters alone, in lower case: "All-Reduce", "allreduce" and "all_reduce" are one.
std::string letters_of(std::string_view text);

/// The nearest known name, if at most two letters (and a third of the word) were changed, added or left out; else
/// empty.
std::string_view meant_by(std::string_view word, std::span<const std::string_view> known);

}  // namespace ringmark
