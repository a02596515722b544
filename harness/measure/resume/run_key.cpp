#include "measure/resume/run_key.hpp"

#include "base/hash.hpp"
#include "base/json/json_line.hpp"
#include "base/version.hpp"
#include "code/tool.hpp"
#include "gpu/device/fields.hpp"

namespace warpclock {
namespace {

std::string hash_of(const std::map<std::string, std::string>& texts) {
  Hash hash;
  for (const auto& [path, text] : texts) hash.add_field(path).add_field(text);
  return hash.hex();
}

std::string hash_of(const std::vector<std::string>& texts) {
  Hash hash;
  for (const std::string& text : texts) hash.add_field(text);
  return hash.hex();
}

/// Two builds of one commit may differ in local changes.
std::string program() {
  Hash hash;
  hash.add_field(version_line());
  if (version().dirty) hash.add_field(tool_identity("/proc/self/exe"));
  return hash.hex();
}

/// A GPU without a UUID is known by its place.
std::string identity_of(const DeviceFacts& device, const std::string& host) {
  return device.uuid.empty() ? host + " " + device.pci : device.uuid;
}

/// Its clocks, limits and driver too. Errors are counted while it is used, so they may differ.
std::string state_of(DeviceFacts device) {
  device.memory_errors.clear();
  return hash_hex(JsonLine::of(device));
}

std::string hash_of(const std::vector<Case>& cases) {
  Hash hash;
  for (const Case& one : cases) {
    hash.add_field(one.id).add_field(std::to_string(one.measures.size()));
    for (const Measure& measure : one.measures) hash.add_field(measure.name).add_field(measure.unit);
  }
  return hash.hex();
}

}  // namespace

RunKey run_key(const std::vector<Case>& cases, const RunGround& ground) {
  return {{"program", program()},
          {"GPU", identity_of(ground.device, ground.host)},
          {"driver", ground.device.driver},
          {"state of the GPU", state_of(ground.device)},
          {"counters", ground.counters_missing},
          {"tools", hash_of(ground.tools)},
          {"configs", hash_of(ground.configs)},
          {"probes", hash_of(ground.sources)},
          {"cases", hash_of(cases)},
          {"options", hash_of(ground.settings)}};
}

}  // namespace warpclock
