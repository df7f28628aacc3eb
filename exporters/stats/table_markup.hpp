// Tables for documents: Markdown and HTML. A note goes under the title.
#pragma once

#include <string>
#include <string_view>

#include "exporters/stats/table.hpp"

namespace prof::stats {

std::string as_markdown(const Table& table, std::string_view title, std::string_view name,
                        std::string_view note = {});
std::string as_html_table(const Table& table);  // a <table> for a page of the reader's
std::string as_html_document(const Table& table, std::string_view title, std::string_view name,
                             std::string_view note = {});

}  // namespace prof::stats
