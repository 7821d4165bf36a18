// ringmark-accept: whether a cluster is as it should be, and which part of it is to blame.
#pragma once

namespace ringmark::accept {

int accept_main(int argc, const char* const* argv);

}  // namespace ringmark::accept
