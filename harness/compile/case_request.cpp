#include "compile/case_request.hpp"

#include <set>

#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "code/tool.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/compiler/toolkit_headers.hpp"
#include "compile/generated.hpp"

namespace warpclock {

Expected<CompileRequest> case_request(const std::vector<const Case*>& members, const Sources& sources,
                                      const Target& target) {
  CompileRequest request;
  request.target = target;
  if (is_generated(members.front()->kernel)) {
    request.unit = WARPCLOCK_TRY(ptx_module(members, sources, target));
    return request;
  }
  std::set<std::string> paths;
  for (const Case* member : members) {
    if (paths.contains(member->kernel)) continue;
    const auto included = WARPCLOCK_TRY(included_sources(member->kernel, sources));
    paths.insert(included.begin(), included.end());
  }
  request.unit = translation_unit(members, sources);
  for (const auto& path : paths) request.headers.emplace_back(path, sources.at(path));
  if (foreign_headers(mapped(members, &Case::kernel), sources).empty()) return request;
  for (const std::string& folder : toolkit_includes()) request.options.push_back("--include-path=" + folder);
  request.headers.insert(request.headers.end(), standard_headers().begin(), standard_headers().end());
  return request;
}

std::string case_key(const CompileRequest& request, const std::vector<std::string>& tools) {
  Hash hash;
  hash.add_field("case of words").add_field(request.unit);
  for (const std::string& tool : tools) hash.add_field(tool);
  for (const auto& option : compile_options(request.target)) hash.add_field(option);
  for (const auto& option : request.options) hash.add_field(option);
  for (const auto& [path, text] : request.headers) hash.add_field(path).add_field(text);
  if (!request.options.empty()) {
    for (const std::string& folder : toolkit_includes()) hash.add_field(tool_identity(folder));
  }
  return hash.hex();
}

}  // namespace warpclock
