#include <algorithm>
#include <vector>

#include "compose/copies/composing.hpp"
#include "ptx/experiment/experiment.hpp"

namespace warpclock {
namespace {

/// Appends a word that reads and writes these registers, in the order of the form's register numerals.
void append(Body& body, const WordForm& form, const std::vector<BodyRegister>& registers, const KnownForms& forms) {
  constexpr int enough = 15;  // the schedule takes what the result needs
  body.words.back().distance = enough;
  body.words.back().interleaved = true;
  BodyWord& word = body.words.emplace_back();
  word.form = &form;
  word.word = with_control(form.word, {});
  word.instruction = parse_instruction(text_of(form.skeleton)).value();
  word.ready = forms.ready(word.instruction);
  word.numerals.resize(form.skeleton.numerals.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < word.numerals.size() && next < registers.size(); ++i) {
    const Numeral& numeral = form.skeleton.numerals[i];
    if (!numeral.last && numeral.kind <= Numeral::Kind::UniformPredicate) word.numerals[i] = registers[next++];
  }
}

}  // namespace

Expected<Body> linked_body(Body body, const PtxInstruction& instruction, Link link, const KnownForms& forms) {
  const Operand& to = instruction.operands[link.to];
  if (!to.address && to.steers) return fail("compose", "its result is no address");
  const auto operand = body.sources.find({link.to, 0});
  const auto result = body.results.find({link.from, 0});
  if (operand == body.sources.end() || result == body.results.end()) return body;
  const BodyRegister reads = operand->second.front(), writes = result->second.front();
  const RegisterFile from = body.blocks[writes.block].file, into = body.blocks[reads.block].file;
  const Movers& movers = forms.movers();
  if (to.address && !chases(instruction, link)) {
    // What is loaded is zero; other results may be anything.
    if (instruction.kind != "load" || movers.adders.empty() || from != RegisterFile::Vector ||
        into != RegisterFile::Vector)
      return fail("compose", "its result is no address");
    append(body, *movers.adders.front().form, {reads, reads, writes}, forms);
  } else if (from == into && chases(instruction, link) && result->second.size() < operand->second.size()) {
    append(body, *movers.vector.form, {reads, writes}, forms);  // what is loaded is the low half of the next address
  } else if (from == into) {
    return body;
  } else if (from == RegisterFile::Predicate && into == RegisterFile::Vector && movers.from_predicate) {
    append(body, *movers.from_predicate.form, {reads, reads, writes}, forms);
  } else if (from == RegisterFile::Vector && into == RegisterFile::Predicate && movers.to_predicate) {
    append(body, *movers.to_predicate.form, {reads, writes}, forms);
  } else {
    return fail("compose", "its result is in another register file than its operand");
  }
  body.blocks[reads.block].written = true;
  for (const auto& [element, all] : std::map(body.sources)) {
    if (element.first == link.to) body.results[{link.from, element.second}] = all;
  }
  return body;
}

}  // namespace warpclock
