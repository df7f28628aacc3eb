"""NVTX ranges made of Python: functions of modules, PyTorch, the interpreter's lock."""
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict

import pytest
from profiling import DOMAIN_CREATE, PUSH_POP, prof, profile, source_of
from test_python import PYTHONS

WHERE = [
    {"_comment": "nsys's form", "domain": "Known", "module": "known", "color": "blue",
     "functions": ["plain", "outer", "fails", "generator", "coroutine", "async_generator", "cached",
                   "decorated", "in_thread", "Thing.method", "Thing.static", "Thing.of_class",
                   {"function": "Thing.attribute", "color": "0xff0000"}, "Thing.__call__",
                   "Thing.inherited"]},
    {"module": "never_imported", "functions": ["f"]},
]


def functions(tmp_path, where, *command, options=(), traces="none", **more):
    file = tmp_path / "functions.json"
    file.write_text(json.dumps(where))
    return profile(tmp_path, *command, traces=traces,
                   options=(f"--python-functions-trace={file}", *options), **more)


def counts(report, domain):
    return Counter(row["name"] for row in report.nvtx(PUSH_POP, domain) if row["end"] is not None)


@pytest.mark.parametrize("python", PYTHONS)
def test_functions_of_a_module(tmp_path, python):
    plain = subprocess.run([python, source_of("python_functions.py"), "x"], capture_output=True, text=True, check=True)
    report = functions(tmp_path, WHERE, python, source_of("python_functions.py"), "x")
    assert counts(report, "Known") == report.expected()["ranges"]
    assert report.expected()["says"] == json.loads(plain.stdout.splitlines()[-1])["says"]
    colors = {row["name"]: row["color"] for row in report.nvtx(PUSH_POP, "Known")}
    assert colors.pop("known.Thing.attribute") == 0xFFFF0000 and set(colors.values()) == {0xFF0000FF}
    outer = next(row for row in report.nvtx(PUSH_POP, "Known") if row["name"] == "known.outer")
    inner = [row for row in report.nvtx(PUSH_POP, "Known") if row["name"] == "known.plain"
             and outer["start"] < row["start"] < outer["end"] and row["tid"] == outer["tid"]]
    assert len(inner) == 2 and all(row["end"] <= outer["end"] for row in inner)
    assert len({row["tid"] for row in report.nvtx(PUSH_POP, "Known") if row["name"] == "known.in_thread"}) == 3
    assert not [text for text in report.diagnostics() if "not shown" in text]


# prof needs nothing of the program's own for this: no variable, no option, no file.
@pytest.mark.parametrize("options", [(), ("-I",), ("-S",), ("-E",), ("-I", "-S", "-B")])
def test_the_program_sees_no_difference(tmp_path, options):
    look = ("import os, sys, json; json.dumps(1); "
            "print(sys.path, sys.flags, sys.argv, os.environ.get('PYTHONPATH'), "
            "len(os.listdir('/proc/self/fd')), vars(sys.modules['__main__']).keys())")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, *options, "-c", look, "argument"]
    plain = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    report = functions(tmp_path, [{"module": "json", "functions": ["dumps"]}], *command, env=environment)
    assert report.done.stdout == plain.stdout
    assert counts(report, "Python functions") == {"json.dumps": 1}


