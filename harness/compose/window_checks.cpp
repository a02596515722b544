#include "compose/window_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "code/toolkit.hpp"
#include "fields/form_table.hpp"
#include "verify/outstanding.hpp"

namespace warpclock {

std::string misreading(const PlacedWord& placed, std::string_view text, std::uint64_t address) {
  if (placed.distance) {
    const auto target = static_cast<std::int64_t>(address) + *placed.distance;
    const std::string meant = fmt::format("{} 0x{:x}", placed.key, target);
    return text == meant ? std::string() : fmt::format("'{}' is read for '{}'", text, meant);
  }
  const auto instruction = parse_instruction(text);
  if (!instruction || key_of(skeleton_of(text)) != placed.key) {
    return fmt::format("'{}' is read for '{}'", text, placed.key);
  }
  const Effects effects = effects_of(*instruction);
  const std::size_t results = instruction->operands.size() - effects.sources.size();
  bool same = effects.writes == placed.effects.writes && effects.sources.size() == placed.effects.sources.size();
  for (std::size_t i = 0; same && i < effects.sources.size(); ++i) {
    const bool is_address = instruction->operands[results + i].contains('[');
    const auto &read = effects.sources[i], &meant = placed.effects.sources[i];
    // A placer that sets addresses up itself knows one register of them at most.
    const bool known = read.size() == meant.size() && (read.empty() || read.front().file == meant.front().file);
    same = (is_address && !known) || read == meant;
  }
  return same ? std::string() : fmt::format("'{}' is read with other registers than were meant", text);
}

namespace {

/// Halves a list that the disassembler rejects, down to the word that it cannot read.
void read(const std::string& sm, const std::string& nvdisasm, std::span<const PlacedWord> words,
          std::span<ReadWord> out) {
  constexpr std::uint64_t base = 1 << 20;  // so that a branch back ends at an address
  if (words.empty()) return;
  std::string code;
  std::vector<Word> all;
  for (const PlacedWord& placed : words) {
    append_word(code, placed.word);
    all.push_back(placed.word);
  }
  const auto output = disassemble_raw(nvdisasm, sm, base, code);
  const auto texts = output ? raw_texts(*output, all, base) : std::unexpected(output.error());
  if (texts) {
    for (std::size_t i = 0; i < words.size(); ++i)
      out[i] = {std::string((*texts)[i]), misreading(words[i], (*texts)[i], base + i * word_bytes)};
  } else if (words.size() == 1) {
    out[0].wrong = fmt::format("'{}' cannot be read: {}", words[0].key, texts.error().text);
  } else {
    const std::size_t half = words.size() / 2;
    read(sm, nvdisasm, words.first(half), out.first(half));
    read(sm, nvdisasm, words.subspan(half), out.subspan(half));
  }
}

}  // namespace

std::vector<ReadWord> read_words(const Arch& arch, const std::string& nvdisasm, std::span<const PlacedWord> words) {
  std::vector<ReadWord> out(words.size());
  read("SM" + to_string(arch).substr(3), nvdisasm, words, out);
  return out;
}

std::vector<std::string> misreadings(const Arch& arch, const std::string& nvdisasm, std::span<const PlacedWord> words) {
  return mapped(read_words(arch, nvdisasm, words), &ReadWord::wrong);
}

namespace {

template <class... Args>
std::unexpected<Error> wrong(const PlacedWord& placed, fmt::format_string<Args...> what, Args... args) {
  return fail("scoreboard", fmt::format("'{}' {}", placed.key, fmt::format(what, std::forward<Args>(args)...)));
}

int first_of(unsigned boards) { return std::countr_zero(boards); }

/// What the word waits for is set, and seen; what it reads has come, and what it overwrites was read.
Expected<void> check(const PlacedWord& placed, const IssuedUse& use, Outstanding& outstanding) {
  if (const unsigned never = use.awaited.all & ~outstanding.ever_set(); never != 0)
    return wrong(placed, "waits for scoreboard {}, which no earlier word sets", first_of(never));
  if (const unsigned late = use.awaited.all & outstanding.just_set(); late != 0)
    return wrong(placed, "is too close after the word that sets scoreboard {} to see it", first_of(late));
  outstanding.wait(use.awaited);
  for (const Work& work : outstanding.works()) {
    if (const RegisterSet read = work.results & use.reads; read.any() && !work.fixed) {
      const std::string reg = to_string(register_at(read._Find_first()));
      if (work.result_boards == 0) return wrong(placed, "reads {}, whose arrival no scoreboard signals", reg);
      return wrong(placed, "reads {} without waiting for scoreboard {}", reg, first_of(work.result_boards));
    }
    if (const RegisterSet lost = work.sources & use.writes; lost.any())
      return wrong(placed, "overwrites {} before scoreboard {} says that it was read",
                   to_string(register_at(lost._Find_first())), first_of(work.source_boards));
  }
  return {};
}

}  // namespace

Expected<void> check_waits(const Filling& filling) {
  constexpr int settled = least_scoreboard_distance;  // no longer distance is judged here
  static const PlacedWord nothing{.word = {}, .key = "NOP", .effects = {}, .distance = {}};
  std::map<Word, const PlacedWord*> placed;
  for (const PlacedWord& one : filling.placed) placed[one.word] = &one;
  for (const std::span<const Word> words :
       {std::span<const Word>(filling.before), std::span<const Word>(filling.window),
        std::span<const Word>(filling.after)}) {
    Outstanding outstanding(settled);  // between these parts, a barrier or a clock read waits for everything
    const auto passes = [&] {          // of a loop, two
      return std::ranges::any_of(filling.placed, [](const PlacedWord& one) { return one.distance.value_or(0) < 0; })
                 ? 2
                 : 1;
    }();
    for (std::size_t i = 0; i < passes * words.size(); ++i) {
      const Word& word = words[i % words.size()];
      const PlacedWord& one = *value_or(placed, with_control(word, {.stall = 1}), &nothing);
      IssuedUse use = use_of(one.effects, name_in(one.key), decode_control(word.high));
      use.signals = one.signals;
      WARPCLOCK_TRY(check(one, use, outstanding));
      outstanding.issue(i, use, use.control.stall);
    }
  }
  return {};
}

}  // namespace warpclock
