#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "code/listing.hpp"
#include "execute/forms/lanes.hpp"
#include "execute/forms/number_format.hpp"

namespace warpclock {

/// Where a warp keeps what an operand names. Registers have the numbers 0 to 254 and those of the uniform datapath 256
/// to 510; 255 and 511 are RZ and URZ. Predicates are P0 to P6, PT, then UP0 to UP6, UPT.
namespace places {
inline constexpr std::uint16_t vector_zero = 255, uniform = 256, uniform_zero = 511, words = 512;
/// Where word `k` of a value is that begins at `place`: RZ and URZ have all of them.
constexpr std::uint16_t word_of(std::uint16_t place, std::size_t k) {
  return place % uniform == vector_zero ? place : static_cast<std::uint16_t>(place + k);
}
inline constexpr std::uint16_t always = 7, uniform_predicate = 8, uniform_always = 15, predicates = 16;
}  // namespace places

/// A 32-bit source: a register, or a number that is the same for all warps of a launch.
struct WordSource {
  enum class Kind : std::uint8_t { Register, Number, Special };
  enum class Half : std::uint8_t { Both, Low, High, Whole, Swapped };
  Kind kind = Kind::Number;
  Half half = Half::Both;                                     ///< Whole: it is one float of 32 bits
  bool negative = false, inverted = false, absolute = false;  ///< -R1, ~R1, |R1|
  std::uint8_t part = 0;                                      ///< the first of its bytes that is meant: R1.H1, R1.B3
  bool understood = true;                     ///< whether it has no suffix whose meaning is not followed
  std::uint16_t place = places::vector_zero;  ///< of a Register
  std::uint32_t number = 0;  ///< Number: its place in CodeProgram::pool, where the next word follows it; Special: a
                             ///< SpecialRegister

