#include "compose/machine_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "compose/hole_source.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

Kind kind_of(RegisterFile file) {
  switch (file) {
    case RegisterFile::Vector:
      return Kind::Vector;
    case RegisterFile::Uniform:
      return Kind::Uniform;
    case RegisterFile::Predicate:
      return Kind::Predicate;
    case RegisterFile::UniformPredicate:
      return Kind::UniformPredicate;
  }
  return Kind::None;
}

std::unexpected<Error> no_shape(const WordForm& form, std::string_view why) {
  return fail("compose", fmt::format("'{}' {}", text_of(form.skeleton), why));
}

}  // namespace

std::optional<std::size_t> register_of(const Skeleton& skeleton, std::size_t operand) {
  for (std::size_t i = 1; i < skeleton.numerals.size(); ++i) {
    const Numeral& one = skeleton.numerals[i];
    if (one.operand == static_cast<int>(operand) && !one.last && one.kind <= Numeral::Kind::UniformPredicate) return i;
  }
  return std::nullopt;
}

bool accesses_global_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 11> global{"LDG", "STG",  "RED",  "REDG",   "ATOMG", "LD",
                                                    "ST",  "ATOM", "CCTL", "LDGSTS", "QSPC"};
  return std::ranges::find(global, instruction.opcode) != global.end();
}

bool accesses_shared_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 7> shared{"LDS", "STS", "ATOMS", "LDSM", "STSM", "ATOMS_CAST", "REDS"};
  return std::ranges::find(shared, instruction.opcode) != shared.end();
}

std::optional<std::size_t> FormShape::result() const {
  for (const Kind wanted : {Kind::Vector, Kind::Uniform, Kind::Predicate}) {
    const auto at = std::ranges::find(results, wanted, &OperandShape::kind);
    if (at != results.end()) return static_cast<std::size_t>(at - results.begin());
  }
  return std::nullopt;
}

bool FormShape::wide() const {
  constexpr int most = 2 * quad_registers;
  const auto is_wide = [](const OperandShape& one) { return one.registers > most; };
  return std::ranges::any_of(results, is_wide) || std::ranges::any_of(sources, is_wide);
}

Expected<FormShape> shape_of(const WordForm& form) {
  const auto instruction = parse_instruction(text_of(form.skeleton));
  if (!instruction) return no_shape(form, "is no instruction");
  if (!form.skeleton.numerals.empty() && !form.skeleton.numerals.front().last) return no_shape(form, "has a guard");
  const Effects effects = effects_of(*instruction);
  FormShape shape;
  const std::size_t results = instruction->operands.size() - effects.sources.size();
  for (const char* all : {"PR", "UPR"}) {
    const std::span written = std::span(instruction->operands).first(results);
    if (std::ranges::find(written, all) != written.end()) return no_shape(form, "writes all predicates");
  }
  for (std::size_t i = 0; i < instruction->operands.size(); ++i) {
    OperandShape one;
    if (const auto numeral = register_of(form.skeleton, i)) {
      one.kind = static_cast<Kind>(static_cast<int>(form.skeleton.numerals[*numeral].kind) + 1);
    }
    if (instruction->operands[i].contains('[')) {
      const bool bank = instruction->operands[i].starts_with("c[");
      one.kind = bank && one.kind == Kind::None ? Kind::None : Kind::Address;
    }
    if (i < results) {
      const bool one_bit = one.kind == Kind::Predicate || one.kind == Kind::UniformPredicate;
      one.registers =
          one_bit ? 1 : static_cast<int>(std::ranges::count_if(effects.writes, [&](const Register& written) {
            return kind_of(written.file) == one.kind;
          }));
      shape.results.push_back(one);
    } else {
      one.registers = static_cast<int>(effects.sources[i - results].size());
      if (one.registers == 0 && one.kind != Kind::Address) one.kind = Kind::None;
      if (one.kind == Kind::None) one.registers = 0;
      shape.sources.push_back(one);
    }
  }
  // LDG.256 has two operands for its result.
  const auto alike = static_cast<int>(std::ranges::count(shape.results, Kind::Vector, &OperandShape::kind));
  for (OperandShape& one : shape.results) {
    if (one.kind == Kind::Vector && alike > 1) one.registers /= alike;
  }
  return shape;
}

