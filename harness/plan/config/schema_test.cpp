#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "base/testing/matchers.hpp"
#include "base/yaml/yaml.hpp"
#include "plan/config/stanza.hpp"
#include "plan/testing/corpus.hpp"

namespace warpclock {
namespace {

using nlohmann::json;

/// The value that an editor's YAML reader reads from a scalar.
json scalar(const Tree& tree) {
  const std::string& text = tree.scalar;
  if (tree.quoted) return text;
  if (text == "true" || text == "false") return text == "true";
  if (text == "yes" || text == "on") return true;
  if (text == ".nan") return nullptr;
  if (text == "1e999") return 1e308;
  if (is_plain_number(text)) return json::parse(text);
  if (text == "03" || text == "0x1f") return 3;
  return text;
}

json to_json(const Tree& tree) {
  json value;
  switch (tree.kind) {
    case Tree::Kind::Null:
      break;
    case Tree::Kind::Scalar:
      return scalar(tree);
    case Tree::Kind::Sequence:
      value = json::array();
      for (const Tree& item : tree.items) value.push_back(to_json(item));
      break;
    case Tree::Kind::Map:
      value = json::object();
      for (std::size_t i = 0; i < tree.items.size(); ++i) value[tree.keys[i].name] = to_json(tree.items[i]);
      break;
  }
  return value;
}

/// Answers a list with the first complaint about each document; the complaint is empty if the document is valid.
constexpr const char* validator = R"(
import json, sys
import jsonschema
with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
check = jsonschema.Draft7Validator(schema)
print(json.dumps([next((e.message for e in check.iter_errors(d)), '') for d in json.load(sys.stdin)]))
)";

/// A Python that has the jsonschema module, or empty.
std::string python() {
  for (const char* path : {"python3", "/usr/bin/python3"}) {
    const auto found = run_process({path, "-c", "import jsonschema"});
    if (found && found->exit_code == 0) return path;
  }
  return "";
}

class Schema : public ::testing::Test {
 protected:
  void SetUp() override {
    python_ = python();
    if (python_.empty()) GTEST_SKIP() << "no validator here (install python3-jsonschema)";
  }

  void add(const std::string& name, const std::string& text, bool valid) {
    const auto tree = parse_tree("configs/" + name, text);
    ASSERT_TRUE(tree) << name << ": " << tree.error().message();
    names_.push_back(name);
    documents_.push_back(to_json(*tree));
    valid_.push_back(valid);
  }

  void check() {
    ProcessOptions options;
    options.input = documents_.dump();
    const auto result =
        must(run_process({python_, "-c", validator, WARPCLOCK_SOURCE_DIR "/configs/schema.json"}, options));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json complaints = json::parse(result.out);
    ASSERT_EQ(complaints.size(), names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto complaint = complaints[i].get<std::string>();
      EXPECT_EQ(complaint.empty(), valid_[i]) << names_[i] << ": " << complaint;
    }
  }

  std::string python_;
  std::vector<std::string> names_;
  json documents_ = json::array();
  std::vector<bool> valid_;
};

TEST_F(Schema, AcceptsWhatTheLoaderAccepts) {
  const corpus::Configs configs = corpus::committed();
  const auto suite = load_suite(configs);
  ASSERT_TRUE(suite) << suite.error().message();
  for (const auto& [path, text] : configs) {
    // The schema covers families, metrics and the machine model.
    if (!path.contains("instructions/")) add(path, text, true);
  }
  add("the template probe", corpus::family(), true);
  add("the template metric", corpus::metrics(), true);
  for (const char* change : {
           "sweep: {a: {pow2: [32, 4096]}, mode: x, where: {mode: x}, except: [{a: {pow2: [32, 64]}}]}",
           "sweep: {points: [{a: 1, mode: \"L2::evict_last\"}], b: [0, -1]}",
           "launch: {blocks: [a, sms], warps: a, cluster: 2, shared_bytes: 48 KiB, carveout: [a, 10], warmups: 0, "
           "launches: 3}",
           "data: {bytes: [a, 64 MiB], fill: pointers, stride: [a, 128], cold: true}",
           "window: [{target: [ABC, \"D.{MODE}\"], count: [], archs: [sm_80], when: {mode: x}}, {target: ABC}]",
           "window: {target: ABC, also: D, required: [E], exactly: [{opcode: H, count: [n, 2]}], before: "
           "[\"F.{MODE}\", G], delay: [a, 4]}",
           "window: {target: ABC, chain: true, depth: 1, operand: 0, close: memory, loop: false, label: \"{mode}\"}",
           "window: {target: ABC, operands: {in_one_bank: {\"0\": [0, 0], \"12\": [95, 100]}, reuse: [0, 400]}}",
           "window: {target: ABC, operands: {reuse: [12, 12]}}",
           "premises: [{text: \"{mode} {a}\", value: hits, at_least: 0.5, when: [{a: [1, 2]}]}]",
           "measures: [{name: a.b, method: rate, unit: B/clk/SM, work: [a, 32]}, {name: c, method: fact, unit: \"1\", "
           "source: seen}]",
           "chart: {x: a, y: m.overhead, series: mode, log_x: false}",
           "along: {c: {from: 1 KiB, to: 3 MiB, per_octave: 3, step: 128 B}}",
           "along: {c: [1, 2]}",
           "data: {bytes: 1 MiB, fill: chase, stride: 128 B}",
           "sweep: {a: {from: 1, to: 64, per_octave: 2}, mode: x}",
           "needs: {min: sm_90, only: [sm_90a, sm_100a], why: because}",
           "needs: [{min: sm_90, why: because}, {when: [{mode: x}], only: [sm_90a], why: because}]",
       }) {
    const auto loaded =
        load_suite({{"configs/f.yaml", corpus::family(change)}, {"configs/counters.yaml", corpus::metrics()}});
    EXPECT_TRUE(loaded) << loaded.error().message();
    add(change, corpus::family(change), true);
  }
  check();
}

TEST_F(Schema, RefusesEveryMalformedShapeAndNothingThatOnlyTheLoaderCanKnow) {
  for (const corpus::Entry& entry : corpus::entries("stanzas.txt")) {
    add(entry.change, corpus::family(entry.change), entry.kind == "sense");
  }
  for (const corpus::Entry& entry : corpus::entries("metrics.txt")) {
    add(entry.change, corpus::metrics(entry.change), entry.kind == "sense");
  }
  for (const corpus::Entry& entry : corpus::entries("documents.txt")) {
    const auto text = json::parse(entry.change).get<std::string>();
    if (entry.kind == "yaml") {
      EXPECT_FALSE(parse_tree("configs/f.yaml", text)) << entry.change;
    } else {
      add(entry.change, text, entry.kind == "sense");
    }
  }
  ASSERT_GE(names_.size(), 200U);
  check();
}

}  // namespace
}  // namespace warpclock
