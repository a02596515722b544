#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "capture/capture.hpp"
#include "check/study.hpp"
#include "cli/command.hpp"
#include "execute/execution.hpp"
#include "inspect/inspection_output.hpp"
#include "model/machine.hpp"
#include "model/model_exports.hpp"
#include "plan/config/stanza.hpp"
#include "predict/prediction_output.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

/// What an editor is told of configs/*.yaml: the key that a file has says which file it is.
std::string configs_schema() {
  YamlSchema all = schema_of_values();
  const std::vector<Metric> none;
  const std::vector<std::pair<const char*, Json>> files = {
      {"metrics", all.of<MetricsFile>()}, {"transfers", all.of<ModelConfig>()}, {"kernels", kernels_schema(all)}};
  Json chosen = all.of<FamilyFile>(none);
  for (const auto& [key, file] : files | std::views::reverse)
    chosen = {{"if", {{"required", {key}}}}, {"then", file}, {"else", chosen}};
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "warpclock configs"},
      {"description",
       "A family of probes, (counters.yaml) the counter metrics, (model.yaml) the machine model, or "
       "(cases.yaml) kernels that `warpclock check` measures. Files are strict YAML: UTF-8, one document, no "
       "anchors, aliases, merge keys or tags. `warpclock schema configs` writes this file."},
      {"type", "object"}};
  schema.update(chosen);
  schema["definitions"] = all.definitions();
  return schema.dump(2) + "\n";
}

}  // namespace

void add_schema(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("schema",
                         "Print the JSON Schema of a record, for readers of `zcat result.json.gz`, or of the "
                         "machine model, for readers of `warpclock export json`, or of `warpclock inspect --json`, "
                         "`execute --json`, `predict --json` and `advise --json`, or of capture.json, for readers of "
                         "what `warpclock capture` keeps, or of configs, for editors of configs/*.yaml");
  std::map<std::string, std::function<std::string()>> schemas = {
      {"record", record_schema},     {"model", model_schema},     {"inspect", inspection_schema},
      {"execute", execution_schema}, {"capture", capture_schema}, {"predict", prediction_schema},
      {"advise", advice_schema},     {"configs", configs_schema}};
  const std::vector<std::string> names = {"record",  "model",   "inspect", "execute",
                                          "capture", "predict", "advise",  "configs"};
  auto record = std::make_shared<std::string>();
  const std::string last = names.back();
  command->add_option("record", *record, join({names.begin(), names.end() - 1}, ", ") + " or " + last)
      ->required()
      ->check(CLI::IsMember(names));
  command->footer(
      "Examples:\n"
      "  warpclock schema record\n"
      "  warpclock schema model > model.schema.json");
  command->callback([record, schemas, &action] {
    action = [record, schemas] {
      fmt::print("{}", schemas.at(*record)());
      return 0;
    };
  });
}

}  // namespace warpclock