namespace {

constexpr int warp_threads = 32;
constexpr int stale_length = 7, short_length = 2;
/// What ptxas leaves from a barrier to the next one, on sm_90 and later. A warp blocks some cycles after it arrived:
/// copies one cycle apart arrive at the next barriers before the first one has ended.
constexpr int barrier_stall = 8;

struct Refused {
  std::string_view text, why;  ///< its text is this, or begins with it and a dot, a space or a number
};
// Instructions that one warp in straight-line code cannot run, or that need a set-up. The last three were tried on an
// H100 and an H200: copies of them in a row are an illegal instruction or an unspecified launch failure.
constexpr std::array<Refused, 24> refused{{{"ENDCOLLECTIVE", "ends a region of divergence"},
                                           {"NANOSLEEP", "sleeps as long as its operand says"},
                                           {"BMOV", "sets a barrier of divergence"},
                                           {"R2B", "sets a barrier"},
                                           {"SETLMEMBASE", "moves local memory"},
                                           {"KILL", "ends the thread"},
                                           {"SETCTAID", "changes what the block is"},
                                           {"UCGABAR_ARV", "is part of a barrier of a cluster"},
                                           {"UCGABAR_WAIT", "is part of a barrier of a cluster"},
                                           {"BSSY", "begins a region of divergence"},
                                           {"BSYNC", "ends a region of divergence"},
                                           {"BREAK", "ends a region of divergence"},
                                           {"WARPSYNC.COLLECTIVE", "changes the control flow"},
                                           {"WARPSYNC R", "waits for lanes that a register names"},
                                           {"WARPGROUP.ARRIVE", "needs a multiply after it"},
                                           {"RPCMOV", "sets the program counter"},
                                           {"USETMAXREG", "changes the registers of the warp"},
                                           {"TEX", "needs a texture"},
                                           {"PREEXIT", "ends the part of a kernel that others wait for"},
                                           {"ACQBULK", "waits for another kernel"},
                                           {"BPT", "stops the kernel"},
                                           {"BAR.RED", "ends the kernel with a fault if it is repeated"},
                                           {"BAR.SYNC.DEFER_BLOCKING R", "ends the kernel with a fault"},
                                           {"SYNCS.ARRIVE.TRANS64.TMASK", "ends the kernel with a fault"}}};

bool begins_with(std::string_view text, std::string_view first) {
  if (!text.starts_with(first)) return false;
  const std::string_view rest = text.substr(first.size());
  return rest.empty() || rest[0] == '.' || rest[0] == ' ' || (rest[0] >= '0' && rest[0] <= '9');
}

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
  // The last bit of the parity is that of the phase before the first, which has ended. Counts must be small.
  if (has_modifier(instruction, "PHASECHK")) return {{V::Ones, V::Ones}};
  if (instruction.opcode == "SYNCS" && has_modifier(instruction, "ARRIVE")) return {{V::Bit, V::Bit}};
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
  if (subject.of_group() && subject.accumulators != route.source) {
    route.why_not = "its result is no operand of this kind";
    return route;
  }
  const auto result = shape.result();
  if (!result) {
    route.why_not = "it has no result in a register";
  } else if (operand.kind == Kind::Address) {
    const bool vector = shape.results[*result].kind == Kind::Vector;
    route.through_address = loads_an_address(instruction) && vector;
    route.leans = !route.through_address && vector && subject.scoreboard && movers.lean != nullptr &&
                  operand.registers > 0 && !route.operand.starts_with("gdesc[");
    if (!route.through_address && !route.leans) route.why_not = "its result is not an address";
  } else if (operand.kind != shape.results[*result].kind) {
    route.bridge = bridge_between(shape.results[*result].kind, operand.kind, movers);
    if (!route.bridge) route.why_not = "nothing brings its result back to this operand in one instruction";
  }
  return route;
}

/// What a multiply of a warp group needs in addition.
Expected<void> note_group(MachineSubject& subject, const Movers& movers) {
  if (movers.arrive == nullptr || movers.wait == nullptr) return fail("set-up", "there is no WARPGROUP to wait for it");
  subject.commits = subject.form;
  if (const std::string key = key_of(*subject.form); !key.ends_with(ends_batch)) {
    const auto commits = movers.committing.find(key + std::string(ends_batch));
    if (commits == movers.committing.end())
      return fail("set-up", fmt::format("no form '{}{}' ends its batch", key, ends_batch));
    subject.commits = commits->second;
  }
  subject.scoreboard = true;
  const auto vectors = [](const OperandShape& one) { return one.kind == Kind::Vector; };
  const auto result = std::ranges::find_if(subject.shape.results, vectors);
  const auto descriptors = std::ranges::find(subject.shape.sources, Kind::Address, &OperandShape::kind);
  const auto sum = std::find_if(descriptors, subject.shape.sources.end(), vectors);
  if (result != subject.shape.results.end() && sum != subject.shape.sources.end() &&
      sum->registers == result->registers)
    subject.accumulators = static_cast<int>(sum - subject.shape.sources.begin());
  return {};
}

/// The second number of a barrier is how many threads it expects; without it, all of the block.
int meeting_warps_of(const WordForm& form) {
  for (const Numeral& one : form.skeleton.numerals) {
    if (one.kind == Numeral::Kind::Number && one.operand == 1) return static_cast<int>(one.value) / warp_threads;
  }
  return 1;
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
    if (begins_with(instruction->text, one.text)) return fail("set-up", fmt::format("{} {}", one.text, one.why));
  }
  subject.shape = WARPCLOCK_TRY(shape_of(form));
  subject.scoreboard = has_scoreboard(form, movers);
  if (is_group_multiply(instruction->opcode)) WARPCLOCK_TRY(note_group(subject, movers));
  if (instruction->opcode == "BAR") {
    subject.meeting_warps = meeting_warps_of(form);
    subject.least_stall = barrier_stall;
  }
  subject.wide = subject.of_group() || instruction->opcode == "WARPGROUP" || subject.shape.wide();
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

bool takes_adders(const MachineSubject& subject, const ChainRoute& route) {
  const auto is_vector = [](const OperandShape& shape) { return shape.kind == OperandShape::Kind::Vector; };
  const auto result = subject.shape.result();
  return subject.data.front().results != Values::F64 && result && is_vector(subject.shape.results[*result]) &&
         is_vector(subject.shape.sources[static_cast<std::size_t>(route.source)]);
}

}  // namespace warpclock
