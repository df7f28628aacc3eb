#include "collector/spool/notes.hpp"

#include <gtest/gtest.h>

namespace prof::spool {
namespace {

template <class Note>
std::string text(const Note& note) {
  return NoteJson<Note>::text(note);
}
// The text of a note that was read and is written again.
template <class Note>
std::string rewritten(const std::string& json) {
  Notes notes;
  notes.add_text(json);
  return text(notes.first<Note>().value());
}

TEST(Notes, KeepTheirTextInBothDirections) {
  const std::string session =
      R"({"type":"session","version":"1.2","tick_rate":2000000000.5,"capture_ranges":true,)"
      R"("capture_ranges_numbered":false,"system":[["CpuCores",1,"2"],["\"",3,"\u0001"]],)"
      R"("gpus":["0000:06:00.0"],"capture":[["a","b"],["c","é\\"]]})";
  EXPECT_EQ(rewritten<SessionNote>(session), session);
  const std::string process =
      R"({"type":"process","name":"/bin/app","own_pid":1,"parent_serial":16,"pid":5000,"ppid":7,)"
      R"("serial":17,"time":18446744073709551615})";
  EXPECT_EQ(rewritten<ProcessNote>(process), process);
  const std::string process_end =
      R"({"type":"process_end","dropped":{"no_chunk":12,"reentered":1},"serial":16})";
  EXPECT_EQ(rewritten<ProcessEndNote>(process_end), process_end);
  const std::string end = R"({"type":"end","dropped":{"disk_full":3},"exit_status":1})";
  EXPECT_EQ(rewritten<EndNote>(end), end);
  const std::string diagnostic = R"({"type":"diagnostic","severity":2,"text":"t"})";
  EXPECT_EQ(rewritten<DiagnosticNote>(diagnostic), diagnostic);
  const std::string stream = R"({"type":"stream","content":"c","file":"f","pid":5})";
  EXPECT_EQ(rewritten<StreamNote>(stream), stream);
  const std::string module =
      R"({"type":"stack_module","build_id":"","id":2,"inode":9,"path":"/lib/a.so"})";
  EXPECT_EQ(rewritten<StackModuleNote>(module), module);
  const std::string jit_module =
      R"({"type":"stack_module","id":3,"jit_of":7,"path":"/tmp/perf-7.map"})";
  EXPECT_EQ(rewritten<StackModuleNote>(jit_module), jit_module);
  const std::string elsewhere =
      R"({"type":"stack_module","build_id":"","elsewhere":true,"id":4,"inode":9,"modified":5,)"
      R"("path":"/memfd:\\xe9"})";
  EXPECT_EQ(rewritten<StackModuleNote>(elsewhere), elsewhere);
  const std::string inherited =
      R"({"type":"stack_module","id":5,"inherited_from":[6,5],"jit_of":7,"path":"/tmp/perf-7.map"})";
  EXPECT_EQ(rewritten<StackModuleNote>(inherited), inherited);
  const std::string functions =
      R"({"type":"stack_functions","functions":[[16,"f"],[32,"g"]],"module":4})";
  EXPECT_EQ(rewritten<StackFunctionsNote>(functions), functions);
  const std::string jit_code =
      R"({"type":"jit_code","code":[[10,100,8,"f"],[20,500,8,100]],"pid":5})";
  EXPECT_EQ(rewritten<JitCodeNote>(jit_code), jit_code);
  const std::string jit_process = R"({"type":"jit_process","parent":0,"pid":5,"time":20})";
  EXPECT_EQ(rewritten<JitProcessNote>(jit_process), jit_process);
  const std::string metrics =
      R"({"type":"metric_source","counters":[["SMs Active [Throughput %]",17,"%"]],"gpu":1,"id":3,)"
      R"("name":"GPU 1","pid":5,"tid":6})";
  EXPECT_EQ(rewritten<MetricSourceNote>(metrics), metrics);
}

TEST(Notes, TheTypeMayComeLast) {
  Notes notes;
  notes.add_text(R"({"dropped":{"no_chunk":2},"serial":16,"type":"process_end"})");
  notes.add_text(R"({"type":"process_end","serial":17})");
  notes.add_text(R"({"stream":{"type":"process_end"},"serial":18})");
  ASSERT_EQ(notes.all<ProcessEndNote>().size(), 2U);
  EXPECT_EQ(notes.all<ProcessEndNote>()[0].serial, 16U);
  EXPECT_EQ(notes.all<ProcessEndNote>()[1].serial, 17U);
}

