#include "collector/ingest/chains/call_chains.hpp"

#include <fmt/format.h>

#include <cstring>

#include "collector/ingest/chains/mark_frame.hpp"
#include "collector/ingest/chains/python_lines.hpp"
#include "common/wire/python_frames/python_stack.hpp"

namespace prof::ingest {

using report::StackFrame;

namespace {

constexpr std::int64_t flag(bool is_set) { return is_set ? 1 : 0; }
report::Value special_entry(const StackFrame& frame) {
  return frame.is_special ? report::Value(std::int64_t{1}) : report::Value(nullptr);
}
report::Value address_of(const StackFrame& frame) {
  return frame.has<&StackFrame::address>() ? report::Value(frame.address) : report::Value(nullptr);
}
report::Value line_of(const StackFrame& frame) {
  return frame.has<&StackFrame::line>() ? report::Value(std::int64_t{frame.line})
                                        : report::Value(nullptr);
}

std::int64_t line_of(const wire::PythonCodeRecord& code, std::span<const std::byte> table,
                     std::uint32_t position) {
  const PythonLines lines{code.version, code.first_line, table};
  return position == python_frames::kUnknownInstruction ? code.first_line : lines.line_at(position);
}

}  // namespace

void CallChains::define(const wire::PythonCodeRecord& record, std::span<const std::byte> lines) {
  codes_.try_emplace(record.key, Code{record, lines});
}

void CallChains::define(const wire::ChainRecord& record, std::span<const std::byte> frames) {
  chains_.try_emplace(record.chain, Chain{frames, record.header.flags});
}

CallChains::Key& CallChains::pending_at(std::uint64_t start) {
  if (pending_.start != start) pending_ = {start, {}};
  return pending_.key;
}

void CallChains::announce(const wire::EventChainRecord& record) {
  pending_at(record.start).python = chains_.contains(record.chain) ? record.chain : 0;
}

void CallChains::announce(const wire::StackNodeRecord& record) {
  pending_at(record.start).node = record.header.aux;
  if (record.header.aux == 0) ++skipped_;
}

std::int64_t CallChains::cuda_chain(std::uint64_t start) {
  return id_of(take(start), start, cuda_ids_, &CallChains::write_cuda);
}

std::int64_t CallChains::osrt_chain(std::uint64_t start) {
  return id_of(take(start), start, osrt_ids_, &CallChains::write_osrt);
}

std::int64_t CallChains::sample_chain(std::uint64_t chain) {
  return id_of({chains_.contains(chain) ? chain : 0, 0, 0}, 0, sample_ids_,
               &CallChains::write_sample);
}

CallChains::Key CallChains::take(std::uint64_t start) {
  if (pending_.start != start) return {};
  return std::exchange(pending_, {}).key;
}

std::int64_t CallChains::id_of(Key key, std::uint64_t start, Ids& ids, Write write) {
  if (!key.is_any()) return 0;
  const std::uint64_t time = key.node != 0 ? clock_.to_monotonic(clock_.to_ns(start)) : 0;
  if (key.node != 0) key.epoch = native_.epoch(key.node, time);
  const auto [known, is_new] = ids.try_emplace(key, static_cast<std::int64_t>(ids.size()) + 1);
  if (!is_new) return known->second;
  std::int64_t depth = 0;
  for (const StackFrame& frame : frames_of(key, time))
    (this->*write)(known->second, depth++, frame);
  return known->second;
}

std::vector<StackFrame> CallChains::frames_of(const Key& key, std::uint64_t time) {
  std::vector<StackFrame> native;
  native_.frames(key.node, time, [&](const StackFrame& frame) { native.push_back(frame); });
  if (key.python == 0) return native;
  return merge_chains(native, python_frames(chains_.at(key.python)), [&](const StackFrame& frame) {
    return native_.is_interpreter(frame.symbol);
  });
}

std::vector<PythonChainFrame> CallChains::python_frames(const Chain& chain) {
  std::vector<PythonChainFrame> frames;
  for (auto left = chain.frames; left.size() >= sizeof(wire::ChainFrame);
       left = left.subspan(sizeof(wire::ChainFrame))) {
    wire::ChainFrame frame;
    std::memcpy(&frame, left.data(), sizeof frame);
    frames.push_back({resolve(frame), frame.kind == wire::FrameKind::kPythonBelowNative});
  }
  if ((chain.flags & wire::kChainMaxDepth) != 0)
    frames.push_back({mark_frame(writer_, report::kMaxDepth), false});
  if ((chain.flags & wire::kChainBroken) != 0)
    frames.push_back({mark_frame(writer_, report::kBrokenChain), false});
  return frames;
}

// The text of the module contains the line, too, for readers that do not know the column `line`.
StackFrame CallChains::resolve(const wire::ChainFrame& frame) {
  const auto code = codes_.find(frame.code);
  const bool is_python =
      frame.kind == wire::FrameKind::kPython || frame.kind == wire::FrameKind::kPythonBelowNative;
  if (!is_python || code == codes_.end()) return mark_frame(writer_, report::kUnknownCode);
  const auto [known, is_new] = resolved_.try_emplace({frame.code, frame.position});
  if (is_new) {
    const wire::PythonCodeRecord& record = code->second.record;
    const std::int64_t line = line_of(record, code->second.lines, frame.position);
    StackFrame& resolved = known->second;
    resolved.symbol = writer_.string_id(strings_.text(record.name));
    resolved.module = writer_.string_id(fmt::format("{}:{}", strings_.text(record.file), line));
    if (line != 0) resolved.set<&StackFrame::line>(static_cast<std::int32_t>(line));
  }
  return known->second;
}

void CallChains::write_cuda(std::int64_t id, std::int64_t depth, const StackFrame& frame) {
  writer_.add("CUDA_CALLCHAINS", {id, frame.symbol, frame.module, flag(frame.is_unresolved),
                                  address_of(frame), depth, line_of(frame)});
}

void CallChains::write_osrt(std::int64_t id, std::int64_t depth, const StackFrame& frame) {
  writer_.add("OSRT_CALLCHAINS", {id, frame.symbol, frame.module, flag(frame.is_kernel),
                                  flag(false), flag(frame.is_unresolved), special_entry(frame),
                                  address_of(frame), frame.method, depth, line_of(frame)});
}

void CallChains::write_sample(std::int64_t id, std::int64_t depth, const StackFrame& frame) {
  writer_.add("PROF_PYTHON_CALLCHAINS",
              {id, frame.symbol, frame.module, flag(frame.is_unresolved), depth, line_of(frame)});
}

}  // namespace prof::ingest
