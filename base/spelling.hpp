// Guesses the name that a misspelt word stands for.
#pragma once

#include <span>
#include <string_view>

namespace ringmark {

/// The nearest known name, if at most two letters (and a third of the word) were changed, added or left out; else
/// empty.
std::string_view meant_by(std::string_view word, std::span<const std::string_view> known);

}  // namespace ringmark
