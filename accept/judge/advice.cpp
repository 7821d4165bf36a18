#include "accept/judge/advice.hpp"

namespace ringmark::accept {
namespace {

std::string place_of(PartKind kind) {
  switch (kind) {
    case PartKind::host:
    case PartKind::sending:
    case PartKind::receiving:
      return "its NIC, cable and switch port";
    case PartKind::nic:
      return "this NIC, its cable and switch port";
    case PartKind::rail:
      return "the switches of this rail";
    case PartKind::leaf:
    case PartKind::leaf_sends:
    case PartKind::leaf_receives:
    case PartKind::some_uplink:
      return "the uplink ports of the leaf";
    case PartKind::between:
    case PartKind::some_spine:
      return "the spines and their ports";
    case PartKind::link:
      break;
  }
  return "routes and rules between the two";
}

}  // namespace

std::string advice(const SignedCulprit& culprit) {
  const auto place = place_of(culprit.part.kind);
  switch (culprit.sign) {
    case Sign::rate:
      return place + ": negotiated speed, width, error counters (ethtool -S, ibstat, ringmark-doctor)";
    case Sign::resent:
      return place + ": discarded packets and checksum errors (ethtool -S, the switch's counters)";
    case Sign::answer:
      return place + ": queues, power saving, interrupts, and detours in the route";
    case Sign::loaded:
      break;
  }
  return place + ": how many are up, and how traffic is spread over them";
}

}  // namespace ringmark::accept
