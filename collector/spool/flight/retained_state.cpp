#include "collector/spool/flight/retained_state.hpp"

#include <algorithm>
#include <cstring>

namespace prof::spool {

namespace {

constexpr std::size_t kMaxDiagnostics = 200;
constexpr std::size_t kMaxJitBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxKernelNames = 65536;

}  // namespace

void RetainedState::fold(const Spool& segment) {
  ++folds_;
  fold_notes(segment.notes);
  for (const Piece& piece : segment.pieces) {
    definitions_.take(piece.header, piece.bytes);
    definitions_.notice_uses(piece.bytes);
  }
  open_ranges_.fold(segment.pieces);
  fold_names(segment.kernel_pieces);
  fold_nodes(segment.stack_pieces);
  fold_ends(segment.notes);
}

void RetainedState::fold_notes(const Notes& notes) {
  const auto keep = [&]<class Note>(const Note& note) {
    notes_.push_back(NoteJson<Note>::text(note));
  };
  notes.for_each<SessionNote>(keep);
  notes.for_each<CpuRecordingNote>(keep);
  notes.for_each<TracepointsNote>(keep);
  notes.for_each<StackModuleNote>(keep);
  notes.for_each<StackFunctionsNote>(keep);
  notes.for_each<MetricSourceNote>(keep);
  notes.for_each<SystemFactsNote>(keep);
  notes.for_each<ClockNote>([&](ClockNote&& note) { clocks_ = std::move(note); });
  notes.for_each<DiagnosticNote>([&](const DiagnosticNote& note) {
    if (texts_.size() < kMaxDiagnostics && texts_.insert(note.text).second) keep(note);
  });
  notes.for_each<JitCodeNote>(
      [&](const JitCodeNote& note) { add_jit(NoteJson<JitCodeNote>::text(note)); });
  notes.for_each<JitProcessNote>(
      [&](const JitProcessNote& note) { add_jit(NoteJson<JitProcessNote>::text(note)); });
  notes.for_each<ProcessNote>([&](ProcessNote&& note) {
    const std::uint32_t serial = note.serial;
    processes_[serial] = {std::move(note), false};
  });
}

// If a compiler compiles for weeks, only the newest code is kept: it is the code that runs.
void RetainedState::add_jit(std::string note) {
  jit_bytes_ += note.size();
  jit_notes_.push_back(std::move(note));
  if (jit_bytes_ <= kMaxJitBytes) return;
  const auto half = static_cast<std::ptrdiff_t>(jit_notes_.size() / 2);
  for (auto at = jit_notes_.begin(); at != jit_notes_.begin() + half; ++at)
    jit_bytes_ -= at->size();
  jit_notes_.erase(jit_notes_.begin(), jit_notes_.begin() + half);
}

// A child may refer to definitions of its parent, even after the parent has ended.
void RetainedState::fold_ends(const Notes& notes) {
  bool any = false;
  notes.for_each<ProcessEndNote>([&](const ProcessEndNote& note) {
    open_ranges_.forget(note.serial);
    const auto found = processes_.find(note.serial);
    if (found == processes_.end()) return definitions_.forget(note.serial);
    found->second.has_ended = any = true;
  });
  while (any) {
    any = false;
    std::set<std::uint32_t> parents;
    for (const auto& [serial, process] : processes_) parents.insert(process.note.parent_serial);
    for (auto at = processes_.begin(); at != processes_.end();) {
      if (!at->second.has_ended || parents.contains(at->first)) {
        ++at;
        continue;
      }
      definitions_.forget(at->first);
      at = processes_.erase(at);
      any = true;
    }
  }
}

void RetainedState::fold_nodes(std::span<const StackPiece> pieces) {
  for (const StackPiece& piece : pieces) {
    if ((piece.header.flags & kNewGeneration) != 0) {
      nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(generation_));
      generation_ = nodes_.size();
    }
    nodes_.emplace_back(piece.header,
                        std::vector<std::byte>(piece.nodes.begin(), piece.nodes.end()));
  }
}

void RetainedState::fold_names(std::span<const KernelPiece> pieces) {
  for (const KernelPiece& piece : pieces)
    for (auto rest = piece.bytes; rest.size() >= sizeof(KernelRecord);) {
      KernelName named{};
      std::memcpy(&named.record, rest.data(), sizeof named.record);
      rest = rest.subspan(sizeof named.record);
      if (named.record.type == KernelRecordType::kTracepoint) {
        rest = rest.subspan(std::min(rest.size(), padded_length(named.record.length)));
        continue;
      }
      const std::pair key(piece.header.source, named.record.tid);
      if (named.record.type == KernelRecordType::kThreadEnd) {
        kernel_names_.erase(key);
      } else if (named.record.type == KernelRecordType::kFork) {
        const auto creator = kernel_names_.find({piece.header.source, named.record.value});
        if (creator == kernel_names_.end() || kernel_names_.size() >= kMaxKernelNames) continue;
        named.name = creator->second.name;
        named.record.type = KernelRecordType::kName;
        named.record.flags = kNameFromProc;
        kernel_names_[key] = named;
      } else if (named.record.type == KernelRecordType::kName) {
        if (rest.size() < sizeof named.name) break;
        std::memcpy(&named.name, rest.data(), sizeof named.name);
        rest = rest.subspan(sizeof named.name);
        if (kernel_names_.size() < kMaxKernelNames || kernel_names_.contains(key))
          kernel_names_[key] = named;
      }
    }
}

void RetainedState::shrink(const std::function<void(const Visit&)>& kept,
                           const std::function<bool(pid_t, std::uint32_t)>& lives) {
  forgotten_ += definitions_.shrink(
      most_bytes_ / 2,
      {[&](const Visit& visit) {
         kept(visit);
         open_ranges_.for_each(
             [&](const PieceHeader&, std::span<const std::byte> bytes) { visit(bytes); });
       },
       [&](std::uint32_t serial, std::uint32_t tid) {
         const auto process = processes_.find(serial);
         return process != processes_.end() && !process->second.has_ended &&
                lives(process->second.note.pid, tid);
       }});
  after_shrinking_ = definitions_.bytes();
  folds_ = 0;
}

base::Status RetainedState::write(SpoolWriter& to) const {
  base::Status status;
  const auto then = [&](auto&& write) {
    if (status) status = write();
  };
  for (const auto* notes : {&notes_, &jit_notes_})
    for (const std::string& note : *notes) then([&] { return to.note_text(note); });
  if (clocks_) then([&] { return to.note(*clocks_); });
  for (const auto& [serial, process] : processes_)
    then([&, &note = process.note] { return to.note(note); });
  for (const auto& [header, nodes] : nodes_)
    then([&, &header = header, &nodes = nodes] { return to.stack_nodes(header, nodes); });
  for (const auto& [key, named] : kernel_names_)
    then([&, &key = key, &named = named] {
      return to.kernel_records({kNoCpu, key.first}, std::as_bytes(std::span(&named, 1)));
    });
  const auto records = [&](const PieceHeader& piece, std::span<const std::byte> bytes) {
    then([&] { return to.records(piece, bytes); });
  };
  definitions_.for_each(records);
  open_ranges_.for_each(records);
  return status;
}

}  // namespace prof::spool
