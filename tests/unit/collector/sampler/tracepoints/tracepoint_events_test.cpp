#include "collector/sampler/tracepoints/tracepoint_events.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "tests/unit/collector/sampler/record_body.hpp"
#include "tests/unit/kernel_record_bytes.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::sampler {
namespace {

using spool::KernelRecord;
using spool::KernelRecordType;
using Body = test::RecordBody;

constexpr std::uint16_t kFirst = 443;
constexpr std::uint16_t kSecond = 442;

class TracepointRecordsTest : public ::testing::Test {
 protected:
  void add(const Body& body) { records_.add({PERF_RECORD_SAMPLE, 0, body.bytes()}); }
  std::vector<std::byte> kept() const { return {records_.bytes().begin(), records_.bytes().end()}; }
  TracepointRecords records_{{kFirst, kSecond}};
};

TEST_F(TracepointRecordsTest, KeepTheFieldsAndTheNumberOfTheTracepoint) {
  add(Body().ids().raw(kSecond, 39));
  const auto fields = Body().raw(kSecond, 39);
  const auto text = fields.bytes().subspan(sizeof(std::uint32_t));
  test::KernelRecordBytes expected;
  expected.tracepoint(1000, 10, 11, 1, {reinterpret_cast<const char*>(text.data()), text.size()});
  EXPECT_EQ(kept(), (std::vector<std::byte>(expected.bytes().begin(), expected.bytes().end())));
}

TEST_F(TracepointRecordsTest, IgnoresOtherTracepointsAndShortRecords) {
  add(Body().ids().raw(1, 39));
  add(Body().ids().raw(kFirst, 39, 21));
  add(Body().ids().add(std::uint32_t{1}).add(std::uint8_t{1}));
  EXPECT_TRUE(kept().empty());
}

TEST(EnabledTracepoints, AreThoseOfFtrace) {
  const test::TemporaryDirectory directory;
  directory.write("set_event", "sched:sched_switch\nirq:irq_handler_entry\nno colon\n");
  EXPECT_EQ(enabled_tracepoints({"/missing", directory.file("")}),
            (std::vector<std::string>{"sched/sched_switch", "irq/irq_handler_entry"}));
}

}  // namespace
}  // namespace prof::sampler
