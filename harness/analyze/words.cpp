#include "analyze/words.hpp"

#include <array>
#include <cstddef>

namespace warpclock {
namespace {

constexpr std::array<std::string_view, 5> methods = {"slope", "rate", "elapsed", "fact", "counter"};
constexpr std::array<std::string_view, 8> finds = {"levels", "saturation", "step",     "period",
                                                   "spread", "groups",     "fragment", "swizzle"};
constexpr std::array<std::string_view, 3> relations = {"equal", "at_least", "at_most"};

template <class Enum, std::size_t Size>
std::optional<Enum> find_word(const std::array<std::string_view, Size>& words, std::string_view wanted) {
  for (std::size_t i = 0; i < Size; ++i) {
    if (words[i] == wanted) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view word(Method method) { return methods.at(static_cast<std::size_t>(method)); }
std::string_view word(Relation relation) { return relations.at(static_cast<std::size_t>(relation)); }
std::string_view word(Find::What what) { return finds.at(static_cast<std::size_t>(what)); }
std::optional<Method> method_of(std::string_view word) { return find_word<Method>(methods, word); }
std::optional<Relation> relation_of(std::string_view word) { return find_word<Relation>(relations, word); }
std::optional<Find::What> find_of(std::string_view word) { return find_word<Find::What>(finds, word); }

}  // namespace warpclock
