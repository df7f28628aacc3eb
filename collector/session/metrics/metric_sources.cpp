#include "collector/session/metrics/metric_sources.hpp"

#include <poll.h>

#include <chrono>

#include "collector/metrics/plugins/plugin_sources.hpp"
#include "collector/session/host_info.hpp"
#include "common/base/proc_file.hpp"

namespace prof::session {

namespace {

using Clock = std::chrono::steady_clock;

// Setting up a GPU takes half a second.
constexpr auto kLongestStart = std::chrono::seconds(30);

}  // namespace

MetricSources::MetricSources(const SessionContext& session) : recorder_(session.recorder) {
  if (session.options.gpu_metrics.is_on()) start_gpu_metrics(session);
  const auto added = metrics::add_plugin_sources(session.options.plugins,
                                                 {polling_, gpu_polling_, meter_polling_});
  if (!added) recorder_.warn(added.error().message);
  for (metrics::PollingThread* each : {&polling_, &gpu_polling_, &meter_polling_})
    if (const auto started = each->start(); !started)
      recorder_.warn("Metrics are not recorded: " + started.error().message + ".");
}

void MetricSources::start_gpu_metrics(const SessionContext& session) {
  auto started = metrics::GpuSampling::start(
      base::own_program().string(), {session.options.gpu_metrics, gpu_locations()}, buffer_);
  if (!started) {
    recorder_.warn("GPU metrics are not recorded: " + started.error().message + ".");
    return;
  }
  gpus_ = std::move(*started);
  session.loop.watch(gpus_->fd());
}

base::Status MetricSources::wait_until_ready(int signals) {
  const auto give_up = Clock::now() + kLongestStart;
  while (gpus_ != nullptr && !gpus_->is_ready()) {
    pollfd events[] = {{gpus_->fd(), POLLIN, 0}, {signals, POLLIN, 0}};
    constexpr int kPause = 200;  // ms
    poll(events, 2, kPause);
    gpus_->read();
    if (events[1].revents != 0) break;
    if (Clock::now() < give_up) continue;
    recorder_.warn(
        "The program starts without GPU metrics, because it takes long to set them up. They are "
        "recorded from then on.");
    break;
  }
  if (gpus_ != nullptr && gpus_->refusal()) return tl::make_unexpected(*gpus_->refusal());
  return {};
}

void MetricSources::drain(bool in_range) {
  if (gpus_ != nullptr) gpus_->read();
  const auto content = buffer_.take();
  for (const auto& group : content.groups) recorder_.note(group);
  if (!content.facts.empty()) recorder_.note(spool::SystemFactsNote{content.facts});
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
  for (metrics::PollingThread* each : {&polling_, &gpu_polling_, &meter_polling_}) each->stop();
  if (gpus_ != nullptr) gpus_->finish();
  drain(in_range);
  gpus_.reset();
}

}  // namespace prof::session
