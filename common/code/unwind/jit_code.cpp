#include "common/code/unwind/jit_code.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace prof::unwind {
namespace {

// The address at which the call frame information of each piece of code is linked.
constexpr std::uint64_t kLinkedAt = 0x1000;

constexpr std::size_t kMaxCode = 1U << 20;  // pieces of code of one process
constexpr std::size_t kMaxTableBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxDumps = 1024;  // found and not taken yet
constexpr std::size_t kMaxStraight = 4096;

// Trampolines are short. Longer code is not followed.
constexpr std::size_t kStraightBytes = 64;
constexpr std::size_t kPage = 4096;

// Two reports of a fork within this time (ns) are of the same fork.
constexpr std::uint64_t kSameFork = 1'000'000'000;

std::size_t read_process(pid_t pid, std::uint64_t address, std::span<std::byte> bytes) {
  // The code is read in two pieces, because the next page may not be mapped.
  const std::size_t first = std::min<std::size_t>(bytes.size(), kPage - address % kPage);
  iovec local{bytes.data(), bytes.size()};
  const iovec remote[] = {{reinterpret_cast<void*>(address), first},
                          {reinterpret_cast<void*>(address + first), bytes.size() - first}};
  const ssize_t count = process_vm_readv(pid, &local, 1, remote, 2, 0);
  return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
}

}  // namespace

void JitCode::load(std::uint64_t time, std::uint64_t address, std::uint64_t size,
                   std::shared_ptr<CfiTable> frames) {
  if (loaded_.size() >= kMaxCode) return;
  history_.add(address, size, time, static_cast<std::uint32_t>(loaded_.size()));
  loaded_.push_back({address, std::move(frames)});
}

void JitCode::move(const symbols::JitMove& move) {
  const auto moved = history_.find(move.from, move.time);
  history_.end(move.from, move.size, move.time);
  load(move.time, move.to, move.size, moved ? loaded_[*moved].frames : nullptr);
}

void JitCode::inherit(const JitCode& parent, std::uint64_t time) {
  forked_at_ = time;
  history_ = parent.history_;
  loaded_ = parent.loaded_;
}

std::optional<JitCode::Rules> JitCode::rules(std::uint64_t address, std::uint64_t time) const {
  const auto found = history_.find(address, time);
  if (!found) return {};
  const Loaded& code = loaded_[*found];
  if (!code.frames || address < code.address) return {};
  const FrameRules* rules = code.frames->find(address - code.address + kLinkedAt);
  if (!rules->is_usable) return {};
  return Rules{*code.frames, *rules};
}

const StraightFrame* JitCode::straight_frame(std::uint64_t address) {
  if (std::exchange(straight_round_, round_) != round_ || straight_.size() >= kMaxStraight)
    straight_.clear();
  const auto [frame, is_new] = straight_.try_emplace(address);
  if (is_new) frame->second = read_straight_frame(address);
  return frame->second ? &*frame->second : nullptr;
}

std::optional<StraightFrame> JitCode::read_straight_frame(std::uint64_t address) const {
  std::byte code[kStraightBytes];
  if (pid_ == 0) return {};
  return follow_straight_code(std::span(code).first(read_process(pid_, address, code)));
}

std::shared_ptr<JitCode> JitCodes::of(pid_t pid) {
  if (codes_.size() >= max_codes_) drop_unused();
  auto& known = codes_[pid];
  auto code = known.lock();
  if (!code) known = code = std::make_shared<JitCode>(pid, round_);
  return code;
}

void JitCodes::drop_unused() {
  std::erase_if(codes_, [](const auto& each) { return each.second.expired(); });
  max_codes_ = 2 * codes_.size() + 256;
}

std::shared_ptr<JitCode> JitCodes::fork(pid_t parent, pid_t child, std::uint64_t time) {
  const auto before = of(parent);
  if (auto known = codes_[child].lock();
      known && known->forked_at() != 0 &&
      std::max(time, known->forked_at()) - std::min(time, known->forked_at()) < kSameFork)
    return known;
  auto code = std::make_shared<JitCode>(child, round_);
  code->inherit(*before, time);
  codes_[child] = code;
  if (!before->is_empty()) changes_.push_back({child, parent, time});
  return code;
}

void JitCodes::exec(pid_t pid, std::uint64_t time) {
  const auto code = codes_.find(pid);
  const auto known = code == codes_.end() ? nullptr : code->second.lock();
  if (!known || known->is_empty()) return;
  known->end_all(time);
  changes_.push_back({pid, 0, time});
}

void JitCodes::found_dump(pid_t pid, const std::string& path, std::uint64_t inode) {
  if (pid != 0 && dumps_.size() < kMaxDumps) dumps_.push_back({pid, path, inode});
}

std::shared_ptr<CfiTable> JitCodes::frames(symbols::Bytes eh_frame, std::uint64_t code_size) {
  if (eh_frame.empty()) return nullptr;
  std::string key(reinterpret_cast<const char*>(&code_size), sizeof code_size);
  key.append(reinterpret_cast<const char*>(eh_frame.data()), eh_frame.size());
  if (const auto known = tables_.find(key); known != tables_.end()) return known->second;
  if (table_bytes_ + eh_frame.size() > kMaxTableBytes) return nullptr;
  table_bytes_ += eh_frame.size();
  FrameSections sections;
  sections.eh_frame.address = kLinkedAt + ((code_size + 7) & ~std::uint64_t{7});
  sections.eh_frame.bytes = std::move(eh_frame);
  return tables_[std::move(key)] = std::make_shared<CfiTable>(sections, kLinkedAt);
}

void JitCodes::forget_before(std::uint64_t time) {
  for (const auto& [pid, code] : codes_)
    if (const auto held = code.lock()) held->forget_before(time);
}

}  // namespace prof::unwind