TEST(Notes, WhatIsNestedTooDeepIsLeftOut) {
  Notes notes;
  notes.add_text(R"({"type":"stream","pid":5,"file":)" + std::string(100'000, '[') +
                 std::string(100'000, ']') + "}");
  EXPECT_TRUE(notes.all<StreamNote>().empty());  // the file is not a text
}

TEST(Notes, LeaveOutKeysWithoutAMeaning) {
  EXPECT_EQ(text(EndNote{}), R"({"type":"end","exit_status":0})");
  EXPECT_EQ(text(ProcessEndNote{}), R"({"type":"process_end","dropped":{},"serial":0})");
  EXPECT_EQ(text(KernelLostNote{KernelSource::kSystemCalls, 5}),
            R"({"type":"kernel_lost","records":5})");
  EXPECT_EQ(text(KernelLostNote{KernelSource::kCpu, 5}),
            R"({"type":"kernel_lost","records":5,"source":1})");
  EXPECT_EQ(text(CpuRecordingNote{}), R"({"type":"cpu_recording","boot_id":""})");
  EXPECT_EQ(text(CpuRecordingNote{"id", {KernelSource::kCpu}, "timer", 1000}),
            R"({"type":"cpu_recording","boot_id":"id","period":1000,"sampler":"timer",)"
            R"("switches":[1]})");
}

TEST(Notes, NamesThatAreNotUtf8StayDifferent) {
  ProcessNote note;
  note.name = "/bin/caf\xe9";
  EXPECT_NE(text(note).find(R"("/bin/caf\\xe9")"), std::string::npos) << text(note);
}

TEST(Notes, TextsOfTheSessionAreAnyBytes) {
  SessionNote note;
  note.capture = {{"caf\xe9", "a\"b\\c\n\x7f"}};
  Notes notes;
  notes.add(note);
  const std::pair<std::string, std::string> row{"caf\\xe9", "a\"b\\c\n\x7f"};
  EXPECT_EQ(notes.session().capture.at(0), row);
}

TEST(Notes, TheSessionIsTheOneThatWasSet) {
  Notes notes;
  notes.add_text(R"({"type":"session","version":"1"})");
  SessionNote note;
  note.version = "2";
  notes.set_session(note);
  EXPECT_EQ(notes.session().version, "2");
}

TEST(Notes, TolerateMissingKeys) {
  Notes notes;
  notes.add_text(R"({"type":"process","pid":5})");
  notes.add_text(R"({"type":"process_end","dropped":{"no_chunk":"many","new_cause":4}})");
  notes.add_text("[]");
  notes.add_text("{");
  EXPECT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes.first<ProcessNote>()->own_pid, 5);
  EXPECT_EQ(notes.first<ProcessEndNote>()->dropped, (Drops{{DropCause::kUnknown, 4}}));
  EXPECT_FALSE(notes.first<EndNote>());
  EXPECT_TRUE(notes.all<StreamNote>().empty());
}

TEST(Notes, ItemsOfAnotherFormAreLeftOut) {
  Notes notes;
  for (const char* code : {"5", R"([1,[1,2],[1,2,3,{}],[1,"a",3,"x"]])"})
    notes.add_text(R"({"type":"jit_code","code":)" + std::string(code) + "}");
  notes.add_text(R"({"type":"jit_code"})");
  ASSERT_EQ(notes.all<JitCodeNote>().size(), 3U);
  for (const JitCodeNote& note : notes.all<JitCodeNote>()) EXPECT_TRUE(note.code.empty());
}

TEST(Notes, ADamagedNoteCostsOnlyItself) {
  const std::string type = R"({"type":5})", value = R"({"type":"stream","pid":"five"})",
                    text = R"({"type":"stream","pid")", none = "{";
  Notes notes;
  for (const std::string& each : {type, value, text, none}) notes.add_text(each);
  notes.add_text(R"({"type":"stream","pid":6})");
  notes.add_text(R"({"type":"end","exit_status":3})");
  EXPECT_EQ(notes.damaged_bytes(), type.size() + none.size());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(notes.first<EndNote>()->exit_status, 3);
    EXPECT_EQ(notes.first<StreamNote>()->pid, 6);
    ASSERT_EQ(notes.all<StreamNote>().size(), 1U);
    EXPECT_EQ(notes.damaged_bytes(), type.size() + none.size() + value.size() + text.size());
  }
}

TEST(Notes, BytesThatNoTextHasDamageOnlyTheirText) {
  Notes notes;
  notes.add_text(
      "{\"type\":\"process\",\"name\":\"/b\xe9n/s\x03h\xc3\xa9\",\"pid\":5,\"serial\":16}");
  const auto process = notes.first<ProcessNote>();
  ASSERT_TRUE(process);
  EXPECT_EQ(process->name, "/b?n/s?h\xc3\xa9");
  EXPECT_EQ(process->pid, 5);
  EXPECT_EQ(notes.damaged_bytes(), 0U);
}

}  // namespace
}  // namespace prof::spool
