#include "collector/session/recorder.hpp"

#include <spdlog/spdlog.h>

namespace prof::session {

void Recorder::warn(const std::string& text) {
  constexpr int kWarning = 2;
  spdlog::warn("{}", text);
  diagnostic(kWarning, text);
}

base::Status Recorder::keep(base::Status status) {
  if (!status && !failed_) {
    failed_ = true;
    spdlog::error("{}; the program goes on, but events are being lost", status.error().message);
  }
  return status;
}

}  // namespace prof::session
