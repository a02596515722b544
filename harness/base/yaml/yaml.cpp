#include "base/yaml/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <exception>
#include <sstream>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace warpclock {

namespace {

/// Removes the digits at the front. True if there were any.
bool take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count > 0;
}

bool take_integer(std::string_view& text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (!text.starts_with('0')) return take_digits(text);
  text.remove_prefix(1);
  return text.empty() || !is_digit(text.front());
}

}  // namespace

bool is_plain_integer(std::string_view text) { return text != "-0" && take_integer(text) && text.empty(); }

bool is_plain_number(std::string_view text) {
  if (!take_integer(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

bool looks_typed(std::string_view text) {
  static constexpr std::array<std::string_view, 16> words = {"true", "false", "yes",   "no",    "on",    "off",
                                                             "null", "~",     ".inf",  "+.inf", "-.inf", ".nan",
                                                             "=",    "<<",    "+.nan", "-.nan"};
  std::string lower(text.substr(0, 8));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (text.empty() || (text.size() < 8 && contains(words, lower))) return true;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return false;
  if (text.starts_with("0x") || text.starts_with("0o") || text.starts_with("0b")) return true;
  return std::ranges::any_of(text, is_digit) &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || std::string_view("_.:eE+-").contains(c); });
}

namespace {

constexpr const char* no_tags = "tags are not read here (a value's form is its type)";
constexpr const char* no_anchors = "anchors and aliases are not read here (write the value out)";

/// Thrown to leave yaml-cpp's parser early. It never leaves this file.
struct Stop {
  int line, column;
  std::string text;
};

std::string place(const std::string& file, int line, int column) { return fmt::format("{}:{}:{}", file, line, column); }

Stop stop_at(std::string_view text, std::size_t offset, std::string why) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return {static_cast<int>(line), static_cast<int>(offset - start) + 1, std::move(why)};
}

/// Rejects what yaml-cpp would accept silently or misread.
void check_bytes(std::string_view text) {
  if (text.size() > max_config_bytes) {
    throw Stop{1, 1,
               fmt::format("the file has {} bytes, more than the {} a config may have", text.size(), max_config_bytes)};
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    throw Stop{1, 1, "the file starts with a byte-order mark (save it as UTF-8 without one)"};
  }
  if (const auto bad = find_invalid_utf8(text)) {
    throw stop_at(text, *bad, fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[*bad])));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool line_end = c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    const bool control = (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && !line_end && c != '\t';
    if (control) throw stop_at(text, i, fmt::format("control character 0x{:02x}", static_cast<unsigned char>(c)));
  }
}

/// Whether the quote at the front of `text` is closed: yaml-cpp closes it at the end of the file.
bool is_closed(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return true;
      ++i;
    }
  }
  return false;
}

