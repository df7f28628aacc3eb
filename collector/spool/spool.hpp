// The spool: everything that a session records, in the order of arrival, in one append-only file
// beside the output. The report is made from it, at the end of the session or, if the collector
// died, by `prof recover`. docs/wire-format.md describes the layout.
//
// One writev writes a block, or several. A reader skips incomplete blocks.
//
// The writer reserves disk space for the last notes of a session. A recording that fills the disk
// is complete up to some moment and says so.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/spool/clock_model.hpp"
#include "collector/spool/kernel_records.hpp"
#include "collector/spool/metric_records.hpp"
#include "collector/spool/notes.hpp"
#include "collector/spool/stack_records.hpp"
#include "common/base/mapped_file.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::spool {

inline constexpr char kSpoolMagic[8] = {'p', 'r', 'o', 'f', 's', 'p', 'l', '1'};

// The origin of consecutive records.
struct PieceHeader {
  std::uint32_t serial;  // process image
  std::uint32_t tid;
  std::uint64_t claimed;  // when the thread claimed the chunk: orders the chunks of a thread
  std::uint32_t offset;   // position of the first byte among that chunk's records
  std::uint32_t reserved;
};

class SpoolWriter {
 public:
  // Creates the file; fails if it exists. The file stays held (held_file.hpp) as long as it is
  // written. It gets its name when it is locked and is a recording, so nobody sees an unfinished
  // file.
  static base::Result<SpoolWriter> create(const std::string& path);
  SpoolWriter(SpoolWriter&&) = default;
  SpoolWriter& operator=(SpoolWriter&&) = delete;
  // Gives unused reserved disk space back.
  ~SpoolWriter();

  template <class Note>
  base::Status note(const Note& note) {
    return append_note(NoteJson<Note>::text(note), kLastReserve);
  }
  // Writes a note that must not be missing: it may use all of the reserved space.
  template <class Note>
  base::Status last_note(const Note& note) {
    return append_note(NoteJson<Note>::text(note), 0);
  }
  // Writes a note that is JSON already.
  base::Status note_text(std::string_view json) { return append_note(json, kLastReserve); }
  base::Status clock(const ClockTriple& triple);
  base::Status records(const PieceHeader& piece, std::span<const std::byte> bytes);
  base::Status kernel_records(const KernelPieceHeader& piece, std::span<const std::byte> bytes);
  base::Status stack_nodes(const StackPieceHeader& piece, std::span<const std::byte> bytes);
  base::Status metric_samples(const MetricPieceHeader& piece, std::span<const std::byte> bytes);

  // Writes whole blocks of another spool.
  base::Status blocks(std::span<const std::byte> blocks);

  // From now on small blocks are collected and written together, until flush(). Their disk space is
  // allocated at once. If the file system cannot allocate in advance, blocks are written at once.
  void collect() { collects_ = preallocates_; }
  // Writes the collected blocks. If that fails, they are not in the file and stay collected.
  base::Status flush();
  // Forgets the blocks that could not be written. Calls `visit` with the processes' records of
  // each.
  void discard(const std::function<void(std::span<const std::byte> records)>& visit);

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  // True if the last failure was caused by a lack of disk space.
  bool is_full() const { return full_; }
  // True if another program deleted the file, or truncated it. (After a truncation, writing
  // continues.)
  bool is_deleted() const;
  bool was_truncated() const { return truncated_; }
  // Allocates disk space even if the recording is short. Called when it has lasted a while.
  base::Status secure_space();
  // Returns a descriptor of the file, even if the file was deleted.
  base::UniqueFd duplicate() const;

 private:
  SpoolWriter(std::string path, base::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  // Disk space that an ordinary note leaves for the last notes.
  static constexpr std::uint64_t kLastReserve = 8 << 10;

  base::Status append_note(std::string_view json, std::uint64_t reserve);
  // Leaves `reserve` bytes of disk space for later.
  base::Status append(std::uint32_t kind, std::span<const std::byte> head,
                      std::span<const std::byte> body, std::uint64_t reserve);
  base::Status flush_collected();
  base::Status write_blocks(std::span<const iovec> parts, std::uint64_t bytes);
  base::Status failed(int error);
  int allocate(std::uint64_t end);
  void follow_truncation();
  void cut();

  std::string path_;
  base::UniqueFd fd_;
  std::uint64_t bytes_ = 0;      // length of the file up to the end of the last whole block
  std::uint64_t allocated_ = 0;  // disk space of the file
  std::uint64_t limit_ = 0;      // RLIMIT_FSIZE
  bool waits_ = false;           // the first bytes have no disk space yet
  bool preallocates_ = true;     // the file system can allocate space in advance
  bool collects_ = false;
  std::vector<std::byte> collected_;  // collected whole blocks
  bool full_ = false;
  bool truncated_ = false;
};

// Records that were drained together, inside the mapped spool.
struct Piece {
  PieceHeader header;
  std::span<const std::byte> bytes;
};

// A spool that was read. The pieces point into the mapping.
class Spool {
 public:
  using Memory = std::pmr::memory_resource;

  // Keeps data that grows with the length of the recording in `memory`.
  explicit Spool(Memory* memory = std::pmr::get_default_resource())
      : notes(memory),
        pieces(memory),
        kernel_pieces(memory),
        stack_pieces(memory),
        metric_pieces(memory) {}

  static base::Result<Spool> open(const std::string& path);
  // Reads an open file; `path` is used in messages.
  static base::Result<Spool> open(int fd, const std::string& path,
                                  Memory* memory = std::pmr::get_default_resource());
  // Parses bytes, which must outlive the result.
  static base::Result<Spool> parse(std::span<const std::byte> bytes,
                                   Memory* memory = std::pmr::get_default_resource());

  // True if the bytes start like a recording.
  static bool is_recording(std::span<const std::byte> bytes);
  // True if the recording has events or an end, or if the part before them is damaged. Reads only
  // up to there.
  static bool has_content(std::span<const std::byte> bytes);

  Notes notes;
  std::vector<ClockTriple> clocks;
  std::pmr::vector<Piece> pieces;
  std::pmr::vector<KernelPiece> kernel_pieces;
  std::pmr::vector<StackPiece> stack_pieces;  // in the order of their numbers
  std::pmr::vector<MetricPiece> metric_pieces;
  std::uint64_t record_bytes = 0;   // size of the records in all pieces
  std::uint64_t ignored_bytes = 0;  // bytes that are not part of a whole block

 private:
  void take_block(std::uint32_t kind, std::span<const std::byte> payload);

  base::MappedFile file_;
};

}  // namespace prof::spool
