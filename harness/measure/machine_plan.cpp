#include "measure/machine_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "build/flow.hpp"
#include "build/listing.hpp"
#include "build/modifiers.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

constexpr int stale_length = 7;
constexpr std::array chain_lengths{4, 8, 16, 24};
constexpr std::array issue_lengths{16, 40, 64};
constexpr std::array issue_warps{1, 4, 8, 16};
constexpr std::array scoreboard_stalls{1, 2, 4, 8, 15};
constexpr int safe_stall = 15, most_tensor_stall = 40, most_uniform_stall = 24;

struct Refused {
  std::string_view opcode, why;
};
// What one warp cannot do for itself in straight code, or what has to be set up first.
constexpr std::array<Refused, 28> refused{{{"ENDCOLLECTIVE", "ends a region of divergence"},
                                           {"NANOSLEEP", "sleeps as long as its operand says"},
                                           {"BMOV", "sets a barrier of divergence"},
                                           {"R2B", "sets a barrier"},
                                           {"SETLMEMBASE", "moves local memory"},
                                           {"KILL", "ends the thread"},
                                           {"SETCTAID", "changes what the block is"},
                                           {"BAR", "waits for other warps"},
                                           {"UCGABAR_ARV", "is part of a barrier of a cluster"},
                                           {"UCGABAR_WAIT", "is part of a barrier of a cluster"},
                                           {"BSSY", "begins a region of divergence"},
                                           {"BSYNC", "ends a region of divergence"},
                                           {"BREAK", "ends a region of divergence"},
                                           {"WARPSYNC", "changes the control flow"},
                                           {"RPCMOV", "sets the program counter"},
                                           {"B2R", "reads a barrier, which is not set up here"},
                                           {"SYNCS", "needs an mbarrier, which is not set up here"},
                                           {"ARRIVES", "needs an mbarrier, which is not set up here"},
                                           {"USETMAXREG", "changes the registers of the warp"},
                                           {"HGMMA", "needs matrix descriptors, which are not set up here"},
                                           {"WARPGROUP", "needs a warp group"},
                                           {"TEX", "needs a texture"},
                                           {"PREEXIT", "ends the part of a kernel that others wait for"},
                                           {"ACQBULK", "waits for another kernel"},
                                           {"BPT", "stops the kernel"},
                                           {"QSPC", "needs a generic address"},
                                           {"CCTL", "changes what the caches hold"},
                                           {"CCTLL", "changes what the caches hold"}}};

bool two_halves(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  return opcode.starts_with('H') && opcode.contains('2') && opcode != "HMMA";
}

