// What ringmark-replay does.
#pragma once

namespace ringmark::replay {

int replay_main(int argc, const char* const* argv);

}  // namespace ringmark::replay
