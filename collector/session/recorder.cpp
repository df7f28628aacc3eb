#include "collector/session/recorder.hpp"

#include <spdlog/spdlog.h>

namespace prof::session {

base::Status Recorder::keep(base::Status status) {
  if (!status && !failed_) {
    failed_ = true;
    spdlog::error("{}; the program goes on, but events are being lost", status.error().message);
  }
  return status;
}

}  // namespace prof::session
