// Replaces fabric_file.cpp if the build has no yaml-cpp.
#include "lab/fabric_file.hpp"

namespace ringmark::lab {

FabricReading read_fabric(const std::string& path) {
  return {{},
          {{.flag = "--fabric",
            .value = path,
            .text = "this build cannot read YAML",
            .remedy = "install libyaml-cpp-dev and rebuild, or give --leaves and the other flags"}}};
}

}  // namespace ringmark::lab
