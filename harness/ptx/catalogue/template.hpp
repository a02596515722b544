#pragma once

#include <string>
#include <vector>

#include "plan/config/yaml.hpp"
#include "plan/probe.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// One entry of `instructions:` in a catalogue file: a line of PTX with {words}, which its sweep fills in, and
/// {operands}, which stay. In YAML:
///
///     - ptx: "add{sat}.{type} {d}, {a}, {b}"   # {sat}, {type}: words; {d}, {a}, {b}: operands
///       sat: ["", .sat]                        # a word may be empty, or bring its dot
///       type: [u32, s32]
///       except: [{sat: .sat, type: u32}]       # points that are no instruction
///       needs: {min: sm_80}                    # optional: min, only, why
///       operands: {b: "imm:3"}                 # optional: see Choices
///       values: {a: zero}
struct PtxTemplate {
  std::string ptx;  ///< "fma.{round}.f32 {d}, {a}, {b}, {c}"
  Sweep sweep;      ///< words only; an empty word leaves the modifier out
  Needs needs;
  Choices choices;
  std::string place;  ///< file:line:column of its `ptx`
};

/// Reads an entry; errors go to the node's document. Every key must be a key of the format or a {word} of the line. So
/// a word that is not in the line, and a mistyped key, are reported as unknown keys.
[[nodiscard]] PtxTemplate read_ptx_template(const Node& node);

/// The lines to which the template expands, in the order of its sweep. Error "config": see expand() of plan/sweep.hpp.
[[nodiscard]] Expected<std::vector<std::string>> expand(const PtxTemplate& ptx_template);

}  // namespace warpclock
