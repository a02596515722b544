#include "model/make_machine.hpp"

#include <algorithm>
#include <iterator>

#include "model/leaf_places.hpp"
#include "model/machine_tables.hpp"
#include "record/select/selected.hpp"

namespace warpclock {
namespace {

RecordSource source(const std::string& file, const Provenance& provenance, const DeviceFacts& device) {
  return {file, device.name, provenance.date, provenance.commit, provenance.driver, provenance.dirty};
}

StatedFacts stated(const DeviceFacts& device) {
  return {device.sms,          device.sm_clock_max_mhz, device.memory_clock_max_mhz, device.memory_bus_bits,
          device.memory_bytes, device.l2_bytes,         device.shared_per_sm_bytes,  device.shared_per_block_bytes};
}

/// The names in braces.
std::vector<std::string> parameters_in(const std::string& name) {
  std::vector<std::string> found;
  for (std::size_t at = name.find('{'); at != std::string::npos; at = name.find('{', at + 1)) {
    const std::size_t end = name.find('}', at);
    if (end == std::string::npos) break;
    found.push_back(name.substr(at + 1, end - at - 1));
  }
  return found;
}

/// The values that the parameters in an entry's name have together, in the order of the rows.
std::vector<Parameters> bindings(const EntryRule& rule, const GpuRecords& records) {
  const std::vector<std::string> names = parameters_in(rule.name);
  if (names.empty()) return {{}};
  std::vector<Parameters> found;
  const auto add = [&](const CaseRecord& row) {
    Parameters bound;
    for (const std::string& name : names) {
      if (const Value* value = find(row.parameters, name)) bound.emplace_back(name, *value);
    }
    if (bound.size() == names.size() && std::ranges::find(found, bound) == found.end()) found.push_back(bound);
  };
  for (const LeafRule& leaf : rule.leaves) {
    for (const Selector& place : leaf.places) {
      if (place.kind == Selector::Kind::Instruction) continue;
      for (const auto& [file, record] : records.results) {
        for (const CaseRecord* row : cases_at(*record, place)) add(*row);
      }
    }
  }
  return found;
}

Expected<Entry> entry_of(const EntryRule& rule, const GpuRecords& records, const Parameters& bound) {
  Entry entry;
  entry.name = WARPCLOCK_TRY(substitute(rule.name, bound));
  entry.says = rule.says;
  for (const LeafRule& leaf : rule.leaves) {
    auto leaves = WARPCLOCK_TRY(leaves_of(leaf, records, bound));
    for (Leaf& one : leaves) entry.leaves.push_back(std::move(one));
    if (leaves.empty()) std::ranges::copy(names_of(leaf), std::back_inserter(entry.absent));
  }
  return entry;
}

Expected<void> fill(std::vector<Entry>& entries, const EntryRule& rule, const GpuRecords& records) {
  for (const Parameters& bound : bindings(rule, records)) {
    auto entry = entry_of(rule, records, bound);
    if (!entry) return fail(entry.error().code, rule.name + ": " + entry.error().text, rule.place);
    // A parameter of one leaf's rows need not be one of another's.
    if (entry->leaves.empty() && !bound.empty()) continue;
    if (std::ranges::find(entries, entry->name, &Entry::name) != entries.end())
      return fail("config", rule.name + ": there are two entries '" + entry->name + "'", rule.place);
    entries.push_back(*std::move(entry));
  }
  return {};
}

}  // namespace

Expected<Machine> make_machine(const ModelConfig& config, const GpuRecords& records) {
  Machine machine;
  machine.folder = records.folder;
  const auto about = [&](const std::string& file, const Provenance& provenance, const DeviceFacts& device) {
    if (machine.records.empty()) {
      machine.gpu = device.name;
      machine.arch = device.arch;
      machine.stated = stated(device);
    }
    machine.records.push_back(source(file, provenance, device));
  };
  for (const auto& [file, record] : records.results) about(file, record->provenance, record->device);
  if (const InstructionTable* table = records.instructions)
    about("instructions.json", table->provenance, table->device);
  if (const MachineTable* table = records.machine) about("machine.json", table->provenance, table->device);

  for (const PipeRule& rule : config.pipes) machine.pipes.push_back(pipe_entry(rule, records.machine));
  if (records.machine != nullptr) {
    machine.instructions = instruction_entries(*records.machine, records.instructions);
    machine.dependences = dependence_entries(*records.machine);
    machine.co_issue = pair_entries(*records.machine);
  }
  for (const auto& [section, rules] : config.sections) {
    const auto member = std::ranges::find(machine_sections, section, [](const auto& one) { return one.first; });
    for (const EntryRule& rule : rules) WARPCLOCK_TRY(fill(machine.*member->second, rule, records));
  }
  return machine;
}

}  // namespace warpclock
