#include "exporters/analysis/tables/terminal_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exporters/analysis/tables/cell_text.hpp"
#include "exporters/analysis/tables/column_fit.hpp"
#include "exporters/analysis/tables/readable_units.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::tables {

namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kReset = "\x1b[0m";

// The shares of the time in percent from which a row is highlighted.
constexpr double kLargeShare = 50;
constexpr double kNotableShare = 10;

class TerminalTable {
 public:
  TerminalTable(const Table& table, const TerminalStyle& style) : table_(table), style_(style) {
    std::vector<std::string> headings;
    std::vector<std::size_t> widths;
    for (const ColumnSpec& column : table.columns) {
      measures_.push_back(style.readable_units ? measure_of(column) : Measure::kOther);
      headings.emplace_back(measures_.back() == Measure::kOther ? column.header
                                                                : without_unit(column.header));
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::size_t width = 0;
      for (const auto& row : table.rows) width = std::max(width, display_width(shown(row[i], i)));
      widths.push_back(width);
    }
    fit_ = fit_columns(table, headings, widths, style.width);
  }

  void add_headings(TextSink& out) {
    std::size_t lines = 0;
    for (const FittedColumn& column : fit_.columns) lines = std::max(lines, column.heading.size());
    for (std::size_t line = 0; line < lines; ++line)
      add_line(out, kBold, [&](const FittedColumn& column) {
        const std::size_t first = lines - column.heading.size();
        return line < first ? std::string() : column.heading[line - first];
      });
    add_line(out, kDim, [](const FittedColumn& column) { return std::string(column.width, '-'); });
  }

  void add_rows(TextSink& out) {
    for (const auto& row : table_.rows)
      add_line(out, color_of(row), [&](const FittedColumn& column) {
        return elide_middle(shown(row[column.index], column.index), column.width);
      });
  }

  const std::vector<std::string>& left_out() const { return fit_.left_out; }

 private:
  // Returns the text of a cell as it is shown. The text is valid until the next call.
  const std::string& shown(const Cell& cell, std::size_t column) {
    if (auto text = readable_text(cell, measures_[column])) return shown_ = *std::move(text);
    shown_.clear();
    add_grouped_text(shown_, cell, table_.columns[column]);
    if (table_.columns[column].kind == CellKind::kText) make_visible(shown_);
    return shown_;
  }

  // Returns the color of a row by the share of the time in its first column, if that column is a
  // share.
  std::string_view color_of(const std::vector<Cell>& row) const {
    if (table_.columns.empty() || !table_.columns[0].header.ends_with("(%)")) return "";
    const auto* share = std::get_if<double>(&row[0]);
    if (share == nullptr || *share < kNotableShare) return "";
    return *share < kLargeShare ? kYellow : kRed;
  }

  // Adds a line. Only the first cell of a row has a color; all of a heading has it.
  template <class TextOf>
  void add_line(TextSink& out, std::string_view color, TextOf text_of) {
    if (!style_.has_color) color = "";
    line_ = " ";
    for (const FittedColumn& column : fit_.columns) {
      const std::string text = text_of(column);
      const std::size_t padding = column.width - std::min(column.width, display_width(text));
      const bool is_text = table_.columns[column.index].kind == CellKind::kText;
      if (&column != &fit_.columns.front()) line_ += "  ";
      if (!is_text) line_.append(padding, ' ');
      const bool has_color =
          !color.empty() && (color == kBold || color == kDim || &column == &fit_.columns.front());
      if (has_color) line_ += color;
      line_ += text;
      if (has_color) line_ += kReset;
      if (is_text && &column != &fit_.columns.back()) line_.append(padding, ' ');
    }
    line_ += '\n';
    out += line_;
  }

  const Table& table_;
  const TerminalStyle& style_;
  std::vector<Measure> measures_;
  Fit fit_;
  std::string shown_;
  std::string line_;
};

std::string colored(const TerminalStyle& style, std::string_view color, std::string_view text) {
  if (!style.has_color) return std::string(text);
  return fmt::format("{}{}{}", color, text, kReset);
}

}  // namespace

std::string more_rows_line(std::size_t more) {
  return more == 0 ? "" : fmt::format(" … and {} more (--rows 0 shows all)\n", more);
}

void write_for_terminal(const Table& table, const TerminalStyle& style, std::string_view title,
                        std::string_view name, std::size_t more, const Write& write) {
  TextSink out(write);
  TerminalTable layout(table, style);
  out += "\n";
  out += colored(style, kBold, fmt::format(" ** {} ({}):", title, name));
  out += "\n\n";
  layout.add_headings(out);
  layout.add_rows(out);
  if (more > 0) out += colored(style, kDim, more_rows_line(more));
  if (!layout.left_out().empty()) {
    const std::string line =
        fmt::format(" Columns that do not fit: {}", fmt::join(layout.left_out(), ", "));
    out += colored(style, kDim, wrap_lines(line, style.width, "   ")) + '\n';
  }
  out.flush();
}

}  // namespace prof::tables
