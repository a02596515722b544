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
namespace {

std::string differs(const PlacedWord& placed, std::string_view text, std::size_t address) {
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
    same = is_address || effects.sources[i] == placed.effects.sources[i];
  }
  return same ? std::string() : fmt::format("'{}' is read with other registers than were meant", text);
}

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
      out[i] = {std::string((*texts)[i]), differs(words[i], (*texts)[i], base + i * word_bytes)};
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

using Placed = std::map<Word, const PlacedWord*>;

/// Where a scoreboard says when the sources are read, any of them may be read late.
IssuedUse use_of(const Word& word, const PlacedWord* placed) {
  IssuedUse use{.control = decode_control(word.high)};
  use.awaited.all = use.control.wait_mask;
  if (placed == nullptr) return use;
  use.effects = placed->effects;
  use.signals = placed->signals;
  use.writes = set_of(use.effects.writes);
  for (const auto& source : use.effects.sources) use.late_reads |= set_of(source);
  use.reads = use.late_reads | set_of(use.effects.guard);
  return use;
}

template <class... Args>
std::unexpected<Error> wrong(const PlacedWord* placed, fmt::format_string<Args...> what, Args... args) {
  return fail("scoreboard", fmt::format("'{}' {}", placed != nullptr ? placed->key : "NOP",
                                        fmt::format(what, std::forward<Args>(args)...)));
}

std::string first_register(const RegisterSet& registers) { return to_string(register_at(registers._Find_first())); }

/// The word at `index` of straight-line code, of which `state` is what is under way.
Expected<void> step(Outstanding& state, std::size_t index, const Word& word, const PlacedWord* placed) {
  const IssuedUse use = use_of(word, placed);
  for (int i = 0; i < scoreboards; ++i) {
    if ((use.awaited.all >> i & 1U) == 0) continue;
    if ((state.ever_set() >> i & 1U) == 0)
      return wrong(placed, "waits for scoreboard {}, which no earlier word sets", i);
    if ((state.just_set() >> i & 1U) != 0)
      return wrong(placed, "is too close after the word that sets scoreboard {} to see it", i);
  }
  state.wait(use.awaited);
  for (const Work& work : state.works()) {
    const RegisterSet read = work.results & use.reads, overwritten = work.sources & use.writes;
    if (!work.fixed && read.any()) {
      if (work.result_boards == 0)
        return wrong(placed, "reads {}, whose arrival no scoreboard signals", first_register(read));
      return wrong(placed, "reads {} without waiting for scoreboard {}", first_register(read),
                   std::countr_zero(work.result_boards));
    }
    if (overwritten.any())
      return wrong(placed, "overwrites {} before scoreboard {} says that it was read", first_register(overwritten),
                   std::countr_zero(work.source_boards));
  }
  state.issue(index, use, std::max(1, use.control.stall));
  return {};
}

}  // namespace

Expected<void> check_waits(const Filling& filling) {
  Placed placed;
  for (const PlacedWord& one : filling.placed) placed[one.word] = &one;
  for (const std::span<const Word> words :
       {std::span<const Word>(filling.before), std::span<const Word>(filling.window),
        std::span<const Word>(filling.after)}) {
    Outstanding state(most_encoded);  // between these parts, a barrier or a clock read waits for everything
    bool again = false;
    const auto pass = [&]() -> Expected<void> {
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto known = placed.find(with_control(words[i], {.stall = 1}));
        const PlacedWord* const one = known == placed.end() ? nullptr : known->second;
        again = again || (one != nullptr && one->distance.value_or(0) < 0);
        WARPCLOCK_TRY(step(state, i, words[i], one));
      }
      return {};
    };
    WARPCLOCK_TRY(pass());
    if (again) WARPCLOCK_TRY(pass());  // the next trip of a loop
  }
  return {};
}

}  // namespace warpclock
