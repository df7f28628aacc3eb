#include "collector/ingest/call_chains.hpp"

#include <fmt/format.h>

#include <cstring>

#include "collector/ingest/python_lines.hpp"
#include "injection/wire/python_stack.hpp"

namespace prof::ingest {

namespace {

// ENUM_STACK_UNWIND_METHOD: frames of an interpreter are in none of its methods.
constexpr std::int64_t kUnknownMethod = 0;

// nsys's word for a chain that goes on, and one for what could not be read.
constexpr std::string_view kMaxDepth = "[Max depth]";
constexpr std::string_view kBroken = "[Broken backtraces]";

std::int64_t line_of(const wire::PythonCodeRecord& code, std::span<const std::byte> table,
                     std::uint32_t position) {
  const PythonLines lines{code.version, code.first_line, table};
  return position == wire::kUnknownInstruction ? code.first_line : lines.line_at(position);
}

}  // namespace

void CallChains::define(const wire::PythonCodeRecord& record, std::span<const std::byte> lines) {
  codes_.try_emplace(record.key, Code{record, lines});
}

void CallChains::define(const wire::ChainRecord& record, std::span<const std::byte> frames) {
  chains_.try_emplace(record.chain, Chain{frames, record.header.flags});
}

std::int64_t CallChains::cuda_chain(std::uint64_t start) {
  return id_of(take(start), cuda_ids_, &CallChains::write_cuda);
}

std::int64_t CallChains::osrt_chain(std::uint64_t start) {
  return id_of(take(start), osrt_ids_, &CallChains::write_osrt);
}

std::int64_t CallChains::sample_chain(std::uint64_t chain) {
  return id_of(chain, sample_ids_, &CallChains::write_sample);
}

std::uint64_t CallChains::take(std::uint64_t start) {
  if (pending_.chain == 0 || pending_.start != start) return 0;
  return std::exchange(pending_, {}).chain;
}

std::int64_t CallChains::id_of(std::uint64_t hash, Ids& ids, Write write) {
  const auto chain = chains_.find(hash);
  if (chain == chains_.end()) return 0;
  const auto [known, is_new] =
      ids.try_emplace(chain->first, static_cast<std::int64_t>(ids.size()) + 1);
  if (is_new) write_frames(chain->second, known->second, write);
  return known->second;
}

void CallChains::write_frames(const Chain& chain, std::int64_t id, Write write) {
  std::int64_t depth = 0;
  for (auto left = chain.frames; left.size() >= sizeof(wire::ChainFrame);
       left = left.subspan(sizeof(wire::ChainFrame))) {
    wire::ChainFrame frame;
    std::memcpy(&frame, left.data(), sizeof frame);
    (this->*write)(id, depth++, resolve(frame));
  }
  if ((chain.flags & wire::kChainMaxDepth) != 0) (this->*write)(id, depth++, mark(kMaxDepth));
  if ((chain.flags & wire::kChainBroken) != 0) (this->*write)(id, depth++, mark(kBroken));
}

CallChains::Frame CallChains::mark(std::string_view text) {
  return {writer_.string_id(text), writer_.string_id("[Unknown]"), 0, false};
}

// The line goes into the text of the module, too: readers that know nothing of our column show it.
CallChains::Frame CallChains::resolve(const wire::ChainFrame& frame) {
  const auto code = codes_.find(frame.code);
  if (frame.kind != wire::FrameKind::kPython || code == codes_.end()) return mark("[Unknown]");
  const auto [known, is_new] = resolved_.try_emplace({frame.code, frame.position});
  if (is_new) {
    const wire::PythonCodeRecord& record = code->second.record;
    const std::int64_t line = line_of(record, code->second.lines, frame.position);
    const std::string place = fmt::format("{}:{}", strings_.text(record.file), line);
    known->second = {writer_.string_id(strings_.text(record.name)), writer_.string_id(place), line,
                     true};
  }
  return known->second;
}

void CallChains::write_cuda(std::int64_t id, std::int64_t depth, const Frame& frame) {
  writer_.add("CUDA_CALLCHAINS", {id, frame.symbol, frame.module, frame.unresolved(), nullptr,
                                  depth, frame.line_value()});
}

void CallChains::write_osrt(std::int64_t id, std::int64_t depth, const Frame& frame) {
  writer_.add("OSRT_CALLCHAINS",
              {id, frame.symbol, frame.module, nullptr, nullptr, frame.unresolved(), nullptr,
               nullptr, kUnknownMethod, depth, frame.line_value()});
}

void CallChains::write_sample(std::int64_t id, std::int64_t depth, const Frame& frame) {
  writer_.add("PROF_PYTHON_CALLCHAINS",
              {id, frame.symbol, frame.module, frame.unresolved(), depth, frame.line_value()});
}

}  // namespace prof::ingest
