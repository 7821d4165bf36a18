// The entry point of ringmark-replay, without main() so that tests can call it.
#pragma once

namespace ringmark::replay {

int replay_main(int argc, const char* const* argv);

}  // namespace ringmark::replay
