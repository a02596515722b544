#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "advise/advice_json.hpp"
#include "cli/command.hpp"
#include "inspect/inspection_json.hpp"
#include "model/model_json.hpp"
#include "predict/prediction_json.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {

void add_schema(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("schema",
                         "Print the JSON Schema of a record, for readers of `zcat result.json.gz`, or of the "
                         "machine model, for readers of `warpclock export json`, or of `warpclock inspect --json`, "
                         "`predict --json` and `advise --json`");
  const auto& words = enum_words<RecordFile>;
  std::vector<std::string> names(words.begin(), words.end());
  static const std::map<std::string, std::string (*)()> others = {{"model", model_schema},
                                                                  {"inspect", inspection_schema},
                                                                  {"predict", prediction_schema},
                                                                  {"advise", advice_schema}};
  for (const char* name : {"model", "inspect", "predict", "advise"}) names.emplace_back(name);
  auto record = std::make_shared<std::string>();
  command->add_option("record", *record, "result, instructions, machine, cases, model, inspect, predict or advise")
      ->required()
      ->check(CLI::IsMember(names));
  command->footer(
      "Examples:\n"
      "  warpclock schema instructions\n"
      "  warpclock schema model > model.schema.json");
  command->callback([record, &action] {
    action = [record] {
      const auto& all = enum_words<RecordFile>;
      if (const auto other = others.find(*record); other != others.end()) {
        fmt::print("{}", other->second());
        return 0;
      }
      fmt::print("{}", record_schema(static_cast<RecordFile>(std::ranges::find(all, *record) - all.begin())));
      return 0;
    };
  });
}

}  // namespace warpclock