std::pair<Values, Values> values_of(const Instruction& instruction) {
  const auto has = [&](std::string_view part) {
    return std::ranges::any_of(instruction.modifiers, [&](const std::string& one) { return one.starts_with(part); });
  };
  const std::string& opcode = instruction.opcode;
  const Values half = has("BF16") ? Values::BF16 : Values::F16;
  if (opcode == "HMMA") {
    const Values results = has("F32") ? Values::F32 : half;
    return {results, has("TF32") ? Values::F32 : half};
  }
  if (two_halves(instruction)) return {half, half};
  constexpr std::array<std::string_view, 6> doubles{"DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "DMMA"};
  if (std::ranges::find(doubles, opcode) != doubles.end() || has("F64")) return {Values::F64, Values::F64};
  constexpr std::array<std::string_view, 11> singles{"FADD", "FMUL", "FFMA", "FSETP", "FMNMX", "FSEL",
                                                     "FSET", "FCHK", "F2I",  "F2F",   "MUFU"};
  if (std::ranges::find(singles, opcode) != singles.end()) return {Values::F32, Values::F32};
  return {Values::Bits, Values::Bits};
}

/// Loads of at least a register as it is, which may be the next address.
bool loads_an_address(const Instruction& instruction) {
  constexpr std::array<std::string_view, 5> loads{"LDG", "LD", "LDS", "LDL", "LDSM"};
  constexpr std::array<std::string_view, 5> narrow{"U8", "S8", "U16", "S16", "MT88"};
  return std::ranges::find(loads, instruction.opcode) != loads.end() &&
         std::ranges::none_of(narrow, [&](std::string_view one) { return has_modifier(instruction, one); });
}

Mover bridge_between(Kind result, Kind source, const Movers& movers) {
  if (source == Kind::Vector && result == Kind::Uniform) return movers.from_uniform;
  if (source == Kind::Vector && result == Kind::Predicate) return movers.from_predicate;
  if (source == Kind::Uniform && result == Kind::Vector) return movers.to_uniform;
  if (source == Kind::Predicate && result == Kind::Vector) return movers.to_predicate;
  return {};
}

ChainRoute route_through(const MachineSubject& subject, const Instruction& instruction, std::size_t source,
                         const Movers& movers) {
  const FormShape& shape = subject.shape;
  const OperandShape& operand = shape.sources[source];
  ChainRoute route;
  route.source = static_cast<int>(source);
  route.operand = instruction.operands[shape.results.size() + source];
  const auto result = shape.result();
  if (!result) {
    route.why_not = "it has no result in a register";
  } else if (operand.kind == Kind::Address) {
    route.through_address = loads_an_address(instruction) && shape.results[*result].kind == Kind::Vector;
    if (!route.through_address) route.why_not = "what it gives is no address";
  } else if (operand.kind != shape.results[*result].kind) {
    route.bridge = bridge_between(shape.results[*result].kind, operand.kind, movers);
    if (!route.bridge) route.why_not = "nothing brings its result back to this operand in one instruction";
  }
  return route;
}

struct ChainStalls {
  int own = 1, bridge = safe_stall;
};

Expected<Filling> chain(const MachineSubject& subject, const ChainRoute& route, int n, ChainStalls stalls, bool vary,
                        const Hole& hole, const Movers& movers) {
  Placer placer(hole, movers);
  std::vector<Copy> copies;
  for (int i = 0; i < n; ++i) {
    Copy copy;
    WARPCLOCK_SET(copy, placer.place(*subject.form, {.through = route.source,
                                                     .constants = vary ? i : 0,
                                                     .through_address = route.through_address}));
    copy.stall = stalls.own;
    copies.push_back(std::move(copy));
    if (!route.bridge) continue;
    WARPCLOCK_SET(copy, placer.place(*route.bridge.form, {.through = route.bridge.source, .constants = vary ? i : 0}));
    copy.stall = stalls.bridge;
    copies.push_back(std::move(copy));
  }
  return placer.finish(copies);
}

Expected<Filling> independent(const MachineSubject& subject, int n, int stall, bool yield, const Hole& hole,
                              const Movers& movers) {
  Placer placer(hole, movers);
  std::vector<Copy> copies;
  for (int i = 0; i < n; ++i) {
    Copy copy;
    WARPCLOCK_SET(copy, placer.place(*subject.form, {.chain = i % static_cast<int>(result_quads), .two_banks = true}));
    copy.stall = stall;
    copy.yield = yield;
    copies.push_back(std::move(copy));
  }
  return placer.finish(copies);
}

/// Windows for the stall counts from one on, of the form's own edge or of the bridge's.
Expected<void> add_stale(std::vector<MachineWindow>& windows, const MachineSubject& subject, const ChainRoute& route,
                         MachineWindow::Kind kind, const Hole& hole, const Movers& movers) {
  const bool own = kind == MachineWindow::Kind::Stale;
  std::vector<int> all(static_cast<std::size_t>(own ? subject.most_stall : safe_stall));
  std::iota(all.begin(), all.end(), 1);
  if (own && !subject.fixed()) all.assign(scoreboard_stalls.begin(), scoreboard_stalls.end());
  for (const int stall : all) {
    MachineWindow window{.kind = kind, .source = route.source, .n = stale_length, .stall = stall};
    const ChainStalls stalls = own ? ChainStalls{stall, safe_stall}
                                   : ChainStalls{subject.fixed() ? subject.most_stall : scoreboard_stall, stall};
    WARPCLOCK_SET(window.filling, chain(subject, route, stale_length, stalls, true, hole, movers));
    windows.push_back(std::move(window));
  }
  return {};
}

}  // namespace

