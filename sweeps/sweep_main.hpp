// ringmark-sweep.
#pragma once

namespace ringmark::sweep {

int sweep_main(int argc, const char* const* argv);

}  // namespace ringmark::sweep
