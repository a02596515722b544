#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/yaml/yaml.hpp"
#include "plan/probe.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// An instruction that must be distinguished from others in its family.
struct Form {
  std::string ptx;  ///< "setp.lt.s32 {p}|{q}, {a}, {b}"
  Choices choices;
};

/// A name for each form: its mnemonic, followed in brackets by the choices for its operands ("[b=imm:3]"). If other
/// forms have the same mnemonic, the brackets also hold the terms that are not one plain operand ("[p|q]", "[%tid.x]",
/// "[16,b]") or not present in all of these forms ("[c]"). Only equal forms get equal names.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Form>& forms);

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

/// The lines to which the template expands, in the order of its sweep. Error "config": see expand() of plan/sweep.hpp.
[[nodiscard]] Expected<std::vector<std::string>> expand(const PtxTemplate& ptx_template);

/// One instruction of the catalogue: a template of configs/instructions/<family>.yaml with the words of its sweep
/// filled in.
struct CatalogueEntry {
  std::string id;      ///< "fp32/fma.rn.f32"; with choices "integer/mul.lo.s32[b=imm:3]"
  std::string family;  ///< "fp32"
  std::string ptx;     ///< "fma.rn.f32 {d}, {a}, {b}, {c}"
  PtxInstruction instruction;
  Needs needs;        ///< architectures that have it
  std::string place;  ///< file:line:column of its template
};

struct LeftOut {
  std::string what, why;
};

struct Catalogue {
  std::vector<CatalogueEntry> entries;  ///< ids are unique
  std::vector<LeftOut> left_out;        ///< parts of the ISA that it does not cover, and why
};

/// Reads every config below instructions/ (path -> text) except the guide's, including opcodes.yaml. The texts are
/// foreign input: error "config" at "file:line:column", also if a template expands to something that describe()
/// rejects.
[[nodiscard]] Expected<Catalogue> load_catalogue(const std::map<std::string, std::string>& configs);

}  // namespace warpclock
