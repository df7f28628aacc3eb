#include "injection/python/annotations.hpp"

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "injection/core/doors.hpp"
#include "injection/core/readable.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/python/operators/operator_observer.hpp"
#include "injection/python/torch_memory.hpp"

namespace prof::python {

namespace {

// The functions of Python's C interface that are used. All supported versions export them and
// guarantee to keep them. They are found by name, so one library serves all versions, and programs
// without Python.
struct Object;
using Function = Object* (*)(Object* self, Object* arguments);

struct MethodDefinition {
  const char* name;
  Function function;
  int flags;
  const char* documentation;
};
constexpr int kArguments = 1;    // METH_VARARGS
constexpr int kNoArguments = 4;  // METH_NOARGS
constexpr int kOneArgument = 8;  // METH_O
constexpr int kFileInput = 257;  // Py_file_input

struct Api {
  Object* (*import_module)(const char* name);
  Object* (*module_dict)(Object* module);
  Object* (*builtins)();
  int (*set_item)(Object* dict, const char* key, Object* value);
  Object* (*compile)(const char* text, const char* file, int start);
  Object* (*evaluate)(Object* code, Object* globals, Object* locals);
  Object* (*new_function)(MethodDefinition* definition, Object* self, Object* module);
  Object* (*new_bytes)(const char* data, std::ptrdiff_t size);
  char* (*bytes_data)(Object* bytes);
  Object* (*new_text)(const char* text);
  const char* (*text_data)(Object* text, std::ptrdiff_t* size);
  Object* (*to_text)(Object* object);
  int (*parse)(Object* arguments, const char* format, ...);
  Object* (*build)(const char* format, ...);
  Object* (*new_flag)(long value);
  void (*fetch_error)(Object** type, Object** value, Object** traceback);
  void (*clear_error)();
  void (*take_reference)(Object* object);
  void (*drop_reference)(Object* object);
  Object* none;
};
Api g_api;

template <class Pointer>
bool find(Pointer& pointer, const char* name) {
  pointer = reinterpret_cast<Pointer>(dlsym(RTLD_DEFAULT, name));
  return pointer != nullptr;
}

bool find_api(Api& api) {
  return find(api.import_module, "PyImport_AddModule") &&
         find(api.module_dict, "PyModule_GetDict") && find(api.builtins, "PyEval_GetBuiltins") &&
         find(api.set_item, "PyDict_SetItemString") && find(api.compile, "Py_CompileString") &&
         find(api.evaluate, "PyEval_EvalCode") && find(api.new_function, "PyCFunction_NewEx") &&
         find(api.new_bytes, "PyBytes_FromStringAndSize") &&
         find(api.bytes_data, "PyBytes_AsString") && find(api.new_text, "PyUnicode_FromString") &&
         find(api.text_data, "PyUnicode_AsUTF8AndSize") && find(api.to_text, "PyObject_Str") &&
         find(api.parse, "PyArg_ParseTuple") && find(api.build, "Py_BuildValue") &&
         find(api.new_flag, "PyBool_FromLong") && find(api.fetch_error, "PyErr_Fetch") &&
         find(api.clear_error, "PyErr_Clear") && find(api.take_reference, "Py_IncRef") &&
         find(api.drop_reference, "Py_DecRef") && find(api.none, "_Py_NoneStruct");
}

Object* none() {
  g_api.take_reference(g_api.none);
  return g_api.none;
}

// The `self` of a function is a bytes object that contains the kind of its range.
const core::RangeKind& kind_of(Object* self) {
  return *reinterpret_cast<const core::RangeKind*>(g_api.bytes_data(self));
}

Object* enter(Object* self, Object*) {
  core::push_range(kind_of(self));
  return none();
}

Object* leave(Object* self, Object*) {
  core::pop_range(kind_of(self).domain);
  return none();
}

Object* report(Object*, Object* text) {
  std::ptrdiff_t size = 0;
  const char* data = g_api.text_data(text, &size);
  if (data == nullptr) return nullptr;
  core::report_each(wire::DiagnosticCode::kRemark,
                    core::intern(data, static_cast<std::size_t>(size)));
  return none();
}

constinit MethodDefinition g_enter{"enter", enter, kNoArguments, nullptr};
constinit MethodDefinition g_leave{"leave", leave, kNoArguments, nullptr};

// The Python function make_range(domain, text, color) -> (enter, leave).
Object* make_range(Object*, Object* arguments) {
  const char* domain = nullptr;
  const char* text = nullptr;
  core::RangeKind kind{};
  if (g_api.parse(arguments, "ssI", &domain, &text, &kind.color) == 0) return nullptr;
  kind.domain = core::range_domain(domain);
  kind.text = core::intern(text);
  Object* self = g_api.new_bytes(reinterpret_cast<const char*>(&kind), sizeof kind);
  if (self == nullptr) return nullptr;
  Object* pair = g_api.build("(NN)", g_api.new_function(&g_enter, self, nullptr),
                             g_api.new_function(&g_leave, self, nullptr));
  g_api.drop_reference(self);  // the functions hold their own references
  return pair;
}

// peek(address, size) -> bytes, without those that cannot be read
Object* peek(Object*, Object* arguments) {
  unsigned long long address = 0;
  unsigned long long size = 0;
  if (g_api.parse(arguments, "KK", &address, &size) == 0) return nullptr;
  core::Reader reader;
  const auto* data = reinterpret_cast<const char*>(address);
  return g_api.new_bytes(data, reader.can_read(data, size) ? static_cast<std::ptrdiff_t>(size) : 0);
}

Object* begin_test(Object*, Object*) { return g_api.new_flag(begin_layout_test() ? 1 : 0); }

Object* expect(Object*, Object* arguments) {
  int call = 0;
  unsigned long long first = 0;
  unsigned long long second = 0;
  if (g_api.parse(arguments, "iKK", &call, &first, &second) == 0) return nullptr;
  expect_call(static_cast<KnownCall>(call), first, second);
  return none();
}

Object* end_test(Object*, Object*) { return g_api.new_flag(end_layout_test() ? 1 : 0); }

Object* give_type_a_name(Object*, Object* arguments) {
  int number = 0;
  const char* name = nullptr;
  if (g_api.parse(arguments, "is", &number, &name) == 0) return nullptr;
  name_type(static_cast<std::size_t>(number), name);
  return none();
}

Object* observe(Object*, Object* arguments) {
  unsigned long long sizes = 0;
  unsigned long long type = 0;
  unsigned long long dense = 0;
  if (g_api.parse(arguments, "KKK", &sizes, &type, &dense) == 0) return nullptr;
  observe_operators({.sizes = sizes, .type = type, .dense = dense});
  return none();
}

Object* record_memory(Object*, Object*) { return g_api.new_flag(record_torch_memory() ? 1 : 0); }

// What the sources below call.
constinit MethodDefinition g_functions[] = {
    {"make_range", make_range, kArguments, nullptr},
    {"report", report, kOneArgument, nullptr},
    {"peek", peek, kArguments, nullptr},
    {"begin_layout_test", begin_test, kNoArguments, nullptr},
    {"expect_call", expect, kArguments, nullptr},
    {"end_layout_test", end_test, kNoArguments, nullptr},
    {"name_type", give_type_a_name, kArguments, nullptr},
    {"observe_operators", observe, kArguments, nullptr},
    {"record_torch_memory", record_memory, kNoArguments, nullptr},
};

struct Source {
  const char* name;
  const char* text;
};
constexpr Source kSources[] = {
#include "python_sources.inc"
};

// Takes ownership of the reference `value`.
bool give(Object* dict, const char* name, Object* value) {
  const bool given = value != nullptr && g_api.set_item(dict, name, value) == 0;
  if (value != nullptr) g_api.drop_reference(value);
  return given;
}

bool run(const Source& source, Object* globals) {
  Object* code = g_api.compile(source.text, "<prof>", kFileInput);
  if (code == nullptr) return false;
  Object* result = g_api.evaluate(code, globals, globals);
  g_api.drop_reference(code);
  if (result != nullptr) g_api.drop_reference(result);
  return result != nullptr;
}

bool run_annotations() {
  Object* module = g_api.import_module("_prof_python");
  if (module == nullptr) return false;
  Object* globals = g_api.module_dict(module);
  bool is_ready = g_api.set_item(globals, "__builtins__", g_api.builtins()) == 0 &&
                  give(globals, "SESSION", g_api.new_text(core::g_process.session));
  for (MethodDefinition& function : g_functions)
    is_ready =
        is_ready && give(globals, function.name, g_api.new_function(&function, nullptr, nullptr));
  if (!is_ready) return false;
  // The last source uses what the others define.
  for (const Source& source : kSources)
    if (!run(source, globals)) return false;
  return true;
}

void report_error() {
  Object* type = nullptr;
  Object* value = nullptr;
  Object* traceback = nullptr;
  g_api.fetch_error(&type, &value, &traceback);
  Object* text = value == nullptr ? nullptr : g_api.to_text(value);
  Object* reported = text == nullptr ? nullptr : report(nullptr, text);
  for (Object* object : {type, value, traceback, text, reported})
    if (object != nullptr) g_api.drop_reference(object);
  g_api.clear_error();
}

bool g_done;

// The audit hook. Python calls it when it is about to run the program, with any command line. At
// that time the interpreter is ready, and no code of the program has run.
int on_event(const char* event, Object*, void*) {
  constexpr char kRun[] = "cpython.run_";
  if (g_done || std::strncmp(event, kRun, sizeof kRun - 1) != 0) return 0;
  g_done = true;
  if (!find_api(g_api)) return 0;
  const core::Calls calls = core::t_state.calls;
  core::t_state.calls = core::kMuted;  // this code's own loads and reads are not recorded
  if (!run_annotations()) report_error();
  core::t_state.calls = calls;
  return 0;
}

}  // namespace

void annotate_at_start() {
  using Hook = int (*)(const char*, Object*, void*);
  int (*add_hook)(Hook, void*) = nullptr;
  if (find(add_hook, "PySys_AddAuditHook")) add_hook(on_event, nullptr);
}

}  // namespace prof::python
