#include "record/select/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace warpclock {
namespace {

/// The keys that name a kind; that of an instruction is `ptx`, beside `cases`.
constexpr std::array<std::pair<const char*, Selector::Kind>, 7> kind_keys = {{{"cases", Selector::Kind::Cases},
                                                                              {"half", Selector::Kind::Half},
                                                                              {"feature", Selector::Kind::Feature},
                                                                              {"line", Selector::Kind::Line},
                                                                              {"reach", Selector::Kind::Reach},
                                                                              {"clock", Selector::Kind::Clock},
                                                                              {"device", Selector::Kind::Device}}};

RangeEnd read_end(const Node& node) {
  const Value value = node.value();
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*number), false};
  static_cast<void>(node.word({"l2"}));
  return {0, true};
}

/// Both ends of a range, or nothing.
std::optional<std::pair<Node, Node>> read_range(const Node& node) {
  const std::vector<Node> ends = node.items();
  if (ends.size() == 2) return std::pair{ends[0], ends[1]};
  node.reject("a range is [low, high]");
  return {};
}

ParameterRule read_parameter(const std::string& name, const Node& node) {
  ParameterRule rule;
  rule.name = name;
  if (node.kind() != Node::Kind::Sequence) {
    rule.equals = node.value();
  } else if (const auto ends = read_range(node)) {
    rule.low = read_end(ends->first);
    rule.high = read_end(ends->second);
  }
  return rule;
}

/// Reads what to look for, from the one key that names its kind.
void read_kind(const Fields& fields, std::span<const Selector::Kind> kinds, const std::string& probe, Selector& out) {
  std::vector<std::string> known;
  int found = 0;
  for (const auto& [key, kind] : kind_keys) {
    if (std::ranges::find(kinds, kind) == kinds.end()) continue;
    known.push_back(fmt::format("'{}'", key));
    const auto node = fields.find(key);
    if (!node) continue;
    out.kind = kind;
    out.name = node->text();
    if (++found > 1) node->reject(join(known, ", ") + " exclude each other");
    if (kind == Selector::Kind::Clock) static_cast<void>(node->word({"sm"}));
    if (kind == Selector::Kind::Device)
      static_cast<void>(node->word({"l2_bytes", "memory_bytes", "shared_per_sm_bytes", "memory_peak", "sm_clock"}));
  }
  if (found == 0) fields.node().reject("says one of " + join(known, ", "));
  const auto row =
      std::ranges::find(kinds, Selector::Kind::Instruction) == kinds.end() ? std::nullopt : fields.find("ptx");
  const auto given = probe.empty() ? fields.find("probe") : std::nullopt;
  if (row) {
    if (out.kind != Selector::Kind::Cases || given) row->reject("only with 'cases', and without 'probe'");
    out.kind = Selector::Kind::Instruction;
    out.probe = row->text();
  } else if (out.kind == Selector::Kind::Device) {
    if (given) given->reject("a device has no probe");
  } else {
    out.probe = probe.empty() ? fields.get("probe").text() : probe;
  }
}

void only_for(const Fields& fields, const char* key, bool allowed, const char* of) {
  const auto node = fields.find(key);
  if (node && !allowed) node->reject(fmt::format("only for {}", of));
}

/// Which keys narrow which kinds.
void check_keys(const Fields& fields, Selector::Kind kind) {
  const bool feature = kind == Selector::Kind::Feature,
             over = kind == Selector::Kind::Line || kind == Selector::Kind::Reach,
             probe = kind != Selector::Kind::Instruction && kind != Selector::Kind::Device;
  only_for(fields, "where", feature, "features");
  only_for(fields, "part", feature, "features");
  only_for(fields, "with", probe, "probes");
  only_for(fields, "counters", probe && !feature, "cases");
  only_for(fields, "take", probe && !over, "estimates, features and clocks");
  only_for(fields, "end", kind == Selector::Kind::Cases && !fields.has("take"), "cases, without 'take'");
  only_for(fields, "over", over, "'line' and 'reach'");
}

}  // namespace

Selector read_selector(const Node& item, std::span<const Selector::Kind> kinds, const std::string& probe) {
  std::vector<std::string> keys = {"with", "where", "counters", "part", "take", "end", "over"};
  for (const auto& [key, kind] : kind_keys)
    if (std::ranges::find(kinds, kind) != kinds.end()) keys.emplace_back(key);
  if (std::ranges::find(kinds, Selector::Kind::Instruction) != kinds.end()) keys.emplace_back("ptx");
  if (probe.empty()) keys.emplace_back("probe");
  const Fields fields = item.fields(keys);
  Selector out;
  read_kind(fields, kinds, probe, out);
  check_keys(fields, out.kind);
  if (out.kind == Selector::Kind::Line || out.kind == Selector::Kind::Reach) {
    for (const Node& factor : fields.get("over").items_or_self()) out.over.factors.push_back(factor.value());
  }
  if (const auto with = fields.find("with")) {
    for (const auto& [name, node] : with->entries()) out.with.push_back(read_parameter(name, node));
  }
  if (const auto where = fields.find("where")) out.where = where->word({"L1", "L2", "DRAM", "unnamed"});
  if (const auto counters = fields.find("counters")) {
    for (const auto& [name, node] : counters->entries()) {
      if (const auto ends = read_range(node))
        out.counters.emplace(name, std::pair{ends->first.number(), ends->second.number()});
    }
  }
  if (const auto part = fields.find("part"))
    out.part = part->word({"inside", "beyond"}) == "beyond" ? Selector::Part::Beyond : Selector::Part::Inside;
  if (const auto take = fields.find("take")) {
    const std::string word = take->word({"highest", "lowest", "range"});
    out.take = word == "highest"  ? Selector::Take::Highest
               : word == "lowest" ? Selector::Take::Lowest
                                  : Selector::Take::All;
  }
  if (const auto end = fields.find("end")) {
    out.take = Selector::Take::End;
    out.end_of = end->text();
  }
  return out;
}

}  // namespace warpclock
