// In place of fabric_file.cpp where the build has no yaml-cpp.
#include "lab/fabric_file.hpp"

namespace ringmark::lab {

FabricReading read_fabric(const std::string& path) {
  return {{},
          {{.flag = "--fabric",
            .value = path,
            .text = "this build reads no YAML",
            .remedy = "install libyaml-cpp-dev and build again, or give --leaves and the other flags"}}};
}

}  // namespace ringmark::lab
