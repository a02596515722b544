#include "answer/ask/asked_words.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace warpclock {
namespace {

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> all;
  std::string word;
  const auto end = [&] {
    while (word.ends_with('.') || word.ends_with(':')) word.pop_back();
    if (!word.empty()) all.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (std::string_view(" \t\r\n,;?!()[]{}\"'`/-+*&|").contains(c))
      end();
    else
      word += c;
  }
  end();
  return all;
}

/// Without the s of a plural; "bus", "less" and names stay.
std::string stem(std::string word) {
  constexpr std::size_t shortest = 4;
  const bool plain = word.find_first_of("._:=0123456789") == std::string::npos;
  if (plain && word.size() >= shortest && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us"))
    word.pop_back();
  return word;
}

bool is_name(const std::string& word) { return word.find_first_of("._:") != std::string::npos; }

}  // namespace

double AskedWords::weight() const {
  double sum = 0;
  for (const AskedWord& word : words) sum += word.weight;
  return sum;
}

double AskedWords::weight(const std::set<std::size_t>& places) const {
  double sum = 0;
  for (const std::size_t place : places) sum += words[place].weight;
  return sum;
}

AskedWords asked_words(std::string_view text, const SearchWords& known) {
  constexpr double of_name = 1.5, of_kind = 0.5;
  AskedWords question;
  for (std::string& given : pieces(text)) {
    const std::string whole = to_lower(given);
    std::string word = stem(whole);
    const auto among = [&](const std::set<std::string>& all) { return all.contains(word) || all.contains(whole); };
    const bool rate = among(known.rates), time = among(known.times);
    question.rate = question.rate || rate;
    question.time = question.time || time;
    const double weight = among(known.fillers) ? 0 : rate || time ? of_kind : is_name(word) ? of_name : 1;
    question.words.push_back({std::move(given), std::move(word), weight});
  }
  return question;
}

std::set<std::size_t> places_of(std::string_view phrase, const AskedWords& question, const SearchWords& known) {
  std::set<std::size_t> places;
  for (const AskedWord& wanted : asked_words(phrase, known).words) {
    bool found = false;
    for (std::size_t i = 0; i < question.words.size(); ++i) {
      if (question.words[i].text != wanted.text) continue;
      places.insert(i);
      found = true;
    }
    if (!found) return {};
  }
  return places;
}

}  // namespace warpclock