  [[nodiscard]] bool changed() const { return negative || inverted || absolute; }
};

enum class SpecialRegister : std::uint8_t {
  Zero,
  TidX,
  TidY,
  TidZ,
  CtaX,
  CtaY,
  CtaZ,
  GridX,
  GridY,
  GridZ,
  Lane,
  LanesEqual,
  LanesLess,
  LanesLessEqual,
  LanesGreater,
  LanesGreaterEqual,
  ClusterRank,
  SharedWindow,
  Unknown
};

struct PredicateSource {
  std::uint8_t place = places::always;
  bool inverted = false;
};

/// An operand in brackets: base + uniform base + offset.
struct AddressSource {
  std::uint16_t base = places::vector_zero, uniform = places::uniform_zero;
  bool wide = false, uniform_wide = false;  ///< whether the base is 64 bits, in two registers
  std::uint8_t shift = 0;                   ///< [R0.X4]: 2
  std::int64_t offset = 0;
};

struct StepResult {
  bool predicate = false;
  bool sink = false;  ///< RZ, PT and the like
  std::uint16_t place = 0;
  std::uint8_t words = 1;
};

class StepSources;
struct StepOutputs;
struct CodeStep;
/// What an instruction computes: from its sources in the lanes that execute it to its results.
using Operation = void (*)(const CodeStep& step, StepSources& in, StepOutputs& out);

/// What a warp does with a step.
enum class StepKind : std::uint8_t {
  Nothing,  ///< only its execution is counted
  Value,
  Access,  ///< loads, stores, atomics
  Copy,    ///< LDGSTS, bulk and tensor copies
  Mbarrier,
  Jump,
  Call,
  Return,
  Exit,
  SetConvergence,  ///< BSSY
  Converge,        ///< BSYNC
  Break,
  MoveConvergence,  ///< BMOV
  WarpSync,
  Barrier,
  BarrierResult,  ///< B2R.RESULT
  ClusterArrive,
  ClusterWait,
  TensorStore,   ///< UTMASTG
  CountedStore,  ///< STAS
  Unfollowed,    ///< control flow whose meaning is not known
};

/// The memory that a step accesses, and how.
enum class StepSpace : std::uint8_t { None, Global, Shared, Local, Generic, Constant };
enum class StepAccess : std::uint8_t { Load, Store, Atomic };

/// The high words of generic addresses of shared and of local memory. The driver says where these windows are; no
/// buffer is here.
inline constexpr std::uint32_t shared_window = 0xff0000, local_window = 0xfe0000;
/// That of generic addresses of the constant bank with the parameters.
inline constexpr std::uint32_t constant_window = 0xfd0000;

enum class AtomicOperation : std::uint8_t {
  Unfollowed,
  Add,
  Least,
  Most,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Count,
  Increment,
  Decrement
};

/// Modifiers, as bits.
enum class Modifier : std::uint64_t {
  X = 1ULL << 0,
  Ex = 1ULL << 1,
  Unsigned = 1ULL << 2,
  High = 1ULL << 3,
  Left = 1ULL << 4,
  Wrap = 1ULL << 5,
  Wide = 1ULL << 6,
  SignExtended = 1ULL << 7,
  Bits64 = 1ULL << 8,
  Flush = 1ULL << 9,
  Saturate = 1ULL << 10,
  And = 1ULL << 11,
  Or = 1ULL << 12,
  Xor = 1ULL << 13,
  Signed = 1ULL << 14,
  Shift = 1ULL << 15,
  Sync = 1ULL << 16,
  Arrive = 1ULL << 17,
  Reduce = 1ULL << 18,
  All = 1ULL << 19,
  Matrices = 1ULL << 20,  ///< LDSM, STSM
  Transposed = 1ULL << 21,
  Divergent = 1ULL << 22,   ///< BRA.DIV
  Collective = 1ULL << 23,  ///< WARPSYNC.COLLECTIVE
  Initialize = 1ULL << 24,  ///< SYNCS.EXCH
  Await = 1ULL << 25,       ///< SYNCS.PHASECHK
  OneArrival = 1ULL << 26,  ///< A1T0
  Arrivals = 1ULL << 27,    ///< ART0
  NoArrival = 1ULL << 28,   ///< A0TR
  Completes = 1ULL << 29,   ///< A0TX
  OneByte = 1ULL << 30,     ///< A0T1
  Nan = 1ULL << 31,         ///< of a minimum or maximum: NaN if one of them is
  XorSign = 1ULL << 32,
  Relu = 1ULL << 33,
  Bfloat = 1ULL << 34,        ///< BF16_V2
  BooleanFloat = 1ULL << 35,  ///< BF: 1.0 for true
  SaturateFinite = 1ULL << 36,
  Merge = 1ULL << 37,   ///< MERGE_C
  Halves = 1ULL << 38,  ///< 16x2
  Accumulate = 1ULL << 39,
  BothHalves = 1ULL << 40,  ///< H1_AND of HSETP2
  Multicast = 1ULL << 41,   ///< to several blocks of a cluster
  Landed = 1ULL << 42,      ///< ARRIVES.LDGSTSBAR: when the copies of the warp have come
  Strong = 1ULL << 43,      ///< others may change what is loaded
};

/// What the modifiers of conversions name.
enum class ValueType : std::uint8_t {
  None,
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  F16,
  Bf16,
  F32,
  F64,
  E4m3,
  E5m2,
  Tf32
};

/// Which of "less", "equal", "greater" and "unordered" a comparison is true for.
namespace relation {
inline constexpr std::uint8_t less = 1, equal = 2, greater = 4, unordered = 8;
}

/// An instruction, ready to be executed by many warps.
struct CodeStep {
  std::uint32_t index = 0;         ///< in the listing
  std::uint32_t target = 0;        ///< of jumps: in CodeProgram::steps
  std::uint32_t target_index = 0;  ///< and in the listing
  StepKind kind = StepKind::Nothing;
  Operation run = nullptr;  ///< of Value; null: its results are not followed
  PredicateSource guard;
  bool guarded = false;
  std::uint64_t modifiers = 0;
  Rounding rounding = Rounding::Nearest;
  std::array<ValueType, 2> types{};  ///< that the modifiers name, in their order
  std::uint8_t relation = 0;
  std::uint8_t bytes = 0;  ///< of a lane's access, or of LDC, a word at most
  StepSpace space = StepSpace::None;
  StepAccess access = StepAccess::Load;
  AtomicOperation atomic = AtomicOperation::Unfollowed;
  ValueType element = ValueType::U32;  ///< of an atomic
  std::uint8_t barrier = 0;            ///< BSSY, BSYNC, BREAK, BMOV: which convergence barrier
  bool needs_values = false;           ///< whether results, or what is stored, decide anything
  bool polls = false;                  ///< a jump back to look again at what other blocks may write, and what looks
  bool approximate = false;            ///< SemanticsRow::approximate
  bool tensor = false;                 ///< UTMALDG
  std::uint8_t dimensions = 0;         ///< of a tensor copy; 0: im2col
  std::uint8_t byte = 0;               ///< R2P: of its source; P2R: of its result
  /// LDC with an address in a register, an access of StepSpace::Constant: where the pool has the constant bank, its
  /// words, and what is added in bytes.
  std::uint32_t table = 0, table_words = 0, table_offset = 0;
  std::vector<StepResult> results;
  std::vector<WordSource> words;  ///< sources but predicates, in the order of the operands
  std::vector<PredicateSource> predicates;
  std::vector<AddressSource> addresses;
  std::vector<std::uint16_t> reads;  ///< all registers that decide its results, by their places
  std::vector<std::uint8_t> reads_predicates;
  std::vector<std::uint32_t> reads_pool;  ///< numbers that do
  std::vector<std::uint16_t> writes;      ///< all registers that it changes; predicates after places::words

  [[nodiscard]] bool has(Modifier modifier) const { return (modifiers & static_cast<std::uint64_t>(modifier)) != 0; }
};

/// The memory that a step accesses at this address.
[[nodiscard]] inline StepSpace space_at(const CodeStep& step, std::uint64_t address) {
  if (step.space != StepSpace::Generic) return step.space;
  const std::uint64_t window = address >> 32U;
  return window == shared_window ? StepSpace::Shared : window == local_window ? StepSpace::Local : StepSpace::Global;
}

}  // namespace warpclock
