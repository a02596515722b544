#include "code/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <optional>
#include <set>
#include <thread>

#include "base/lookup.hpp"
#include "code/elf.hpp"
#include "code/toolkit.hpp"

namespace warpclock {
namespace {

/// High enough that no backward branch leads below zero.
constexpr std::uint64_t base = std::uint64_t{1} << 32;

/// The number of words that take as long as the disassembler's start.
constexpr std::size_t worth_a_run = 8192;

std::unexpected<Error> unreadable() {
  return fail("nvdisasm", "nvdisasm prints no single instructions of this architecture");
}

}  // namespace

std::vector<Expected<void>> WordTable::learn(const std::vector<std::vector<Word>>& requests) {
  std::vector<Wish> wishes(requests.size());
  std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Wish& wish = wishes[i];
    for (const Word& word : requests[i]) {
      if (!texts_.contains(word)) wish.words.push_back(word);
    }
    wish.done = wish.words.empty();
    if (!wish.done) waiting_.push_back(&wish);
  }
  while (!std::ranges::all_of(wishes, &Wish::done)) {
    if (waiting_.empty() || runs_ == most_runs_) {
      changed_.wait(lock);
      continue;
    }
    ++runs_;
    const std::vector<Wish*> taken = std::exchange(waiting_, {});
    // Another run may have learned some of them meanwhile.
    for (Wish* wish : taken) std::erase_if(wish->words, [this](const Word& word) { return texts_.contains(word); });
    lock.unlock();
    try {
      serve(taken);
    } catch (const std::exception& problem) {
      for (Wish* wish : taken) wish->answer = fail("nvdisasm", problem_in(problem));
    }
    lock.lock();
    for (Wish* wish : taken) wish->done = true;
    --runs_;
    changed_.notify_all();
  }
  std::vector<Expected<void>> answers;
  for (Wish& wish : wishes) answers.push_back(std::move(wish.answer));
  return answers;
}

std::vector<const WordText*> WordTable::texts(std::span<const Word> words) const {
  std::vector<const WordText*> all;
  all.reserve(words.size());
  const std::lock_guard lock(mutex_);
  for (const Word& word : words) all.push_back(&texts_.at(word));
  return all;
}

bool WordTable::hopeless() const {
  const std::lock_guard lock(mutex_);
  return hopeless_;
}

Expected<WordTable::Texts> WordTable::decode(std::span<const Word> words) const {
  std::vector<Word> twice(words.begin(), words.end());
  twice.insert(twice.end(), words.begin(), words.end());
  std::string code;
  code.reserve(twice.size() * 16);
  for (const Word& word : twice) append_word(code, word);
  const auto output = WARPCLOCK_TRY(print_(base, code));
  const auto printed = WARPCLOCK_TRY(raw_texts(output, twice, base));
  Texts texts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view first = printed[i], second = printed[i + words.size()];
    auto text = word_text(first, second, base + 16 * i, 16 * words.size());
    if (!text) return fail("listing", fmt::format("an instruction is '{}' here and '{}' there", first, second));
    texts.emplace(words[i], *std::move(text));
  }
  return texts;
}

/// Decodes many words in several parallel runs.
Expected<WordTable::Texts> WordTable::decode_all(const std::vector<Word>& words) const {
  if (most_runs_ == 1 || words.size() <= worth_a_run) return decode(words);
  std::vector<std::future<Expected<Texts>>> runs;
  for (std::size_t from = 0; from < words.size(); from += worth_a_run) {
    const auto some = std::span(words).subspan(from, std::min(worth_a_run, words.size() - from));
    runs.push_back(std::async(std::launch::async | std::launch::deferred, [this, some] { return decode(some); }));
  }
  Texts all;
  std::optional<Error> error;
  for (auto& run : runs) {
    auto texts = run.get();
    if (texts) {
      all.merge(*texts);
    } else if (!error) {
      error = texts.error();
    }
  }
  if (error) return std::unexpected(*error);
  return all;
}

bool WordTable::reads_any(const std::vector<Word>& words) const {
  const std::span all(words);
  return decode(all.first(1)) || decode(all.subspan(words.size() / 2, 1)) || decode(all.last(1));
}

void WordTable::serve(const std::vector<Wish*>& wishes) {
  const auto attempt = [&](const std::vector<Wish*>& some) -> Expected<void> {
    std::set<Word> distinct;
    for (const Wish* wish : some) distinct.insert(wish->words.begin(), wish->words.end());
    if (distinct.empty()) return {};
    auto texts = WARPCLOCK_TRY(decode_all({distinct.begin(), distinct.end()}));
    const std::lock_guard lock(mutex_);
    texts_.merge(texts);
    return {};
  };
  if (hopeless()) {
    for (Wish* wish : wishes) wish->answer = unreadable();
    return;
  }
  const Expected<void> all = attempt(wishes);
  if (all) return;
  // The disassembler may reject the architecture rather than one of the words.
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    fresh = texts_.empty();
  }
  if (fresh && !reads_any(wishes.front()->words)) {
    const std::lock_guard lock(mutex_);
    hopeless_ = true;
  }
  const bool alone = wishes.size() == 1 || hopeless();
  for (Wish* wish : wishes) wish->answer = alone ? all : attempt({wish});
}