Expected<MachineSubject> machine_subject(const WordForm& form, const Movers& movers) {
  MachineSubject subject;
  subject.form = &form;
  const auto instruction = parse_instruction(text_of(form.skeleton));
  if (!instruction) return fail("compose", fmt::format("'{}' is no instruction", text_of(form.skeleton)));
  if (is_jump(*instruction))
    return fail("control-flow", fmt::format("{} changes the control flow", instruction->opcode));
  for (const Refused& one : refused) {
    if (instruction->opcode == one.opcode) return fail("set-up", fmt::format("{} {}", one.opcode, one.why));
  }
  WARPCLOCK_SET(subject.shape, shape_of(form));
  std::tie(subject.results, subject.constants) = values_of(*instruction);
  const auto result = subject.shape.result();
  if (instruction->opcode.ends_with("MMA")) subject.most_stall = most_tensor_stall;
  if (result && subject.shape.results[*result].kind == Kind::Uniform) subject.most_stall = most_uniform_stall;
  for (std::size_t i = 0; i < subject.shape.sources.size(); ++i) {
    if (subject.shape.sources[i].kind == Kind::None) continue;
    subject.routes.push_back(route_through(subject, *instruction, i, movers));
  }
  return subject;
}

Expected<std::vector<MachineWindow>> first_windows(const MachineSubject& subject, const Hole& hole,
                                                   const Movers& movers) {
  std::vector<MachineWindow> windows;
  std::optional<Error> first;
  const auto note = [&](const Expected<void>& done) {
    if (!done && !first) first = done.error();
  };
  for (const ChainRoute& route : subject.routes) {
    if (!route.why_not.empty()) continue;
    note(add_stale(windows, subject, route, MachineWindow::Kind::Stale, hole, movers));
    if (route.bridge) note(add_stale(windows, subject, route, MachineWindow::Kind::Bridge, hole, movers));
    if (!subject.fixed() && !route.bridge) {
      auto chains = chain_windows(subject, route, scoreboard_stall, safe_stall, hole, movers);
      if (!chains) {
        note(std::unexpected(chains.error()));
      } else {
        std::ranges::move(*chains, std::back_inserter(windows));
      }
    }
  }
  std::vector<MachineWindow> copies;
  for (const int n : issue_lengths) {
    auto filling = independent(subject, n, 1, false, hole, movers);
    if (!filling) {
      note(std::unexpected(filling.error()));
      break;
    }
    copies.push_back({.kind = MachineWindow::Kind::Issue, .n = n, .filling = *std::move(filling)});
  }
  for (const int warps : issue_warps) {
    for (MachineWindow& window : copies) {
      window.warps = warps;
      windows.push_back(window);
    }
  }
  if (windows.empty()) return std::unexpected(first.value_or(Error{"compose", "there is nothing to measure", {}}));
  return windows;
}

Expected<std::vector<MachineWindow>> chain_windows(const MachineSubject& subject, const ChainRoute& route, int stall,
                                                   int bridge_stall, const Hole& hole, const Movers& movers) {
  std::vector<MachineWindow> windows;
  for (const int n : chain_lengths) {
    MachineWindow window{.kind = MachineWindow::Kind::Chain, .source = route.source, .n = n, .stall = stall};
    WARPCLOCK_SET(window.filling, chain(subject, route, n, {stall, bridge_stall}, false, hole, movers));
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace warpclock
