// Where the cause of a finding is to be looked for.
#pragma once

#include <string>

#include "accept/signs.hpp"

namespace ringmark::accept {

std::string advice(const SignedCulprit& culprit);

}  // namespace ringmark::accept
