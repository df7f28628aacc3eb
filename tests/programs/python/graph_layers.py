"""A model of layers, each in an NVTX range, that runs TOKENS times: without CUDA graphs or, by the second argument, with
graphs made in different ways. The first argument is the library of the calls, the third the number of layers."""
import contextlib
import ctypes
import sys

import nvtx

TOKENS = 3

library, way = sys.argv[1:3]
layers = int(sys.argv[3]) if len(sys.argv) > 3 else 4
cuda = ctypes.CDLL(library)
for maker in (cuda.fake_begin_capture, cuda.fake_create_graph, cuda.fake_add_conditional, cuda.fake_instantiate):
    maker.restype = ctypes.c_void_p


def attention():
    with nvtx.annotate("attention", domain="parts"):
        cuda.fake_kernel()
        cuda.fake_copy()


def mlp():
    cuda.fake_kernel()
    cuda.fake_fill()
    cuda.fake_kernel()


def layer(number):
    with nvtx.annotate(f"layer {number}"):
        attention()
        mlp()


def model(numbers=None):
    for number in numbers or range(layers):
        layer(number)


def capture(work, graph=None):
    with nvtx.annotate("capture"):
        if graph is None:
            graph = ctypes.c_void_p(cuda.fake_begin_capture())
        else:
            cuda.fake_begin_capture_to_graph(graph)
        work()
        cuda.fake_end_capture()
    return graph


def instantiate(graph):
    executable = ctypes.c_void_p(cuda.fake_instantiate(graph))
    return lambda: cuda.fake_launch_graph(executable)


def nested(work):
    """Each layer is a separate graph, in a graph in a graph."""
    outer = ctypes.c_void_p(cuda.fake_create_graph())
    for number in range(layers):
        inner = ctypes.c_void_p(cuda.fake_create_graph())
        cuda.fake_add_child_graph(inner, capture(lambda: work(number)))  # pylint: disable=cell-var-from-loop
        cuda.fake_add_child_graph(outer, inner)
    return outer


def conditional():
    """The second half of the layers is in the body of a conditional node, the last one in a body in the body."""
    half = layers // 2
    outer = capture(lambda: model(range(half)))
    body = ctypes.c_void_p(cuda.fake_add_conditional(outer))
    capture(lambda: model(range(half, layers - 1)), body)
    capture(lambda: model([layers - 1]), ctypes.c_void_p(cuda.fake_add_conditional(body)))
    return outer


def other_layer(number):
    with nvtx.annotate(f"other {number}"):
        attention()
        mlp()


def other_model():
    for number in range(layers):
        other_layer(number)


def updated(first, second, changed=1):
    """Every `changed`th node is not as it was."""
    executable = ctypes.c_void_p(cuda.fake_instantiate(first))
    cuda.fake_update(executable, second, changed)
    return lambda: cuda.fake_launch_graph(executable)


WAYS = {"none": lambda: model, "captured": lambda: instantiate(capture(model)),
        "children": lambda: instantiate(nested(layer)), "conditional": lambda: instantiate(conditional()),
        "updated": lambda: updated(capture(other_model), capture(model)),
        "updated_partly": lambda: updated(capture(other_model), capture(model), 2),
        "updated_same": lambda: updated(capture(other_model), capture(model), 0),
        "updated_children": lambda: updated(nested(other_layer), nested(layer))}


def run():
    if "early" in sys.argv:  # the graph is made before the recording begins
        step = WAYS[way]()
        cuda.fake_profiler_start()
    else:
        cuda.fake_profiler_start()
        step = WAYS[way]()
    for token in range(TOKENS):
        with nvtx.annotate(f"token {token}"):
            step()


cuda.fake_init()
with nvtx.annotate("around") if "around" in sys.argv else contextlib.nullcontext():
    run()
