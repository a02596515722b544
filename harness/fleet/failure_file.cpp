#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files/marked.hpp"
#include "base/files/paths.hpp"
#include "base/json/json_text.hpp"
#include "fleet/fleet_files.hpp"

namespace warpclock {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_failure_bytes = std::size_t{1} << 20;

}  // namespace

Expected<void> write_failure(const fs::path& folder, const std::string& host, const std::string& gpu,
                             const Error& error) {
  const Json json = {{"schema", {{"major", 1}, {"minor", 0}, {"patch", 0}}},
                     {"record", "failure"},
                     {"host", host},
                     {"gpu", gpu},
                     {"code", error.code},
                     {"text", error.message()}};
  return write_marked(folder / failure_file, compact(json) + "\n");
}

FleetFailure read_failure(const fs::path& path, const fs::path& fleet) {
  FleetFailure failure{path.lexically_relative(fleet).generic_string(), ""};
  const auto text = read_file(path, most_failure_bytes);
  const Json json = text ? Json::parse(*text, nullptr, false) : Json();
  const auto part = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  failure.text = part("text").empty() ? "this file cannot be read"
                                      : fmt::format("{}{}GPU {}: {}", part("host"), part("host").empty() ? "" : ", ",
                                                    part("gpu"), part("text"));
  return failure;
}

}  // namespace warpclock
