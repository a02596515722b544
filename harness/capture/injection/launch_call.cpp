#include "capture/injection/launch_call.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpclock::injected {

std::uint64_t LaunchBytes::word(ParameterWord where) const {
  std::uint64_t value = 0;
  if (where.parameter >= parameters.size()) return value;
  const std::string& one = parameters[where.parameter];
  if (where.at + sizeof value <= one.size()) std::memcpy(&value, one.data() + where.at, sizeof value);
  return value;
}

LaunchBytes bytes_of(const LaunchCall& call, const Function& function) {
  LaunchBytes made;
  const char* packed = nullptr;
  std::size_t packed_bytes = 0;
  for (void** extra = call.extra; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) packed = static_cast<const char*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) packed_bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  made.known = function.parameters.empty() || call.parameters != nullptr || packed != nullptr;
  for (std::size_t i = 0; made.known && i < function.parameters.size(); ++i) {
    const Parameter& one = function.parameters[i];
    if (call.parameters != nullptr)
      made.parameters.emplace_back(static_cast<const char*>(call.parameters[i]), one.bytes);
    else if (one.at + one.bytes <= packed_bytes)
      made.parameters.emplace_back(packed + one.at, one.bytes);
    else
      made.known = false;
  }
  return made;
}

void LaunchKey::add(std::uint64_t word) {
  constexpr std::uint64_t first = 0xff51afd7ed558ccd, second = 0xc4ceb9fe1a85ec53;
  constexpr int half = 32, some = 27;
  a = (a ^ word) * first;
  a ^= a >> half;
  b = std::rotl(b + word, some) * second;
  b ^= b >> half;
}

void LaunchKey::add(const char* bytes, std::size_t count) {
  add(count);
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, count - at));
    add(word);
  }
}

void LaunchKey::add(const LaunchCall& call, int function, int device) {
  add(static_cast<std::uint64_t>(function));
  add(static_cast<std::uint64_t>(device));
  for (const auto* const extents : {&call.grid, &call.block, &call.cluster}) {
    for (const unsigned extent : *extents) add(extent);
  }
  add(call.shared);
  add(call.flags());
}

}  // namespace warpclock::injected