/// Builds the tree from yaml-cpp's events. Its node interface is not used because it keeps the last of two equal keys
/// and follows aliases without limit.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] Tree take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) stop(mark, "a second document starts here; a config is one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse(mark, "", anchor);
    Tree node = at(mark);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { stop(mark, no_anchors); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse(mark, tag, anchor);
    const std::string_view written = text_.substr(offset(mark));
    if (written.starts_with('!')) stop(mark, no_tags);
    if ((written.starts_with('"') || written.starts_with('\'')) && !is_closed(written)) {
      stop(mark, "the quote that starts here does not end");
    }
    Tree node = at(mark);
    node.kind = Tree::Kind::Scalar;
    node.scalar = value;
    node.quoted = tag == "!";
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, tag, anchor, Tree::Kind::Sequence);
  }
  void OnSequenceEnd() override { leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, tag, anchor, Tree::Kind::Map);
  }
  void OnMapEnd() override { leave(); }

 private:
  [[noreturn]] static void stop(const YAML::Mark& mark, std::string why) {
    throw Stop{std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, std::move(why)};
  }

  /// The offset of a mark in the text.
  [[nodiscard]] std::size_t offset(const YAML::Mark& mark) const {
    if (mark.line < 0 || mark.column < 0) return text_.size();
    const auto line = static_cast<std::size_t>(mark.line);
    if (line >= line_starts_.size()) return text_.size();
    return std::min(line_starts_[line] + static_cast<std::size_t>(mark.column), text_.size());
  }

  static Tree at(const YAML::Mark& mark) {
    Tree node;
    node.line = std::max(mark.line, 0) + 1;
    node.column = std::max(mark.column, 0) + 1;
    return node;
  }

  static void refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) stop(mark, no_anchors);
    if (!tag.empty() && tag != "?" && tag != "!") stop(mark, no_tags);
  }

  void enter(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Tree::Kind kind) {
    refuse(mark, tag, anchor);
    if (expects_key()) stop(mark, "a list or a map is where a key must be (is a bracket left open?)");
    if (open_.size() >= max_config_depth) stop(mark, fmt::format("nested more than {} deep", max_config_depth));
    Tree node = at(mark);
    node.kind = kind;
    open_.push_back({std::move(node), {}});
  }

  void leave() {
    Tree node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  [[nodiscard]] bool expects_key() const {
    if (open_.empty()) return false;
    const Tree& node = open_.back().node;
    return node.kind == Tree::Kind::Map && node.keys.size() == node.items.size();
  }

  void add(Tree node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (expects_key()) {
      add_key(std::move(node));
    } else {
      open_.back().node.items.push_back(std::move(node));
    }
  }

  void add_key(Tree node) {
    const auto refuse_key = [&](std::string why) { throw Stop{node.line, node.column, std::move(why)}; };
    if (node.kind != Tree::Kind::Scalar || node.scalar.empty()) refuse_key("a key is missing before ':'");
    if (node.scalar == "<<") refuse_key("merge keys are not read here (write the keys out)");
    if (!node.quoted && looks_typed(node.scalar)) {
      refuse_key(
          fmt::format("the key '{}' is a number, a boolean or null to some YAML readers (quote it)", node.scalar));
    }
    const auto [first, fresh] = open_.back().lines.emplace(node.scalar, node.line);
    if (!fresh) refuse_key(fmt::format("duplicate key '{}' (first in line {})", node.scalar, first->second));
    open_.back().node.keys.push_back({std::move(node.scalar), node.line, node.column});
  }

  struct Frame {
    Tree node;
    std::map<std::string, int> lines;  ///< lines of its keys
  };

  std::string_view text_;
  std::vector<std::size_t> line_starts_ = {0};
  Tree root_;
  int documents_ = 0;
  std::vector<Frame> open_;
};

}  // namespace

Expected<Tree> parse_tree(const std::string& file, std::string_view text) {
  try {
    check_bytes(text);
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(text);
    while (parser.HandleNextDocument(builder)) {
    }
    Tree root = builder.take();
    if (root.kind == Tree::Kind::Null)
      return fail("config", "the document is empty", place(file, root.line, root.column));
    return root;
  } catch (const Stop& stop) {
    return fail("config", stop.text, place(file, stop.line, stop.column));
  } catch (const YAML::Exception& error) {
    const bool alias = error.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR);
    return fail("config", alias ? no_anchors : "not YAML: " + error.msg,
                place(file, std::max(error.mark.line, 0) + 1, std::max(error.mark.column, 0) + 1));
  } catch (const std::exception& error) {
    return fail("config", fmt::format("cannot be read as YAML: {}", problem_in(error)), place(file, 1, 1));
  }
}

namespace {

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
  if (!failed() && !contains(allowed, word)) {
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
  const auto value = whole_number<std::int64_t>(digits);
  if (!value || *value < low || *value > high) {
    reject(fmt::format("{} is out of range ({} to {})", shortened(digits), low, high));
    return low;
  }
  return *value;
}

double Node::number() const {
  if (!is(Kind::Scalar, "a number")) return 0;
  if (tree_->quoted || !is_plain_number(tree_->scalar)) {
    expected("a number");
    return 0;
  }
  const auto value = leading_number<double>(tree_->scalar);
  if (!value) reject(fmt::format("{} is out of range", shortened(tree_->scalar)));
  return value.value_or(0);
}

bool Node::boolean() const {
  const bool yes = tree_->scalar == "true";
  if (tree_->kind != Kind::Scalar || tree_->quoted || (!yes && tree_->scalar != "false")) expected("true or false");
  return yes;
}

std::variant<std::int64_t, std::string> Node::value() const {
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

void Node::check_keys(const std::vector<std::string>& keys) const {
  for (const Tree::Key& key : tree_->keys) {
    if (contains(keys, key.name)) continue;
    const Node at(source_, tree_, path_, key.line, key.column);
    at.reject(fmt::format("unknown key '{}'{}", shortened(key.name), hint(key.name, keys)));
  }
}

std::optional<Node> Node::find(std::string_view key) const {
  const auto at = std::ranges::find(tree_->keys, key, [](const Tree::Key& k) { return std::string_view(k.name); });
  if (at == tree_->keys.end()) return std::nullopt;
  return member(static_cast<std::size_t>(at - tree_->keys.begin()));
}

Node Node::rebased() const { return {source_, tree_, "", line_, column_}; }

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
