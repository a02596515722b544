#include "measure/machine/machine_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "code/flow.hpp"
#include "code/listing.hpp"
#include "code/modifiers.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

constexpr int stale_length = 7, short_length = 2;
constexpr std::array chain_lengths{4, 8, 16, 24};
constexpr std::array issue_lengths{16, 40, 64};
constexpr std::array issue_warps{1, 4, 8, 16};
constexpr std::array scoreboard_stalls{1, 2, 4, 8, 15};
constexpr int most_tensor_stall = 40, most_uniform_stall = 24;
constexpr int short_stall = 6, short_tensor_stall = 24, short_uniform_stall = 14;

struct Refused {
  std::string_view opcode, why;
};
// Opcodes that one warp in straight-line code cannot run, or that need a set-up.
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

/// A stale read that some data hide shows with others: random bits contain NaNs, sums of large numbers saturate, and
/// numbers that all differ are never equal.
std::vector<HoleValues> data_of(const Instruction& instruction) {
  using V = Values;
  struct Type {
    V random, coarse, small, with_sign;
  };
  constexpr Type half{V::F16, V::CoarseF16, V::SmallF16, V::SignedF16},
      bfloat{V::BF16, V::CoarseBF16, V::SmallBF16, V::SignedBF16},
      single{V::F32, V::CoarseF32, V::SmallF32, V::SignedF32}, twice{V::F64, V::CoarseF64, V::F64, V::SignedF64};
  constexpr HoleValues bits{V::Bits, V::Bits};
  const auto has = [&](std::string_view part) {
    return std::ranges::any_of(instruction.modifiers, [&](const std::string& one) { return one.starts_with(part); });
  };
  const bool compares = instruction.text.contains("SET");
  const auto all_of = [&](const Type& type) {
    std::vector<HoleValues> all{{type.random, type.random}, {type.with_sign, type.with_sign}};
    if (compares) all.push_back({type.coarse, type.coarse});
    if (has("SAT")) all.push_back({type.small, type.small});
    all.push_back(bits);
    return all;
  };
  const std::string& opcode = instruction.opcode;
  const Type& halves = has("BF16") ? bfloat : half;
  if (opcode == "HMMA") {
    const Type& results = has("F32") ? single : halves;
    if (has("TF32")) return all_of(single);
    return {{results.random, halves.coarse},
            {results.coarse, halves.coarse},
            {results.random, halves.random},
            {results.with_sign, halves.with_sign},
            bits};
  }
  if (two_halves(instruction)) return all_of(halves);
  constexpr std::array<std::string_view, 6> doubles{"DADD", "DMUL", "DFMA", "DSETP", "DMNMX", "DMMA"};
  if (std::ranges::find(doubles, opcode) != doubles.end() || has("F64")) return all_of(twice);
  constexpr std::array<std::string_view, 11> singles{"FADD", "FMUL", "FFMA", "FSETP", "FMNMX", "FSEL",
                                                     "FSET", "FCHK", "F2I",  "F2F",   "MUFU"};
  if (std::ranges::find(singles, opcode) != singles.end()) return all_of(single);
  return {bits, {V::Bit, V::Bit}};
}

/// Whether it loads at least an unmodified register, which may be the next address.
bool loads_an_address(const Instruction& instruction) {
  constexpr std::array<std::string_view, 6> loads{"LDG", "LD", "LDS", "LDL", "LDSM", "LDC"};
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
  // A single-precision result read as halves sooner or later becomes NaN, which hides everything.
  route.length = instruction.opcode.ends_with("MMA") && source < 2 ? short_length : stale_length;
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
    auto copy = WARPCLOCK_TRY(placer.place(
        *subject.form, {.through = route.source, .constants = vary ? i : 0, .through_address = route.through_address}));
    copy.stall = stalls.own;
    copies.push_back(std::move(copy));
    if (!route.bridge) continue;
    copy = WARPCLOCK_TRY(placer.place(*route.bridge.form, {.through = route.bridge.source, .constants = vary ? i : 0}));
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
    auto copy =
        WARPCLOCK_TRY(placer.place(*subject.form, {.chain = i % static_cast<int>(result_quads), .two_banks = true}));
    copy.stall = stall;
    copy.yield = yield;
    copies.push_back(std::move(copy));
  }
  return placer.finish(copies);
}

struct StaleLaunch {
  int warps = quiet_warps, first_thread = 0;
};
/// The last look uses the data of the busy warps, except those of the first four warps.
std::vector<StaleLaunch> launches_of(MachineWindow::Kind kind, StaleLook look) {
  if (look == StaleLook::WithData) return {{.first_thread = 128}, {.first_thread = 256}, {.first_thread = 384}};
  if (kind == MachineWindow::Kind::Bridge) return {{}};
  return {{}, {.warps = busy_warps}};
}

/// Most latencies are short, so the first look tries the short distances and the largest one, which is right.
std::vector<int> stalls_of(MachineWindow::Kind kind, const MachineSubject& subject, StaleLook look) {
  const bool own = kind == MachineWindow::Kind::Stale;
  if (own && !subject.fixed()) return {scoreboard_stalls.begin(), scoreboard_stalls.end()};
  const int most = own ? subject.most_stall : safe_stall;
  const bool all = look != StaleLook::First;
  const int few = most == safe_stall           ? short_stall
                  : most == most_uniform_stall ? short_uniform_stall
                                               : short_tensor_stall;
  std::vector<int> stalls(static_cast<std::size_t>(all ? most : few));
  std::iota(stalls.begin(), stalls.end(), 1);
  if (!all) stalls.push_back(most);
  return stalls;
}

