#include "exporters/analysis/tables/table_layout.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "exporters/analysis/tables/cell_text.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::tables {

namespace {

// The maximum length of a text cell, in characters.
constexpr std::size_t kTextLimit = 100;

// Adds a table line by line, with aligned columns.
class Layout {
 public:
  explicit Layout(const Table& table) : table_(table) {
    for (const ColumnSpec& column : table.columns) widths_.push_back(display_width(column.header));
    for (const auto& row : table.rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        widths_[i] = std::max(widths_[i], display_width(shown(row[i], table.columns[i])));
  }

  // The text to the left of the cells, between them and to the right of them.
  struct Frame {
    std::string_view left;
    std::string_view between;
    std::string_view right;
  };

  void add_headers(TextSink& out, const Frame& frame) {
    add_line(out, frame, [&](std::size_t i) {
      const std::string& header = table_.columns[i].header;
      const std::size_t padding = widths_[i] - display_width(header);
      line_.append(padding / 2, ' ').append(header).append(padding - padding / 2, ' ');
    });
  }
  // Adds a horizontal line. In each column it is `more` characters longer than the cells.
  void add_rule(TextSink& out, const Frame& frame, std::size_t more) {
    add_line(out, frame, [&](std::size_t i) { line_.append(widths_[i] + more, '-'); });
  }
  void add_rows(TextSink& out, const Frame& frame) {
    for (const auto& row : table_.rows)
      add_line(out, frame, [&](std::size_t i) {
        const ColumnSpec& column = table_.columns[i];
        const std::string& text = shown(row[i], column);
        const std::size_t padding = widths_[i] - display_width(text);
        if (column.kind == CellKind::kText)
          line_.append(text).append(padding, ' ');
        else
          line_.append(padding, ' ').append(text);
      });
  }

 private:
  // Returns the text of a cell as it is shown. The text is valid until the next call.
  const std::string& shown(const Cell& cell, const ColumnSpec& column) {
    shown_.clear();
    add_grouped_text(shown_, cell, column);
    if (column.kind == CellKind::kText) {
      make_visible(shown_);
      shorten(shown_, kTextLimit);
    }
    return shown_;
  }

  template <class AddCell>
  void add_line(TextSink& out, const Frame& frame, AddCell add_cell) {
    line_ = frame.left;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      if (i > 0) line_ += frame.between;
      add_cell(i);
    }
    line_ += frame.right;
    line_ += '\n';
    out += line_;
  }

  const Table& table_;
  std::vector<std::size_t> widths_;
  std::string shown_;
  std::string line_;
};

}  // namespace

void add_column_layout(TextSink& out, const Table& table) {
  constexpr Layout::Frame kFrame = {" ", "  ", ""};
  Layout layout(table);
  layout.add_headers(out, kFrame);
  layout.add_rule(out, kFrame, 0);
  layout.add_rows(out, kFrame);
  out += "\n";
}

void add_table_layout(TextSink& out, const Table& table) {
  constexpr Layout::Frame kFrame = {"| ", " | ", " |"};
  constexpr Layout::Frame kRule = {"+", "+", "+"};
  Layout layout(table);
  layout.add_rule(out, kRule, 2);
  layout.add_headers(out, kFrame);
  layout.add_rule(out, kRule, 2);
  layout.add_rows(out, kFrame);
  layout.add_rule(out, kRule, 2);
  out += "\n";
}

}  // namespace prof::tables
