// Where to look for the cause of a finding.
#pragma once

#include <string>

#include "accept/judge/signs.hpp"

namespace ringmark::accept {

std::string advice(const SignedCulprit& culprit);

}  // namespace ringmark::accept