namespace {

struct KernelWords {
  std::string kernel;
  std::vector<Word> words;
};

Expected<std::vector<KernelWords>> kernels_of(std::string_view image) {
  const auto sections = WARPCLOCK_TRY(code_sections(image));
  std::vector<KernelWords> kernels;
  for (const CodeSection& section : sections) {
    if (section.relocated) return fail("relocation", fmt::format("the loader changes {}", section.kernel));
    if (section.code.size() % 16 != 0) return fail("elf", fmt::format("{} ends within a word", section.kernel));
    kernels.push_back({section.kernel, words_of(section.code)});
  }
  if (kernels.empty()) return fail("elf", "there is no machine code in the cubin");
  return kernels;
}

std::vector<Word> distinct(const std::vector<KernelWords>& kernels) {
  std::vector<Word> all;
  for (const KernelWords& kernel : kernels) all.insert(all.end(), kernel.words.begin(), kernel.words.end());
  sort_once(all);
  return all;
}

Expected<std::string> text_of(const KernelWords& kernel, const WordTable& table) {
  constexpr std::string_view word = " /* 0x", close = " */\n";
  const std::vector<const WordText*> texts = table.texts(kernel.words);
  const std::uint64_t size = kernel.words.size() * 16;
  std::string out = fmt::format("\t.section\t.text.{},\"ax\",@progbits\n", kernel.kernel);
  out.reserve(out.size() + texts.size() * 96);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const WordText& one = *texts[i];
    (append_hex(out += "/*", i * 16, 4), out) += "*/ ";
    if (one.distance) {
      const std::uint64_t target = i * 16 + static_cast<std::uint64_t>(*one.distance);
      // Labels lie between instructions of the section, or after the last one.
      if (target > size || target % 16 != 0) {
        return fail("branch", fmt::format("'{}' at {:#x} leads out of {}", one.text, i * 16, kernel.kernel));
      }
      out.append(one.text, 0, one.at) += "`(0x";
      append_hex(out, target, 1);
      (out += ')').append(one.text, one.at);
    } else {
      out += one.text;
    }
    (append_hex((out += " ;") += word, kernel.words[i].low, 16), out) += close;
    (append_hex((out += word.substr(1)), kernel.words[i].high, 16), out) += close;
  }
  return out;
}

}  // namespace

std::vector<Expected<KernelTexts>> Disassembler::read(const std::string& nvdisasm, const Arch& arch,
                                                      const std::vector<std::string_view>& images) {
  WordTable& known = table(nvdisasm, arch);
  std::vector<Expected<std::vector<KernelWords>>> modules;
  std::vector<std::vector<Word>> wanted;
  for (const std::string_view image : images) {
    modules.push_back(kernels_of(image));
    wanted.push_back(modules.back() ? distinct(*modules.back()) : std::vector<Word>{});
  }
  const std::vector<Expected<void>> learned = known.learn(wanted);
  std::vector<Expected<KernelTexts>> all;
  for (std::size_t i = 0; i < images.size(); ++i) {
    Expected<KernelTexts>& texts = all.emplace_back(KernelTexts{{"", fmt::format("\t.target\t{}\n", to_string(arch))}});
    if (!modules[i] || !learned[i]) {
      texts = std::unexpected(modules[i] ? learned[i].error() : modules[i].error());
      continue;
    }
    for (const KernelWords& kernel : *modules[i]) {
      auto text = text_of(kernel, known);
      if (!text) {
        texts = std::unexpected(text.error());
        break;
      }
      texts->emplace(kernel.kernel, *std::move(text));
    }
  }
  return all;
}

bool Disassembler::hopeless(const std::string& nvdisasm, const Arch& arch) { return table(nvdisasm, arch).hopeless(); }

WordTable& Disassembler::table(const std::string& nvdisasm, const Arch& arch) {
  const std::lock_guard lock(mutex_);
  auto& table = tables_[{nvdisasm_identity(nvdisasm), arch}];
  if (!table) {
    const std::string sm = "SM" + to_string(arch).substr(3);
    // Each start of nvdisasm takes one core a third of a second.
    const unsigned runs = std::max(1U, std::thread::hardware_concurrency() / 4);
    table = std::make_unique<WordTable>(
        [nvdisasm, sm](std::uint64_t address, const std::string& code) {
          return disassemble_raw(nvdisasm, sm, address, code);
        },
        runs);
  }
  return *table;
}

Disassembler& common_disassembler() {
  static Disassembler common;
  return common;
}

}  // namespace warpclock
