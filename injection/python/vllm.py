# Part of _prof_python (annotations.py): the requests that vLLM works on.

VLLM = "vLLM"
VLLM_COLOR = 0xFFFDB515


class RequestRanges:
    """The ranges of a function of vLLM, with the ids of the requests: "Worker.execute_model, requests = [a, b]"."""

    MAX_SHOWN = 16
    MAX_NAMES = 65536  # a server that runs for days gets no more names than that

    def __init__(self, name):
        self.name = name
        self.ranges = {}

    def of(self, ids):
        shown, others = tuple(ids[:self.MAX_SHOWN]), len(ids) - self.MAX_SHOWN
        found = self.ranges.get((shown, others))
        if found is None:
            if len(self.ranges) >= self.MAX_NAMES:
                shown, others = (), 0
            text = f", requests = [{', '.join(shown)}" + (f" and {others} more]" if others > 0 else "]")
            found = self.ranges[shown, others] = make_range(VLLM, self.name + (text if shown else ""), VLLM_COLOR)
        return found


# Returns a function that calls of a method ask for their range. `ids_of` returns the ids of the requests.
def request_ranges(name, ids_of):
    ranges = RequestRanges(name)

    def of_call(args, kwargs):
        try:
            return ranges.of([str(each) for each in ids_of(args, kwargs)])
        except Exception:  # another version of vLLM
            return ranges.of([])

    return of_call


def wrap_requests(owner, method, ids_of):
    if hasattr(owner, method):
        ranges = request_ranges(f"{owner.__name__}.{method}", ids_of)
        replace(owner, method, lambda function: function if is_wrapped(function) else copy_attributes(
            wrapper_for(function)(function, None, None, ranges), function), False)


def annotate_vllm_engine(module):
    def request_of(args, kwargs):  # (self, prompt, sampling_params, request_id, ...)
        return [kwargs["request_id"] if "request_id" in kwargs else args[3]]

    wrap_requests(module.AsyncLLM, "generate", request_of)


def annotate_vllm_worker(module):
    last = [[]]  # a process has one worker, and samples what it executed last

    def requests_of(args, kwargs):  # (self, scheduler_output)
        output = kwargs["scheduler_output"] if "scheduler_output" in kwargs else args[1]
        last[0] = list(output.num_scheduled_tokens)
        return last[0]

    wrap_requests(module.Worker, "execute_model", requests_of)
    wrap_requests(module.Worker, "sample_tokens", lambda args, kwargs: last[0])


def want_vllm():
    actions.setdefault("vllm.v1.engine.async_llm", []).append(annotate_vllm_engine)
    actions.setdefault("vllm.v1.worker.gpu_worker", []).append(annotate_vllm_worker)
