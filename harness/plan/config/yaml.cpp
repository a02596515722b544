#include "plan/config/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "plan/config/scalar.hpp"

namespace warpclock {
namespace {

const Tree nothing;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Escapes in quotes can put any character into a scalar, but an error message is one line.
std::string printable(std::string text) {
  std::ranges::replace_if(text, is_control, '?');
  return text;
}

/// A value in the form that error messages show.
std::string shown(const Tree& tree) {
  constexpr std::size_t longest = 60;
  switch (tree.kind) {
    case Tree::Kind::Null:
      return "nothing";
    case Tree::Kind::Sequence:
      return "a list";
    case Tree::Kind::Map:
      return "a map";
    case Tree::Kind::Scalar:
      break;
  }
  if (tree.scalar.size() > longest) return fmt::format("text of {} bytes", tree.scalar.size());
  return fmt::format("{}'{}'", tree.quoted ? "the text " : "", printable(tree.scalar));
}

std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 60;
  if (name.size() <= longest) return printable(name);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return printable(name.substr(0, end)) + "...";
}

}  // namespace

std::string Node::place() const { return fmt::format("{}:{}:{}", source_->file, line_, column_); }

void Node::reject(const std::string& why) const {
  if (source_->error) return;
  source_->error = Error{"config", path_.empty() ? why : path_ + ": " + why, place()};
}

bool Node::failed() const { return source_->error.has_value(); }

void Node::expected(std::string_view what) const { reject(fmt::format("expected {}, not {}", what, shown(*tree_))); }

bool Node::is(Kind kind, std::string_view what) const {
  if (tree_->kind != kind) expected(what);
  return tree_->kind == kind;
}

std::string Node::text() const {
  if (!is(Kind::Scalar, "text")) return "";
  if (!tree_->quoted && looks_typed(tree_->scalar)) {
    expected("text (quote it)");
    return "";
  }
  // A block scalar ends with a line break that is not part of the intended text.
  std::string text = tree_->scalar;
  while (text.ends_with('\n')) text.pop_back();
  if (text.empty()) reject("the text is empty");
  if (std::ranges::any_of(text, [](char c) { return is_control(c) && c != '\n'; }) || find_invalid_utf8(text)) {
    reject("the text holds a character that cannot be shown");
  }
  return text;
}

std::string Node::word(const std::vector<std::string>& allowed) const {
  std::string word = text();
  if (!failed() && std::ranges::find(allowed, word) == allowed.end()) {
    reject_unknown("value", word, allowed);
  }
  return word;
}

void Node::reject_unknown(std::string_view what, const std::string& name, const std::vector<std::string>& known) const {
  reject(fmt::format("unknown {} '{}'{}", what, shortened(name), hint(name, known)));
}

std::int64_t Node::integer(std::int64_t low, std::int64_t high) const {
  if (!is(Kind::Scalar, "an integer")) return low;
  const std::string& digits = tree_->scalar;
  if (tree_->quoted || !is_plain_integer(digits)) {
    expected("an integer (plain decimal)");
    return low;
  }
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc{} || value < low || value > high) {
    reject(fmt::format("{} is out of range ({} to {})", shortened(digits), low, high));
    return low;
  }
  return value;
}

double Node::number() const {
  if (!is(Kind::Scalar, "a number")) return 0;
  if (tree_->quoted || !is_plain_number(tree_->scalar)) {
    expected("a number");
    return 0;
  }
  double value = 0;
  const char* end = tree_->scalar.data() + tree_->scalar.size();
  if (std::from_chars(tree_->scalar.data(), end, value).ec != std::errc{}) {
    reject(fmt::format("{} is out of range", shortened(tree_->scalar)));
    return 0;
  }
  return value;
}

bool Node::boolean() const {
  const bool yes = tree_->scalar == "true";
  if (tree_->kind != Kind::Scalar || tree_->quoted || (!yes && tree_->scalar != "false")) expected("true or false");
  return yes;
}

Value Node::value() const {
  const bool plain = tree_->kind == Kind::Scalar && !tree_->quoted;
  if (plain && is_plain_integer(tree_->scalar)) return integer(INT64_MIN, INT64_MAX);
  if (tree_->kind != Kind::Scalar || (plain && looks_typed(tree_->scalar))) {
    expected("an integer or text (quote what is neither)");
    return std::int64_t{0};
  }
  return text();
}

Node Node::element(std::size_t i) const {
  const Tree& tree = tree_->items[i];
  return {source_, &tree, fmt::format("{}[{}]", path_, i), tree.line, tree.column};
}

Node Node::member(std::size_t i) const {
  const Tree& tree = tree_->items[i];
  const Tree::Key& key = tree_->keys[i];
  const std::string path = (path_.empty() ? "" : path_ + ".") + shortened(key.name);
  // yaml-cpp gives a missing value the position of whatever follows.
  const bool absent = tree.kind == Kind::Null;
  return {source_, &tree, path, absent ? key.line : tree.line, absent ? key.column : tree.column};
}

std::vector<Node> Node::items() const {
  std::vector<Node> nodes;
  if (!is(Kind::Sequence, "a list")) return nodes;
  if (tree_->items.empty()) reject("the list is empty");
  for (std::size_t i = 0; i < tree_->items.size(); ++i) nodes.push_back(element(i));
  return nodes;
}

std::vector<Node> Node::items_or_self() const {
  if (tree_->kind == Kind::Sequence) return items();
  return {*this};
}

std::vector<std::pair<std::string, Node>> Node::entries() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!is(Kind::Map, "a map")) return nodes;
  if (tree_->items.empty()) reject("the map is empty");
  for (std::size_t i = 0; i < tree_->items.size(); ++i) nodes.emplace_back(tree_->keys[i].name, member(i));
  return nodes;
}

Fields Node::fields(const std::vector<std::string>& keys) const {
  if (is(Kind::Map, "a map")) {
    for (const Tree::Key& key : tree_->keys) {
      if (std::ranges::find(keys, key.name) != keys.end()) continue;
      const Node at(source_, tree_, path_, key.line, key.column);
      at.reject(fmt::format("unknown key '{}'{}", shortened(key.name), hint(key.name, keys)));
    }
  }
  return Fields(*this);
}

Node Node::rebased() const { return {source_, tree_, "", line_, column_}; }

std::optional<Node> Fields::find(std::string_view key) const {
  const auto& keys = node_.tree_->keys;
  const auto at = std::ranges::find(keys, key, [](const Tree::Key& k) { return std::string_view(k.name); });
  if (at == keys.end()) return std::nullopt;
  return node_.member(static_cast<std::size_t>(at - keys.begin()));
}

Node Fields::get(std::string_view key) const {
  if (auto node = find(key)) return *node;
  node_.reject(fmt::format("missing key '{}'", key));
  return {node_.source_, &nothing, node_.path_, node_.line_, node_.column_};
}

Expected<Document> Document::parse(const std::string& file, std::string_view text) {
  auto tree = WARPCLOCK_TRY(parse_tree(file, text));
  Document document;
  document.source_ = std::make_unique<Node::Source>(Node::Source{file, std::move(tree), std::nullopt});
  return document;
}

Node Document::root() const {
  const Tree& tree = source_->root;
  return {source_.get(), &tree, "", tree.line, tree.column};
}

}  // namespace warpclock
