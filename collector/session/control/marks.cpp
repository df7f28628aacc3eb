#include "collector/session/control/marks.hpp"

#include <vector>

#include "collector/spool/record_buffer.hpp"

namespace prof::session {

void record_mark(SpoolRecorder& recorder, std::uint32_t serial, pid_t pid, std::uint64_t time,
                 std::string_view text) {
  spool::RecordBuffer buffer;
  wire::NvtxEventRecord mark{};
  mark.header.flags = wire::kNvtxHasText;
  mark.time = time;
  mark.text = buffer.text(text);
  buffer.add(wire::RecordType::kNvtxMark, mark);
  const std::vector<std::byte> bytes = buffer.take();
  recorder.records({serial, static_cast<std::uint32_t>(pid), time, 0, 0}, bytes);
}

}  // namespace prof::session
