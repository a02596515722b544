#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "capture/capture_file.hpp"
#include "cli/command.hpp"
#include "execute/execution.hpp"
#include "inspect/inspection_output.hpp"
#include "model/model_exports.hpp"
#include "predict/prediction_output.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {

void add_schema(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("schema",
                         "Print the JSON Schema of a record, for readers of `zcat result.json.gz`, or of the "
                         "machine model, for readers of `warpclock export json`, or of `warpclock inspect --json`, "
                         "`execute --json`, `predict --json` and `advise --json`");
  std::map<std::string, std::function<std::string()>> schemas = {
      {"model", model_schema},     {"inspect", inspection_schema}, {"execute", execution_schema},
      {"capture", capture_schema}, {"predict", prediction_schema}, {"advise", advice_schema}};
  std::vector<std::string> names;
  for (const RecordFile kind : {RecordFile::Result, RecordFile::Instructions, RecordFile::Machine, RecordFile::Cases})
    schemas.emplace(names.emplace_back(word(kind)), [kind] { return record_schema(kind); });
  names.insert(names.end(), {"model", "inspect", "execute", "capture", "predict", "advise"});
  auto record = std::make_shared<std::string>();
  command
      ->add_option("record", *record,
                   "result, instructions, machine, cases, model, inspect, execute, capture, predict or advise")
      ->required()
      ->check(CLI::IsMember(names));
  command->footer(
      "Examples:\n"
      "  warpclock schema instructions\n"
      "  warpclock schema model > model.schema.json");
  command->callback([record, schemas, &action] {
    action = [record, schemas] {
      fmt::print("{}", schemas.at(*record)());
      return 0;
    };
  });
}

}  // namespace warpclock
