// Writes tables for documents, in Markdown and HTML. The note is printed below the title.
#pragma once

#include <string>
#include <string_view>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

// Returns the text for HTML and XML, also for values in double quotes.
std::string escaped_html(std::string_view text);

void add_markdown(TextSink& out, const Table& table, std::string_view title, std::string_view name,
                  std::string_view note = {});
void add_html_table(TextSink& out, const Table& table);  // a <table> to be inserted into a page
void add_html_document(TextSink& out, const Table& table, std::string_view title,
                       std::string_view name, std::string_view note = {});

}  // namespace prof::tables
