#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json/json_writer.hpp"
#include "base/terminal.hpp"

namespace warpclock {

/// How a terminal shows a cell.
enum class Tone { Plain, Good, Doubtful, Bad };

/// A value as people read it, and as programs do. A text of several lines takes as many in its column.
struct Cell {
  Cell() = default;  // NOLINT(bugprone-exception-escape): nlohmann::json says noexcept of what allocates
  Cell(std::string shown) : text(std::move(shown)) {}  // NOLINT(google-explicit-constructor)
  Cell(const char* shown) : text(shown) {}             // NOLINT(google-explicit-constructor)
  Cell(std::string shown, Json for_programs) : text(std::move(shown)), value(std::move(for_programs)) {}

  /// What people read where programs get nothing.
  static Cell for_people(std::string shown) { return {std::move(shown), Json(Json::value_t::discarded)}; }

  [[nodiscard]] Cell with(Tone is) const {
    Cell cell = *this;
    cell.tone = is;
    return cell;
  }

  std::string text;
  Tone tone = Tone::Plain;
  Json value;  ///< null: `text`, or nothing if that is empty
};

/// Who reads a fact, a column or a note.
enum class Audience { All, People, Programs };

struct Fact {
  std::string key;    ///< of JSON
  std::string label;  ///< what people read; empty: `key`
  Cell says;
  Audience audience = Audience::All;
};

struct Column {
  std::string key;    ///< of JSON and CSV
  std::string title;  ///< what people read; empty: `key`
  bool right = false;
  Audience audience = Audience::All;
};

/// Columns in short. "#shared_bytes|shared memory": the key, then the title; `#` before it for numbers, which go to the
/// right, `-` for programs alone, `+` for people alone.
[[nodiscard]] std::vector<Column> columns(const std::vector<std::string>& words);

/// Tables of one key are one array in JSON and one table of CSV, and their columns have the same widths in text.
struct Table {
  std::string key;
  std::string title;  ///< a line above it, for people
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  ///< lines below it, for people
  bool headed = true;              ///< whether people read the titles of its columns
  Audience audience = Audience::All;
};

/// What a command answers, for people and for programs.
struct Sheet {
  std::string title;
  std::vector<Fact> facts;
  std::vector<Table> tables;
  std::vector<std::string> notes;
};

/// Facts as `label  value`, a line for each of the value's; what does not belong on a terminal is escaped. Tables with
/// a blank line before each title, then notes. Ends with a newline.
[[nodiscard]] std::string to_text(const Sheet& sheet, const Style& style);

/// {"title": ..., fact: ..., table: [{column: ...}, ...], "notes": [...]}. An empty title, empty cells, no notes and
/// tables for people alone are left out.
[[nodiscard]] Json to_json(const Sheet& sheet);

/// The tables as CSV with a header line, by RFC 4180; of several keys a blank line apart.
[[nodiscard]] std::string to_csv(const Sheet& sheet);

/// The fields as a line of CSV by RFC 4180, with its end. What has a comma, a quote, a line end or a blank is quoted.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace warpclock
