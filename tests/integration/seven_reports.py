"""Seven reports whose pages are looked at: a CPU program, a Python service, a training, two ranks, a thousand threads,
two thousand processes, and a million events."""
from finding_reports import python, record
from made_up_program import MS, US, Program
from profiling import program as built
from viewed_page import Training, many_threads_report

SERVICE = """
    import http.server, json, threading, time, urllib.request

    def customer_totals(orders):
        totals = {}
        for order in orders:
            totals[order["customer"]] = totals.get(order["customer"], 0) + order["price"]
        return totals

    class Handler(http.server.BaseHTTPRequestHandler):
        lock = threading.Lock()

        def do_GET(self):
            with self.lock:
                orders = [{"customer": f"customer {i % 97}", "price": i} for i in range(20000)]
                body = json.dumps(customer_totals(orders)).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True, name="server").start()
    url = f"http://127.0.0.1:{server.server_address[1]}/"

    def client():
        for _ in range(12):
            urllib.request.urlopen(url).read()

    clients = [threading.Thread(target=client) for _ in range(3)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
"""


def cpu(folder):
    return [record(folder, built("cpu_problems"), "hot").path]


def service(folder):
    return [python(folder, SERVICE).path]


def training(folder):
    return [Training(folder / "training.db").path]


def ranks(folder):
    """Two processes that communicate. The second one comes late, and its warm-up is long."""
    paths = []
    for rank in range(2):
        program = Program(folder / f"rank_{rank}.db")
        for step in range(20):
            with program.range(f"step {step}"):
                program.copy(1 << 22, 400 * US)
                for layer in range(6):
                    program.kernel(f"void at::native::vectorized_elementwise_kernel<4, layer_{layer}>(int, float*)", 300 * US)
                program.compute((60 if step == 0 else 3) * MS * rank)
                program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 900 * US)
                program.synchronize()
        paths.append(program.done())
    return paths


def threads(folder):
    path = folder / "threads.db"
    many_threads_report(path, 1000)
    return [path]


def processes(folder):
    program = Program(folder / "processes.db")
    for number in range(2000):
        with program.process(1000 + number):
            program.now = MS + number * 2 * MS
            program.os_call("execve", 200 * US)
            program.os_call("read", 700 * US)
    return [program.done()]


def million(folder):
    program = Program(folder / "million.db")
    for number in range(250_000):
        program.kernel(f"kernel_{number % 200}", 3 * US, stream=7 + number % 4)
        if number % 1000 == 999:
            program.synchronize()
    for number in range(500_000):
        program.os_call(("read", "write", "futex", "poll")[number % 4], 2 * US)
    return [program.done()]


REPORTS = {each.__name__: each for each in (cpu, service, training, ranks, threads, processes, million)}
