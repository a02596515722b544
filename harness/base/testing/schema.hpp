#pragma once

#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/testing/files.hpp"

namespace warpclock::testing {

/// The first of these programs that starts, or empty.
inline std::string first_program(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto ran = run_process({name, "--version"});
    if (ran && ran->exit_code == 0) return name;
  }
  return "";
}

/// What a validator of JSON Schema says of a document; empty if it is valid, "skip" where there is no validator.
inline std::string schema_complaint(const std::string& schema, const std::string& document) {
  const std::string python = first_program({"python3", "/usr/bin/python3"});
  if (python.empty() || run_process({python, "-c", "import jsonschema"})->exit_code != 0) return "skip";
  const TemporaryFolder folder;
  write(folder / "schema", schema);
  write(folder / "document", document);
  const auto ran =
      run_process({python, "-c",
                   "import json, sys, jsonschema\n"
                   "schema = json.load(open(sys.argv[1]))\n"
                   "jsonschema.Draft202012Validator.check_schema(schema)\n"
                   "for e in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))):\n"
                   "    print(e.message[:200])\n",
                   folder / "schema", folder / "document"});
  return ran ? ran->out + ran->err : ran.error().text;
}

}  // namespace warpclock::testing
