#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// Text for a line or a table cell of GitHub-flavoured Markdown: markup is escaped, line ends become blanks.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// The same as inline code.
[[nodiscard]] std::string markdown_code(std::string_view text);

/// The text with line ends between words, in lines of at most 120 columns where words allow it. `indent` is put before
/// each line but the first.
[[nodiscard]] std::string markdown_lines(std::string_view text, std::string_view indent = "");

/// The anchor of a heading, as on a page of GitHub.
[[nodiscard]] std::string heading_fragment(std::string_view heading);

/// A table as Markdown; rows are as wide as the header.
class MarkdownTable {
 public:
  /// Heads of columns, already Markdown; those of numbers, which are right-aligned, begin with '#'.
  explicit MarkdownTable(const std::vector<std::string>& heads = {});
  void column(std::string header, bool numeric = false);

  /// Cells that are already Markdown.
  void row(std::vector<std::string> cells);
  /// Cells of plain text.
  void text_row(std::vector<std::string> cells);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Ends with an empty line. Empty if there are no rows.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> headers_;
  std::vector<bool> numeric_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpclock
