// The spool: everything a session records, in arrival order, in one append-only file beside the
// output. It is what the report is made from, at the end of a session or, if the collector died, by
// `prof recover`. Layout in docs/wire-format.md.
//
// A block is written with one writev; a reader passes over what is not a whole block.
//
// Some room on the disk is kept for the notes that close a session, so that a recording which
// filled the disk is complete up to a moment and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/mapped_file.hpp"
#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/spool/clock_model.hpp"
#include "collector/spool/kernel_records.hpp"
#include "collector/spool/stack_records.hpp"

namespace prof::spool {

inline constexpr char kSpoolMagic[8] = {'p', 'r', 'o', 'f', 's', 'p', 'l', '1'};

// Where a run of records comes from.
struct PieceHeader {
  std::uint32_t serial;  // process image
  std::uint32_t tid;
  std::uint64_t claimed;  // when the thread took the chunk: orders the chunks of a thread
  std::uint32_t offset;   // of the first byte in that chunk's records
  std::uint32_t reserved;
};

class SpoolWriter {
 public:
  // Creates the file; fails if it exists. It stays locked (flock) as long as it is written.
  static base::Result<SpoolWriter> create(const std::string& path);
  SpoolWriter(SpoolWriter&&) = default;
  SpoolWriter& operator=(SpoolWriter&&) = delete;
  // Gives back what was kept and not used.
  ~SpoolWriter();

  base::Status note(const nlohmann::json& note);
  // The same for those that must not be missing: of the last room.
  base::Status closing_note(const nlohmann::json& note);
  base::Status clock(const ClockTriple& triple);
  base::Status records(const PieceHeader& piece, std::span<const std::byte> bytes);
  base::Status kernel_records(const KernelPieceHeader& piece, std::span<const std::byte> bytes);
  base::Status stack_nodes(const StackPieceHeader& piece, std::span<const std::byte> bytes);

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  // Did the last failure mean that there is no more space?
  bool is_full() const { return full_; }
  // Has somebody else deleted the file, or cut off what was written? (It goes on behind the cut.)
  bool is_deleted() const;
  bool was_truncated() const { return truncated_; }
  // The file itself, also when its name has gone.
  base::UniqueFd duplicate() const;

 private:
  SpoolWriter(std::string path, base::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  base::Status append_note(const nlohmann::json& note, std::uint64_t reserve);
  // Keeps `reserve` bytes for later.
  base::Status append(std::uint32_t kind, std::span<const std::byte> head,
                      std::span<const std::byte> body, std::uint64_t reserve);
  int allocate(std::uint64_t end);
  void follow_truncation();
  void cut();

  std::string path_;
  base::UniqueFd fd_;
  std::uint64_t bytes_ = 0;      // length of the file up to the last whole block
  std::uint64_t allocated_ = 0;  // space that the file has on the disk
  std::uint64_t limit_ = 0;      // RLIMIT_FSIZE
  bool preallocates_ = true;     // the file system can
  bool full_ = false;
  bool truncated_ = false;
};

// One drained run of records, inside the mapped spool.
struct Piece {
  PieceHeader header;
  std::span<const std::byte> bytes;
};

// A whole spool, read and indexed; `pieces` point into the mapping.
class Spool {
 public:
  Spool();
  Spool(Spool&&) noexcept;
  Spool& operator=(Spool&&) noexcept;
  ~Spool();
  static base::Result<Spool> open(const std::string& path);
  // Reads an open file; `path` is for messages.
  static base::Result<Spool> open(int fd, const std::string& path);
  // Parses bytes that outlive the result.
  static base::Result<Spool> parse(std::span<const std::byte> bytes);

  // The first note of a type; an empty object if there is none.
  nlohmann::json note(std::string_view type) const;

  std::vector<nlohmann::json> notes;
  std::vector<ClockTriple> clocks;
  std::vector<Piece> pieces;
  std::vector<KernelPiece> kernel_pieces;
  std::vector<StackPiece> stack_pieces;  // in the order of their numbers
  std::uint64_t record_bytes = 0;        // over all pieces
  std::uint64_t ignored_bytes = 0;       // that belong to no whole block

 private:
  void take_block(std::uint32_t kind, std::span<const std::byte> payload);

  base::MappedFile file_;
};

}  // namespace prof::spool
