#include "code/word_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <optional>
#include <set>
#include <utility>

#include "base/caught.hpp"

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
    runs.push_back(std::async(std::launch::async, [this, some] { return decode(some); }));
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

}  // namespace warpclock
