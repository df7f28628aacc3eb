// Verifies the numbers in a text that somebody wrote about a report.
#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/facts/facts.hpp"

namespace prof::claims {

// Returns a claim for each number with a unit. Its subject is the name of the report that stands
// nearest before it, in the same sentence, or after it. A number without a name is supported if it
// is one of the facts, and unsupported otherwise. The named views of the report
// (exporters/analysis/query) have to be made before.
base::Result<std::vector<Checked>> check_answer(const report::ReportReader& reader,
                                                const facts::FactSheet& sheet,
                                                std::string_view text);

}  // namespace prof::claims