def test_the_users_own_sitecustomize(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import json\nfrom json import dumps\nprint('mine')\n")
    report = functions(tmp_path, [{"module": "json", "functions": ["dumps"]}], sys.executable, "-c",
                       "import json, sitecustomize; json.dumps(1); sitecustomize.dumps(2)",
                       env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert report.done.stdout == "mine\n"
    assert counts(report, "Python functions") == {"json.dumps": 2}


@pytest.mark.parametrize("how", [("{}/script.py",), ("-m", "script"), ("{}",)])
def test_ways_to_start(tmp_path, how):
    for name in ("script.py", "__main__.py"):
        (tmp_path / name).write_text("import json\njson.dumps(1)\n")
    report = functions(tmp_path, [{"module": "json", "functions": ["dumps"]}], sys.executable,
                       *(word.format(tmp_path) for word in how), cwd=tmp_path)
    assert counts(report, "Python functions") == {"json.dumps": 1}


def test_functions_that_cannot_be_shown_are_reported(tmp_path):
    report = functions(tmp_path, [{"module": "fractions", "functions": ["Fraction", "nothing", "a.b", "math"]},
                                  {"module": "__main__", "functions": ["main"]},
                                  {"module": "textwrap", "functions": ["dedent"]}],
                       sys.executable, "-c", "import fractions, textwrap; textwrap.dedent(str())")
    reported = "".join(report.diagnostics())
    assert "main of the Python module __main__ is not shown: the functions of a script exist only when" in reported
    assert "Fraction of the Python module fractions is not shown: it is a class" in reported
    assert "nothing of the Python module fractions is not shown: it does not exist" in reported
    assert "a.b of the Python module fractions is not shown: there is no a" in reported
    assert "math of the Python module fractions is not shown: it is not a function" in reported
    assert counts(report, "Python functions") == {"textwrap.dedent": 1}


REGISTRIES = """
import functools

views, plugins = {}, []


class Route:
    def __init__(self, endpoint):
        self.endpoint = endpoint


def route(function):
    views[function.__name__] = function
    plugins.append(function)
    return function


def timed(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner


@route
def report(number):
    return number


@route
@timed
def decorated(number):
    return number


def endpoint(number):
    return number


a_route = Route(endpoint)


class View:
    @route
    def get(self):
        return 1

    alias = get
"""


@pytest.mark.parametrize("python", PYTHONS)
def test_functions_that_a_decorator_keeps(tmp_path, python):
    """As Flask's app.route() and others do."""
    (tmp_path / "registered.py").write_text(REGISTRIES)
    calls = ("import pickle, registered as r; assert r.views['report'](1) == r.report(1) == r.plugins[0](1) == 1; "
             "r.views['decorated'](2); assert r.a_route.endpoint(3) == 3; r.View().get(); r.View().alias(); "
             "r.views['get'](r.View()); assert pickle.loads(pickle.dumps(r.views['report'])) is r.report")
    report = functions(tmp_path, [{"module": "registered", "functions": ["report", "decorated", "endpoint", "View.get"]}],
                       python, "-c", calls, cwd=tmp_path)
    assert report.done.returncode == 0 and counts(report, "Python functions") == {
        "registered.report": 3, "registered.decorated": 1, "registered.endpoint": 1, "registered.View.get": 2}


def test_views_of_flask(tmp_path):
    pytest.importorskip("flask")
    (tmp_path / "service.py").write_text("import flask\napp = flask.Flask('service')\n\n\n@app.route('/report')\n"
                                         "def report():\n    return 'done'\n")
    report = functions(tmp_path, [{"module": "service", "functions": ["report"]}], sys.executable, "-c",
                       "import service; assert service.app.test_client().get('/report').data == b'done'", cwd=tmp_path)
    assert counts(report, "Python functions") == {"service.report": 1}


def test_domains_can_be_left_out(tmp_path):
    report = functions(tmp_path, [{"module": "json", "functions": ["dumps", {"function": "loads", "domain": "b"}]}],
                       sys.executable, "-c", "import json; json.loads(json.dumps(1))",
                       options=("--nvtx-domain-include=b",))
    assert counts(report, "Python functions") == {} and counts(report, "b") == {"json.loads": 1}


def test_a_function_can_be_the_capture_range(tmp_path):
    report = functions(tmp_path, [{"module": "known", "functions": ["plain", "outer"]}], sys.executable, "-c",
                       "import known; known.plain(1); known.outer(); known.plain(1)", traces="nvtx",
                       options=("-c", "nvtx", "-p", "known.outer@Python functions"),
                       env={**os.environ, "PYTHONPATH": str(source_of("python_modules"))})
    assert counts(report, "Python functions") == {"known.plain": 2, "known.outer": 1}


@pytest.mark.parametrize("wrong, says", [
    ("{", "not valid JSON"), ("[]", "lists no functions"), ('[1]', "an object"), ('[{"functions": []}]', '"module"'),
    ('[{"module": "a"}]', '"functions"'), ('[{"module": "a", "functions": [1]}]', "a name or an object"),
    ('[{"module": "a", "functions": [{}]}]', '"function"'), ('[{"module": "", "functions": ["f"]}]', '"module"'),
    ('[{"module": "a", "functions": ["f"], "color": "pinkish"}]', "color"),
    ('[{"module": "a\\u0000", "functions": ["f"]}]', "NUL")])
def test_wrong_files_are_refused(tmp_path, wrong, says):
    file = tmp_path / "functions.json"
    file.write_text(wrong)
    done = prof("profile", f"--python-functions-trace={file}", "-o", tmp_path / "report.db", "true")
    assert done.returncode != 0 and says in done.stderr and str(file) in done.stderr


def test_a_missing_file_is_refused(tmp_path):
    done = prof("profile", f"--python-functions-trace={tmp_path}/none.json", "true")
    assert done.returncode != 0 and "cannot be read" in done.stderr


# tests/gpu tests the real PyTorch. Here a package with the same names stands in for it.
@pytest.mark.parametrize("python", PYTHONS)
def test_functions_of_pytorch(tmp_path, python):
    report = profile(tmp_path, python, source_of("python_torch.py"), options=("--pytorch=functions-trace",))
    assert counts(report, "PyTorch") == report.expected()
    assert not [text for text in report.diagnostics() if "not shown" in text or "not annotated" in text]


@pytest.mark.parametrize("name, shapes", [("autograd-nvtx", False), ("autograd-shapes-nvtx", True)])
def test_operations_of_pytorch(tmp_path, name, shapes):
    report = profile(tmp_path, sys.executable, source_of("python_torch.py"), options=(f"--pytorch={name}",))
    events = report.done.stdout.splitlines()[-1]
    assert events == str([["enter", shapes], ["exit", shapes]])
    assert not counts(report, "PyTorch")
    assert not [text for text in report.diagnostics() if "not annotated" in text]


def test_both_of_pytorch(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("python_torch.py"),
                     options=("--pytorch=functions-trace,autograd-nvtx",))
    assert counts(report, "PyTorch") == json.loads(report.done.stdout.splitlines()[-2])
    assert "enter" in report.done.stdout.splitlines()[-1]


SHAPES = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
linear = torch.nn.Linear(16, 64)
for size in (32, 32, 8):
    torch.nn.Sequential(linear, torch.nn.Linear())(torch.Tensor(size, 64))
class Raises(torch.Tensor):
    shape = property(lambda self: 1 / 0)
class Keyword(torch.nn.Module):
    def forward(self, first, *, other):
        pass
Keyword()(Raises.__new__(Raises), other=torch.nn.Parameter(2, 3))
for size in range(5000):
    Keyword()(torch.Tensor(size), other=1)
"""


def test_names_of_forward_passes_have_sizes(tmp_path):
    report = profile(tmp_path, sys.executable, "-c", SHAPES, os.path.join(os.path.dirname(source_of("python_torch.py")),
                                                                         "python_modules"),
                     options=("--pytorch=functions-trace-shapes",))
    seen = counts(report, "PyTorch")
    for size, times in ((32, 2), (8, 1)):
        assert seen[f"Sequential.forward, sizes = [[{size}, 64]]"] == times
        assert seen[f"Linear.forward, sizes = [[{size}, 64]], parameters = [[16, 64]]"] == times
        assert seen[f"Linear.forward, sizes = [[{size}, 64]]"] == times
    # The sizes of other classes are not read.
    assert seen["Keyword.forward, sizes = [[], [2, 3]]"] == 1
    # There are 4,096 different names at most.
    assert seen["Keyword.forward"] > 800 and sum(seen.values()) == 3 * 3 + 1 + 5000
    assert not [text for text in report.diagnostics() if "not annotated" in text]


PATHS = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from torch.nn import Linear, Sequential
inner = Sequential(Linear(2, 3), Linear(3, 2))
model = Sequential(inner, Linear())
inner(torch.Tensor(2))
for _ in range(2):
    model(torch.Tensor(2))
inner(torch.Tensor(2))
class Odd(torch.nn.Module):
    def named_modules(self, prefix=""):
        raise RuntimeError
    def forward(self, x):
        return x
odd = Odd()
odd(torch.Tensor(2))
model = Sequential(odd)
for _ in range(3):
    model(torch.Tensor(2))
"""


@pytest.mark.parametrize("trace, sizes", [("functions-trace", ""), ("functions-trace-shapes", ", sizes = [[2]]")])
def test_names_of_forward_passes_have_paths(tmp_path, trace, sizes):
    report = profile(tmp_path, sys.executable, "-c", PATHS, os.path.join(os.path.dirname(source_of("python_torch.py")),
                                                                        "python_modules"),
                     options=(f"--pytorch={trace},module-paths",))
    seen = Counter()
    for name, times in counts(report, "PyTorch").items():
        seen[name.split(", parameters")[0]] += times
    # The first call of `inner` comes before that of its model.
    assert seen == {f"Sequential.forward{sizes}": 1 + 2 + 3, f"Linear 0.forward{sizes}": 1, f"Linear 1.forward{sizes}": 1 + 2,
                    f"Sequential 0.forward{sizes}": 2 + 1, f"Linear 0.0.forward{sizes}": 3, f"Linear 0.1.forward{sizes}": 3,
                    f"Odd.forward{sizes}": 1 + 3}
    assert not [text for text in report.diagnostics() if "not annotated" in text]


VLLM = {
    "__init__.py": "", "v1/__init__.py": "", "v1/engine/__init__.py": "", "v1/worker/__init__.py": "",
    "v1/engine/async_llm.py": """
import asyncio

class AsyncLLM:
    closed = 0

    async def generate(self, prompt, sampling_params, request_id, lora_request=None):
        try:
            for token in range(3):
                await asyncio.sleep(0)
                yield token
        finally:
            AsyncLLM.closed += 1
""",
    "v1/worker/gpu_worker.py": """
class Worker:
    def execute_model(self, scheduler_output):
        self.count = len(scheduler_output.num_scheduled_tokens)

    def sample_tokens(self, grammar_output):
        return self.count
""",
}
SERVE = """
import asyncio, inspect, torch
from types import SimpleNamespace
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.worker.gpu_worker import Worker
assert inspect.isasyncgenfunction(AsyncLLM.generate)

async def serve():
    engine = AsyncLLM()
    assert [token async for token in engine.generate("Hi", None, "cmpl-1")] == [0, 1, 2]
    answer = engine.generate("Hi", None, request_id="cmpl-2")
    assert await answer.__anext__() == 0
    await answer.aclose()
    assert AsyncLLM.closed == 2

asyncio.run(serve())
worker = Worker()
worker.execute_model(SimpleNamespace(num_scheduled_tokens={"cmpl-1": 5, "cmpl-2": 1}))
assert worker.sample_tokens(None) == 2
worker.execute_model(scheduler_output=SimpleNamespace(num_scheduled_tokens={str(i): 1 for i in range(20)}))
try:
    worker.execute_model(None)
except AttributeError:
    pass
"""


@pytest.mark.parametrize("python", PYTHONS)
def test_requests_of_vllm(tmp_path, python):
    for name, text in VLLM.items():
        path = tmp_path / "vllm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    modules = os.path.join(os.path.dirname(source_of("python_torch.py")), "python_modules")
    report = profile(tmp_path, python, "-c", SERVE, options=("--pytorch=functions-trace",),
                     env={**os.environ, "PYTHONPATH": f"{tmp_path}:{modules}"})
    assert report.done.returncode == 0, report.done.stderr
    # Each token takes a range to the await in it and one from there, and each end another one.
    assert counts(report, "vLLM") == {
        "AsyncLLM.generate, requests = [cmpl-1]": 7, "AsyncLLM.generate, requests = [cmpl-2]": 2,
        "Worker.execute_model, requests = [cmpl-1, cmpl-2]": 1, "Worker.sample_tokens, requests = [cmpl-1, cmpl-2]": 1,
        f"Worker.execute_model, requests = [{', '.join(map(str, range(16)))} and 4 more]": 1, "Worker.execute_model": 1}
    assert not [text for text in report.diagnostics() if "not annotated" in text]


@pytest.mark.parametrize("wrong", ["", "all", "none,functions-trace", "autograd-nvtx,autograd-shapes-nvtx",
                                   "functions-trace,functions-trace-shapes", "module-paths"])
def test_wrong_lists_are_refused(wrong):
    done = prof("profile", f"--pytorch={wrong}", "true")
    assert done.returncode != 0 and "--pytorch" in done.stderr


def test_operations_bring_nvtx_along(tmp_path):
    report = profile(tmp_path, sys.executable, "-c", "", traces="osrt", options=("--pytorch=autograd-nvtx",))
    assert report.value("SELECT value FROM META_DATA_CAPTURE WHERE name = 'PROCESS_0:COLLECT_NVTX_TRACE'") == "true"


def test_a_module_that_fails_to_load(tmp_path):
    (tmp_path / "broken.py").write_text("raise RuntimeError('broken')\n")
    report = functions(tmp_path, [{"module": "broken", "functions": ["f"]}], sys.executable, "-c", """
for _ in range(2):
    try:
        import broken
    except RuntimeError as error:
        print(error)
try:
    import broken.inner
except RuntimeError as error:
    print(error)
""", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert report.done.stdout == "broken\n" * 3


def spans(report, name):
    found = defaultdict(list)
    rows = list(report.nvtx(PUSH_POP, "Python GIL"))
    last = max(row["end"] for row in rows)  # of ranges that never ended
    for row in rows:
        if row["name"] == name:
            found[row["pid"], row["tid"]].append((row["start"], row["end"] if row["end"] < last else float("inf")))
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_who_holds_the_lock_and_who_waits(tmp_path, python):
    report = profile(tmp_path, python, source_of("python_gil.py"), traces="python-gil")
    expected = report.expected()
    holds, waits = spans(report, "Holding GIL"), spans(report, "Waiting for GIL")
    main = next(row["pid"] for row in report.nvtx(DOMAIN_CREATE))
    of_main = sorted((start, end, thread) for thread in holds if thread[0] == main
                     for start, end in holds[thread])
    for (_, end, _), (start, _, _) in zip(of_main, of_main[1:]):
        assert end <= start  # one thread at a time
    for thread, of_thread in waits.items():
        starts = {start for start, _ in holds[thread]}
        for start, end in of_thread:
            if end == float("inf"):  # the interpreter ended first
                continue
            # The wait ends when the thread takes the lock, so not while another thread has it.
            assert min((other - end for other in starts if other >= end), default=None) is not None
            assert not any(a < end < b for other in holds if other[0] == thread[0] and other != thread
                           for a, b in holds[other])
    for tid, thread in expected["threads"].items():
        of_thread = holds[main, int(tid)]
        long = [end - start for start, end in of_thread if end - start >= expected["ns"]]
        if thread["kind"] == "computes":  # Python computes only with the lock
            assert sum(end - start for start, end in of_thread) > 0.8e9 * thread["cpu"]
            assert waits[main, int(tid)]
        elif thread["kind"] == "keeps":
            assert len(long) >= expected["times"]
        else:
            asleep = [after - before for (_, before), (after, _) in zip(of_thread, of_thread[1:])]
            assert sum(gap >= expected["ns"] for gap in asleep) >= expected["times"]
    assert holds[expected["child"], expected["child"]]


def test_the_lock_is_not_traced_by_default(tmp_path):
    report = profile(tmp_path, sys.executable, source_of("python_gil.py"))
    assert not report.nvtx(PUSH_POP, "Python GIL")


@pytest.mark.parametrize("python", PYTHONS)
def test_collections_of_garbage(tmp_path, python):
    def collections(count):
        script = f"import gc; gc.disable(); [(gc.collect(), gc.collect(0)) for _ in range({count})]"
        return len(profile(tmp_path, python, "-c", script, traces="python-gc").nvtx(PUSH_POP, "Python GC"))

    # The interpreter also collects when it ends.
    assert collections(7) - collections(2) == 5


def test_a_program_without_python_has_no_lock(tmp_path):
    report = profile(tmp_path, "/bin/true", traces="python-gil")
    assert not report.nvtx()
