// ringmark-accept: checks whether a cluster performs as it should, and names the part at fault.
#pragma once

namespace ringmark::accept {

int accept_main(int argc, const char* const* argv);

}  // namespace ringmark::accept
