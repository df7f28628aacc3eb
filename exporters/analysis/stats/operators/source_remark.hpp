// A remark of the statistics of operators: how well the operations of GPUs are known.
#pragma once

#include "common/report/report_reader.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::stats {

// Adds a remark that says which share of the GPU time has an operator, a library call and so on.
void remark_on_sources(const report::ReportReader& reader, const operators::OperatorModel& model);

}  // namespace prof::stats
