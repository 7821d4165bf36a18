// What people mean by a name that is misspelt.
#pragma once

#include <span>
#include <string_view>

namespace ringmark {

/// The nearest of the known names, if no more than two letters, and a third of the word, were changed, added or left
/// out; empty if there is none.
std::string_view meant_by(std::string_view word, std::span<const std::string_view> known);

}  // namespace ringmark
