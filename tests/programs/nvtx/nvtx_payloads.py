"""Payloads and counters of Python's nvtx. Prints what a report must have of them."""
import json
import os
import sys

import numpy
import nvtx

domain = nvtx.get_domain("python")
point = numpy.dtype([("x", numpy.int32), ("y", numpy.float64, (2,)), ("name", "U4")])
payloads = {
    "array": (numpy.array([1, -2, 3], dtype=numpy.int16), {"size": 3, "data": [1, -2, 3]}),
    "list": ([1, 2.5], {"size": 2, "data": [1, 2.5]}),
    "texts": (["ab", "häßlich"], {"size": 2, "data": ["ab", "häßlich"]}),
    "scalar": (numpy.array(7), {"int64": 7}),
    "struct": (numpy.array((3, (1.5, 2.5), "é"), dtype=point), {"x": 3, "y": [1.5, 2.5], "name": "é"}),
    "structs": (numpy.array([(1, (0, 0), "a"), (2, (3, 4), "b")], dtype=point),
                {"size": 2, "data": [{"x": 1, "y": [0, 0], "name": "a"}, {"x": 2, "y": [3, 4], "name": "b"}]}),
}
for name, (payload, _) in payloads.items():
    domain.mark(message=name, payload=payload)
domain.push_range(message="range", payload=numpy.array([0.5]))
domain.pop_range()

loss = domain.get_counter("loss", float, semantics=nvtx.CounterSemantics(unit="nats", min=0.0))
loss.sample(0.5)
loss.batch_submit([0.25, 0.125], [domain.get_timestamp(), domain.get_timestamp()])
steps = domain.get_counter("steps", int, scope="trainer/0")
steps.sample(-3)
steps.sample_no_value(nvtx.CounterNoValueReason.UNAVAILABLE)
group = domain.get_counter("group", numpy.dtype([("a", numpy.uint8), ("b", numpy.float32)]))
group.sample((200, 1.5))

found = {"payloads": {name: values for name, (_, values) in payloads.items()},
         "counters": {"loss": [{"loss": 0.5}, {"loss": 0.25}, {"loss": 0.125}],
                      "steps": [{"steps": -3}, {}], "group": [{"a": 200, "b": 1.5}]}}
found["payloads"]["range"] = {"size": 1, "data": [0.5]}
if sys.argv[1:] == ["fork"]:
    domain.mark(message="before", payload=[1, 2])
    child = os.fork()
    if child == 0:
        domain.mark(message="in child", payload=[8, 9])
        os._exit(0)
    os.waitpid(child, 0)
    found["child"] = child
print(json.dumps(found))
