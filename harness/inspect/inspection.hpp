#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpclock {

/// How many blocks of a kernel an SM holds at once.
struct Occupancy {
  int threads = 0;                  ///< of a block
  std::int64_t dynamic_bytes = 0;   ///< shared memory of a block that the launch adds
  int blocks = 0, warps = 0;        ///< of an SM; 0 if the block does not fit
  std::vector<std::string> limits;  ///< what allows no more: "registers", "shared memory", "warps", …
};

struct PipeCount {
  std::string pipe;
  int instructions = 0;
};

/// Instructions with one name that access memory.
struct Access {
  std::string instruction;         ///< "LDG.E.128.CONSTANT"
  std::string kind;                ///< "load", "store", "atomic", "copy", "prefetch"
  std::string memory;              ///< "global", "shared", "local", "constant", "generic", …
  int bytes = 0;                   ///< of a lane; 0 if the instruction does not say
  std::vector<std::string> hints;  ///< what the name says of its path: "read-only", "evict first", …
  int count = 0;

  bool operator==(const Access&) const = default;
};

/// Source registers of instructions that read registers of 32 bits, by their banks (the register number modulo 2).
struct BankCounts {
  int two = 0, three = 0;  ///< instructions that read two or three registers of one bank
  int reuse = 0;           ///< operands with a reuse flag
  int kept = 0;            ///< operands that reuse flags have kept; they are not read from a bank

  bool operator==(const BankCounts&) const = default;
};

/// A link of a chain through registers.
struct ChainLink {
  std::int64_t address = 0;
  std::string text;
  double cycles = 0;
  std::string basis;  ///< where the cycles are from: "measured", "opcode", "encoded", "unknown"
};

/// The longest path through registers.
struct CriticalPath {
  double cycles = 0;  ///< of a trip; a lower bound if `unknown` is not empty
  int trips = 1;      ///< over which the chain goes before it comes to its first instruction again
  std::vector<ChainLink> chain;
  std::vector<std::string> unknown;  ///< instructions on such paths whose latency is not known, with the reason
};

struct LineRange {
  std::string file;
  int first = 0, last = 0;

  bool operator==(const LineRange&) const = default;
};

/// What a kernel's machine code, or one trip of a loop, is made of. A loop's counts leave out its inner loops.
struct Mix {
  int instructions = 0;
  std::vector<PipeCount> pipes;  ///< most first
  std::vector<Access> accesses;
  int predicated = 0;  ///< instructions under a guard, apart from jumps
  int never = 0;       ///< instructions under @!PT, which ptxas adds and which do nothing; no accesses
  int branches = 0;    ///< conditional jumps
  int branched = 0;    ///< instructions that not every trip (of a kernel: not every warp) passes
  int uniform = 0;     ///< instructions of the uniform datapath
  int waits = 0;       ///< instructions that wait for a scoreboard
  BankCounts banks;
};

struct LoopFacts {
  int id = 0;
  std::optional<int> parent;
  int depth = 1;
  std::int64_t begin = 0, end = 0;  ///< addresses: of the header, and after the last instruction
  int code_bytes = 0;               ///< inner loops included
  bool innermost = true;
  Mix mix;
  int issue_cycles = 0;                 ///< sum of the stall counts
  int least_issue_cycles = 0;           ///< of what each trip passes
  std::optional<CriticalPath> carried;  ///< cycles of one trip that each adds to the trip before; innermost loops
  std::optional<CriticalPath> trip;     ///< the longest path in one trip alone
  std::vector<LineRange> lines;
};

/// Where control goes from the end of a basic block.
struct BlockEdge {
  std::int64_t to = 0;  ///< address of a block
  std::string kind;     ///< "falls through", "taken", "call", "returns", "indirect": one of a table in the cubin
  bool back = false;    ///< to a block that leads here

  bool operator==(const BlockEdge&) const = default;
};

/// A basic block that the entry leads to.
struct BlockFacts {
  std::int64_t begin = 0, end = 0;  ///< addresses: of the first instruction, and after the last
  std::optional<int> loop;          ///< the innermost one
  int issue_cycles = 0;             ///< sum of the stall counts
  std::vector<BlockEdge> next;
  std::vector<LineRange> lines;
};

/// Local memory accesses.
struct SpillFacts {
  bool listed = false;  ///< whether the cubin says which accesses are spills; else all count as spills
  int stores = 0, loads = 0;
  std::int64_t store_bytes = 0, load_bytes = 0;  ///< of a thread
  std::vector<std::int64_t> addresses;
  int in_loops = 0;  ///< of them
  int other = 0;     ///< accesses to local memory that are no spills
};

/// An instruction of the listing.
struct ListedInstruction {
  std::int64_t address = 0;
  std::string text;
  int stall = 0;
  bool yield = false;
  int write = -1, read = -1;           ///< scoreboards that it sets, -1 for none
  std::string wait;                    ///< scoreboards that it waits for: "03"
  std::optional<int> loop;             ///< the innermost one
  int live = 0;                        ///< registers with values that are still read; 0 where that is not known
  std::optional<std::int64_t> target;  ///< of a jump
  std::string file;
  int line = 0;
};

struct KernelInspection {
  std::string name, readable;  ///< readable: the name in C++
  bool entry = true;
  int registers = 0, most_registers = 0, barriers = 0, parameter_bytes = 0;
  int most_threads = 0, required_threads = 0, cluster_blocks = 0;  ///< 0: not stated
  std::int64_t stack_bytes = 0, shared_bytes = 0;
  SpillFacts spills;
  std::vector<Occupancy> occupancy;
  Mix mix;
  Mix outside;               ///< of what is in no loop
  int most_live = 0;         ///< the most live registers; 0 if a jump or call, or the caller, is not known
  std::int64_t live_at = 0;  ///< address of the first instruction with so many
  std::vector<LoopFacts> loops;
  std::vector<BlockFacts> blocks;  ///< by address
  bool irreducible = false;
  std::vector<std::int64_t> unresolved;  ///< addresses of jumps that are not followed
  std::vector<ListedInstruction> listing;
};

struct Inspection {
  std::string file, kind, arch;
  std::string latencies;  ///< whose: "NVIDIA H200", or empty: only what ptxas encodes
  std::vector<KernelInspection> kernels;
};

}  // namespace warpclock
