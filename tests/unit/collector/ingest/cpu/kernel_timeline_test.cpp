#include "collector/ingest/cpu/kernel_timeline.hpp"

#include <gtest/gtest.h>

#include "tests/unit/kernel_record_bytes.hpp"

namespace prof::ingest {
namespace {

using test::KernelRecordBytes;
using Type = spool::KernelRecordType;

TEST(KernelTimeline, MergesCpusByTime) {
  KernelRecordBytes first, second, third;
  first.add(Type::kEnter, 1, 1, 1).name(5, 1, 1, "a name").add(Type::kExit, 6, 1, 1);
  second.add(Type::kEnter, 2, 1, 1).add(Type::kExit, 8, 1, 1);
  third.add(Type::kEnter, 7, 1, 1);  // a later piece of the first CPU
  const spool::KernelPiece pieces[] = {
      {{0}, first.bytes()}, {{9}, second.bytes()}, {{0}, third.bytes()}};
  std::string seen;
  EXPECT_EQ(for_each_kernel_event(
                pieces, spool::KernelSource::kSystemCalls, std::pmr::get_default_resource(),
                [&](const KernelEvent& event) {
                  seen += std::to_string(event.record.time) + "@" + std::to_string(event.cpu) +
                          std::string(event.name) + " ";
                }),
            0U);
  EXPECT_EQ(seen, "1@0 2@9 5@0a name 6@0 7@0 8@9 ");
}

TEST(KernelTimeline, CutOffAndUnknownRecordsEndTheirPieceOnly) {
  KernelRecordBytes good, unknown, named;
  good.add(Type::kEnter, 1, 1, 1).add(Type::kExit, 2, 1, 1);
  unknown.add(static_cast<Type>(77), 3, 1, 1).add(Type::kEnter, 4, 1, 1);
  named.name(5, 1, 1, "cut");
  const spool::KernelPiece pieces[] = {{{0}, good.bytes().first(47)},
                                       {{0}, unknown.bytes()},
                                       {{0}, named.bytes().first(30)},
                                       {{0}, good.bytes()}};
  int events = 0;
  EXPECT_EQ(for_each_kernel_event(pieces, spool::KernelSource::kSystemCalls,
                                  std::pmr::get_default_resource(),
                                  [&](const KernelEvent&) { ++events; }),
            23U + 48U + 30U);
  EXPECT_EQ(events, 3);
}

TEST(KernelTimeline, NamesNeedNoEnd) {
  KernelRecordBytes records;
  records.name(1, 1, 1, "0123456789abcdefghij");
  const spool::KernelPiece piece{{0}, records.bytes()};
  for_each_kernel_event(
      {&piece, 1}, spool::KernelSource::kSystemCalls, std::pmr::get_default_resource(),
      [](const KernelEvent& event) { EXPECT_EQ(event.name, "0123456789abcdef"); });
}

}  // namespace
}  // namespace prof::ingest
