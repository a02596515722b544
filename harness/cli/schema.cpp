#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {

void add_schema(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("schema", "Print the JSON Schema of a record, for readers of `zcat result.json.gz`");
  const auto& words = enum_words<RecordFile>;
  auto record = std::make_shared<std::string>();
  command->add_option("record", *record, "result, instructions or machine")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
  command->callback([record, &action] {
    action = [record] {
      const auto& all = enum_words<RecordFile>;
      fmt::print("{}", record_schema(static_cast<RecordFile>(std::ranges::find(all, *record) - all.begin())));
      return 0;
    };
  });
}

}  // namespace warpclock