/// Chains at several stall counts, which apply to the form's own dependency or to the bridge's.
Expected<ComposedWindows> stale_windows_of(MachineWindow::Kind kind, StaleLook look, const MachineSubject& subject,
                                           const ChainRoute& route, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  const bool own = kind == MachineWindow::Kind::Stale;
  for (const int stall : stalls_of(kind, subject, look)) {
    const ChainStalls each = own ? ChainStalls{stall, safe_stall}
                                 : ChainStalls{subject.fixed() ? subject.most_stall : scoreboard_stall, stall};
    all.fillings.emplace_back() = WARPCLOCK_TRY(chain(subject, route, route.length, each, true, hole, movers));
    for (std::size_t data = 0; data < subject.data.size(); ++data) {
      for (const StaleLaunch& launch : launches_of(kind, look)) {
        all.windows.push_back({.kind = kind,
                               .source = route.source,
                               .n = route.length,
                               .stall = stall,
                               .warps = launch.warps,
                               .data = data,
                               .first_thread = launch.first_thread,
                               .filling = all.fillings.size() - 1});
      }
    }
  }
  return all;
}

/// Independent copies with one stall count and hint, for several numbers of copies and warps.
Expected<ComposedWindows> issue_windows(const MachineSubject& subject, int stall, bool yield, const Hole& hole,
                                        const Movers& movers) {
  ComposedWindows all;
  for (const int n : issue_lengths) {
    all.fillings.emplace_back() = WARPCLOCK_TRY(independent(subject, n, stall, yield, hole, movers));
    for (const int warps : issue_warps) {
      all.windows.push_back({.kind = MachineWindow::Kind::Issue,
                             .n = n,
                             .stall = stall,
                             .yield = yield,
                             .warps = warps,
                             .filling = all.fillings.size() - 1});
    }
  }
  return all;
}

}  // namespace

void ComposedWindows::append(ComposedWindows more) {
  for (MachineWindow& window : more.windows) {
    window.filling += fillings.size();
    windows.push_back(window);
  }
  std::ranges::move(more.fillings, std::back_inserter(fillings));
}

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
  subject.shape = WARPCLOCK_TRY(shape_of(form));
  subject.scoreboard = has_scoreboard(form, movers);
  subject.global = accesses_global_memory(*instruction);
  subject.data = data_of(*instruction);
  const auto result = subject.shape.result();
  if (instruction->opcode.ends_with("MMA")) subject.most_stall = most_tensor_stall;
  if (result && subject.shape.results[*result].kind == Kind::Uniform) subject.most_stall = most_uniform_stall;
  for (std::size_t i = 0; i < subject.shape.sources.size(); ++i) {
    if (subject.shape.sources[i].kind == Kind::None) continue;
    subject.routes.push_back(route_through(subject, *instruction, i, movers));
  }
  return subject;
}

Expected<ComposedWindows> first_windows(const MachineSubject& subject, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  std::optional<Error> first;
  const auto add = [&](Expected<ComposedWindows> more) {
    if (more) {
      all.append(*std::move(more));
    } else if (!first) {
      first = more.error();
    }
  };
  for (const ChainRoute& route : subject.routes) {
    if (!route.why_not.empty()) continue;
    add(stale_windows(subject, route, StaleLook::First, hole, movers));
    if (!subject.fixed() && !route.bridge) {
      add(chain_windows(subject, route, scoreboard_stall, safe_stall, hole, movers));
    }
  }
  add(issue_windows(subject, 1, false, hole, movers));
  if (all.windows.empty()) return std::unexpected(first.value_or(Error{"compose", "there is nothing to measure", {}}));
  return all;
}

Expected<ComposedWindows> stale_windows(const MachineSubject& subject, const ChainRoute& route, StaleLook look,
                                        const Hole& hole, const Movers& movers) {
  auto all = WARPCLOCK_TRY(stale_windows_of(MachineWindow::Kind::Stale, look, subject, route, hole, movers));
  if (!route.bridge || look == StaleLook::WithData) return all;
  auto bridge = WARPCLOCK_TRY(stale_windows_of(MachineWindow::Kind::Bridge, look, subject, route, hole, movers));
  all.append(std::move(bridge));
  return all;
}

Expected<ComposedWindows> chain_windows(const MachineSubject& subject, const ChainRoute& route, int stall,
                                        int bridge_stall, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  for (const int n : chain_lengths) {
    all.fillings.emplace_back() = WARPCLOCK_TRY(chain(subject, route, n, {stall, bridge_stall}, false, hole, movers));
    all.windows.push_back({.kind = MachineWindow::Kind::Chain,
                           .source = route.source,
                           .n = n,
                           .stall = stall,
                           .filling = all.fillings.size() - 1});
  }
  return all;
}

Expected<ComposedWindows> surface_windows(const MachineSubject& subject, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  for (int stall = 1; stall <= safe_stall; ++stall) {
    for (const bool yield : {false, true}) {
      const bool known = stall == 1 && !yield, not_encoded = stall >= yielding_stall && !yield;
      if (known || not_encoded) continue;
      auto more = WARPCLOCK_TRY(issue_windows(subject, stall, yield, hole, movers));
      all.append(std::move(more));
    }
  }
  return all;
}

}  // namespace warpclock
