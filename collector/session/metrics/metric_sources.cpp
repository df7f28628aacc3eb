#include "collector/session/metrics/metric_sources.hpp"

namespace prof::session {

MetricSources::MetricSources(const SessionContext& session) : recorder_(session.recorder) {
  polling_.start();
}

void MetricSources::drain(bool in_range) {
  const auto content = buffer_.take();
  for (const auto& group : content.groups) recorder_.note(group);
  for (const auto& remark : content.remarks) {
    if (remark.severity == spool::Severity::kInfo)
      recorder_.diagnostic(remark.severity, remark.text);
    else
      recorder_.warn(remark.text);
  }
  if (!in_range) return;
  for (const auto& piece : content.pieces) recorder_.metric_samples(piece.header, piece.bytes);
}

void MetricSources::finish(bool in_range) {
  polling_.stop();
  drain(in_range);
}

}  // namespace prof::session
