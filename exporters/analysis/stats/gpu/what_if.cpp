// what_if: how long the execution would take if something took another time.
#include "exporters/analysis/replay/gains.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

base::Result<tables::Table> what_if(const report::ReportReader& reader,
                                    const Arguments& arguments) {
  if (arguments.what_if.empty()) {
    const auto predictions = replay::predict_for_path(reader);
    if (!predictions) return tl::make_unexpected(predictions.error());
    return replay::table_of(*predictions);
  }
  const auto changes = replay::parse_what_ifs(arguments.what_if);
  if (!changes) return tl::make_unexpected(changes.error());
  const auto prediction = replay::predict(reader, *changes);
  if (!prediction) return tl::make_unexpected(prediction.error());
  return replay::table_of({*prediction});
}

}  // namespace prof::stats
