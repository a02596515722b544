#include "ptx/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ptx/types.hpp"

namespace warpclock {
namespace {

/// "gemm_param_3": the name that compilers give to a parameter of a kernel or function.
bool is_parameter(std::string_view name) {
  const std::size_t at = name.rfind("_param_");
  return at != std::string_view::npos && at + 7 < name.size() &&
         name.find_first_not_of("0123456789", at + 7) == std::string_view::npos;
}

/// A register as a compiler writes it, or a placeholder.
bool is_marked(const PtxTerm& term) {
  if (term.kind == PtxTerm::Kind::Placeholder) return true;
  if (term.kind == PtxTerm::Kind::Name) return term.text.starts_with('%') && !is_special_register(term.text);
  return std::ranges::any_of(term.items, is_marked);
}

bool is_unmarked(const PtxTerm& term) {
  return term.kind == PtxTerm::Kind::Name && !term.text.starts_with('%') && !term.text.starts_with('(') &&
         !is_special_register(term.text);
}

/// The space of a variable that is only named: shared memory has 32-bit addresses, and local memory has a fixed name.
std::string space_of(const Operand& operand) {
  if (is_parameter(operand.symbol)) return "param";
  if (operand.symbol.starts_with("__local_depot")) return "local";
  return operand.file == RegisterClass::B32 ? "shared" : "global";
}

}  // namespace

Expected<void> bind_variables(const PtxLine& line, const std::vector<Match>& matches, std::vector<Bound>& bound) {
  bool marked = false;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    marked = marked || (bound[i].operand.immediate.empty() && is_marked(*matches[i].term));
  }
  for (std::size_t i = 0; i < matches.size(); ++i) {
    Operand& operand = bound[i].operand;
    const PtxTerm& term = operand.address ? matches[i].term->items.front() : *matches[i].term;
    const bool address =
        operand.address || (line.opcode == "mov" && operand.read && !operand.vector &&
                            (operand.file == RegisterClass::B32 || operand.file == RegisterClass::B64));
    // Names without a mark, if other names have one, are not registers but variables, whose addresses are constants.
    if (marked && address && is_unmarked(term) && operand.immediate.empty() && bound[i].suffix.empty()) {
      operand.symbol = term.text;
      operand.read = false;
      if (!operand.address) operand.space = space_of(operand);
      if (operand.space.empty()) operand.space = "global";
      if (operand.space == "param" && !is_parameter(operand.symbol)) {
        return fail("ptx-unsupported",
                    fmt::format("'{}' passes something to or from a called function, and where that is the compiler "
                                "decides with the call: only parameters of a kernel are measured",
                                operand.symbol),
                    place_of(term));
      }
      if (operand.space.starts_with("shared")) operand.space = "shared";
      operand.immediate = operand.space == "param" ? std::string(parameter_symbol) : symbol_name(operand.name);
    } else if (operand.address && operand.space == "param") {
      return fail("ptx-unsupported", "a parameter is only read by its name, as in [kernel_param_0]",
                  place_of(*matches[i].term));
    }
  }
  return {};
}

}  // namespace warpclock
