import argparse
import ast
import statistics
import sys
import time

import torch

# What the report has: of SHAPES those of the arguments as they were recorded; of ARGUMENTS the (type of a tensor, strides or
# value) of each shape, or nothing; of RESULT the shape of the result, or None.
OPERATOR, SHAPES, ARGUMENTS, TYPE, RESULT, REPORT = "", [], [], "", None, {}
TYPES = {"fp64": "float64", "fp32": "float32", "tf32": "float32", "bf16": "bfloat16", "fp16": "float16", "fp8": "float8_e4m3fn",
         "int8": "int8"}
# What such arguments have most often.
USUAL = {"dim": -1, "axis": -1, "ignore_index": -100, "padding_idx": -1, "eps": 1e-5, "momentum": 0.1, "dropout_p": 0.0, "p": 0.5}
INDICES = ("index", "indices", "target", "offsets")  # names of arguments with whole numbers
UNKNOWN_TYPE = "tensor"
WHOLE_NUMBERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
WARM_UP, RUNS = 10, 100
IDLE_CYCLES = 100_000_000  # some 50 ms


class Unknown(Exception):
    pass


def overloads():
    namespace, _, name = OPERATOR.rpartition("::")
    try:
        packet = getattr(getattr(torch.ops, namespace), name)
        return [getattr(packet, each) for each in packet.overloads()]
    except AttributeError:
        raise Unknown(f"this PyTorch does not have {OPERATOR}; import the library that defines it") from None


def is_tensor(argument):
    return str(argument.type) in ("Tensor", "Optional[Tensor]")


def is_list_of_tensors(argument):
    return str(argument.type) in ("List[Tensor]", "List[Optional[Tensor]]")


def fits(argument, recorded):
    """Whether an argument of a schema can be one that was recorded."""
    if recorded is None:
        return True
    kind, value = recorded
    if kind:
        return is_tensor(argument)
    return value == "?" or (str(argument.type).startswith("Optional") if value == "None" else not is_tensor(argument))


def assign(schema):
    """[(argument, its shape, what ARGUMENTS has of it)], for a list of tensors lists of both. None if the schema does not fit."""
    arguments = schema.arguments
    shapes, assigned = list(zip(SHAPES, ARGUMENTS or [None] * len(SHAPES))), []
    for number, argument in enumerate(arguments):
        left = len(arguments) - number - 1
        if is_list_of_tensors(argument):  # its tensors follow each other
            lists = sum(map(is_list_of_tensors, arguments[number:]))
            count = (len(shapes) - left + lists - 1) // lists
            if count < 1:
                return None
            assigned.append((argument, *map(list, zip(*shapes[:count]))))
            del shapes[:count]
        elif not shapes:
            assigned.append((argument, [], None))
        else:
            shape, recorded = shapes.pop(0)
            if shape and not is_tensor(argument) or not fits(argument, recorded):
                return None
            assigned.append((argument, shape, recorded))
    return None if shapes else assigned


def forms():
    """[(form of the operator, its arguments)] that fit the report, the likeliest first."""
    fitting = []
    for each in overloads():
        assigned = assign(each._schema)
        if assigned is not None:
            # A tensor without dimensions and a number may look the same in the report. Numbers are more frequent.
            tensors = sum(is_tensor(argument) and not shape for argument, shape, _ in assigned)
            outs = sum(argument.is_out for argument, *_ in assigned)
            fitting.append((outs, abs(len(assigned) - len(SHAPES)), tensors, len(fitting), each, assigned))
    if not fitting:
        raise Unknown(f"no form of {OPERATOR} has arguments with the shapes {SHAPES}")
    return [each[-2:] for each in sorted(fitting)]


def window_of(size, kernel, result):
    """(stride, padding) with which a window of `kernel` elements gives this result."""
    for stride in range(1, max(size, 1) + 1):
        for padding in sorted(range(kernel), key=lambda each: abs(2 * each - kernel + 1)):
            if (size + 2 * padding - kernel) // stride + 1 == result and size + 2 * padding >= kernel:
                return stride, padding
    return 1, 0


def convolution():
    """The sizes of the input, of the weights and of the result, or nothing."""
    tensors = [shape for shape in SHAPES if len(shape) > 2]
    if OPERATOR.endswith("convolution_backward") and len(tensors) > 2:  # of the gradient, the input and the weights
        return tensors[1][2:], tensors[2][2:], tensors[0][2:]
    return (tensors[0][2:], tensors[1][2:], RESULT[2:]) if len(tensors) > 1 and RESULT else ()


def guessed_list(name):
    if name == "normalized_shape":
        return next((shape for shape in SHAPES[1:] if shape), SHAPES[0][-1:])
    if name in ("stride", "padding") and convolution():
        return [window_of(*each)[name == "padding"] for each in zip(*convolution())]
    dimensions = max(map(len, SHAPES)) - 2
    return [0 if name in ("padding", "output_padding") else 1] * dimensions if dimensions > 0 else None


def guess(argument):
    kind, name = str(argument.type), argument.name
    if argument.has_default_value():
        return argument.default_value
    if kind.startswith("Optional"):
        return None
    if name in USUAL:
        return USUAL[name]
    values = {"bool": False, "int": 1, "float": 1.0, "number": 1, "str": "", "List[bool]": [True] * 3,
              "List[int]": guessed_list(name)}
    value = values.get(kind.replace("SymInt", "int"))
    if value is None:
        raise Unknown(f"the report does not have the argument {name}: add --set {name}=VALUE ({kind})")
    return value


def rows_of_indices(shape):
    """A number of rows that all indices of an argument with this shape may have."""
    if OPERATOR.startswith("aten::embedding"):
        return SHAPES[0][0] if "backward" not in OPERATOR else min(map(min, filter(None, SHAPES)))
    others = [each for each in SHAPES if each and each != shape] or [shape]
    return min(map(min, others)) if others != [[]] else 1


def recorded_type(argument, recorded, options):
    """The type that the tensor had, unless the user wants another one for all that have the report's type."""
    name = TYPES.get(options.type, "float32")
    if recorded and recorded[0] != UNKNOWN_TYPE and hasattr(torch, recorded[0]):
        return getattr(torch, name if options.type != TYPE and recorded[0] == TYPES.get(TYPE) else recorded[0])
    return torch.int64 if argument.name in INDICES else getattr(torch, name)


def make_tensor(argument, shape, recorded, options):
    dtype = recorded_type(argument, recorded, options)
    strides = ast.literal_eval(recorded[1]) if recorded and recorded[1] and shape else None
    # Strides of 0 give several elements one place in memory.
    length = [1 + sum((size - 1) * stride for size, stride in zip(shape, strides))] if strides else shape
    if dtype == torch.bool or dtype in WHOLE_NUMBERS:
        high = 2 if dtype == torch.bool else max(rows_of_indices(shape), 1)
        values = torch.randint(min(high, 127) if dtype in (torch.int8, torch.uint8) else high, length, device=options.device)
    else:
        values = torch.randn(length, device=options.device)
    return values.to(dtype).as_strided(shape, strides) if strides else values.to(dtype)


def is_missing(argument, shape, recorded):
    """Whether an argument that may be a tensor was none. A tensor that does not exist has no type."""
    if recorded:
        return not shape and recorded[0] == UNKNOWN_TYPE and str(argument.type) != "Tensor"
    return not shape and str(argument.type) != "Tensor"


def recorded_value(recorded):
    """(value of an argument that is not a tensor,), or nothing if the report does not have it."""
    if not recorded or recorded[0] or "?" in recorded[1]:
        return ()
    text = recorded[1].replace("inf", "1e999")
    return (float("nan"),) if text == "nan" else (ast.literal_eval(text),)


def make_value(argument, shape, recorded, options, guesses):
    if argument.name in options.values:
        return options.values[argument.name]
    if is_list_of_tensors(argument):
        return [None if each == ("", "None") else make_tensor(argument, part, each, options)
                for part, each in zip(shape, recorded)]
    is_value = bool(recorded) and not recorded[0]
    if is_tensor(argument) and not is_value:
        return None if is_missing(argument, shape, recorded) else make_tensor(argument, shape, recorded, options)
    for value in recorded_value(recorded):
        return value
    value = guess(argument)
    guesses.append(f"{argument.name} = {value}")
    return value


def make_arguments(assigned, options):
    values, named, guesses = [], {}, []
    for argument, shape, recorded in assigned:
        value = make_value(argument, shape, recorded, options, guesses)
        if argument.kwarg_only:
            named[argument.name] = value
        else:
            values.append(value)
    return values, named, guesses


def measure(call, options):
    """The times of the runs in ns."""
    for _ in range(options.warm_up):
        call()
    return times_of_gpu(call, options.runs) if options.device == "cuda" else [time_of_cpu(call) for _ in range(options.runs)]


def time_of_cpu(call):
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start


def times_of_gpu(call, runs):
    """The GPU gets all runs at once, after some idle work, so that it does not wait for launches between the events."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
    torch.cuda._sleep(IDLE_CYCLES)
    for begin, end in events:
        begin.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) * 1e6 for begin, end in events]


def rates(nanoseconds):
    parts = [f"{REPORT[amount] / nanoseconds / scale:.2f} {unit}"
             for amount, scale, unit in (("flops", 1e3, "TFLOP/s"), ("bytes", 1, "GB/s")) if REPORT[amount]]
    if REPORT["least_ns"]:
        parts.append(f"{100 * REPORT['least_ns'] / nanoseconds:.1f} % of the roof")
    return ", ".join(parts)


def parse():
    parser = argparse.ArgumentParser(description=f"Runs {OPERATOR} with the shapes of a report and measures it.")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an argument that the report does not have")
    parser.add_argument("--type", default=TYPE or "fp32", choices=sorted(TYPES), help="type of the tensors (default: %(default)s)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cuda", "cpu"))
    parser.add_argument("--benchmark", action="store_true", help="let cuDNN choose by measuring, as torch.backends.cudnn.benchmark does")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--warm-up", type=int, default=WARM_UP)
    options = parser.parse_args()
    options.values = {}
    for text in options.set:
        name, _, value = text.partition("=")
        options.values[name] = ast.literal_eval(value)
    return options


def run(overload, assigned, options):
    values, named, guesses = make_arguments(assigned, options)
    with torch.no_grad():
        times = measure(lambda: overload(*values, **named), options)
    return overload._schema, guesses, times


def run_first(options):
    """What run() returns of the first form that runs with its arguments."""
    refused = []
    for overload, assigned in forms():
        try:
            return run(overload, assigned, options)
        except (RuntimeError, TypeError) as error:
            refused.append(f"{OPERATOR} does not run with these arguments: {(str(error).splitlines() or [''])[0].split('. ')[0]}")
        except Unknown as error:
            refused.append(str(error))
    raise Unknown(refused[0])


def main():
    options = parse()
    torch.backends.cudnn.benchmark = options.benchmark
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = options.type == "tf32"
    try:
        schema, guesses, times = run_first(options)
    except Unknown as error:
        sys.exit(f"{sys.argv[0]}: {error}")
    print(f"{schema}\nshapes: {SHAPES}, type: {options.type}, device: {options.device}")
    if guesses:
        print(f"not in the report: {', '.join(guesses)} (--set NAME=VALUE)")
    median = statistics.median(times)
    print(f"here:   {median:,.0f} ns (median of {len(times)} runs, least {min(times):,.0f} ns)  {rates(median)}")
    print(f"report: {REPORT['median_ns']:,} ns (median of {REPORT['calls']} calls, {REPORT['gpu'] or 'unknown GPU'})  "
          f"{rates(REPORT['median_ns'])}")
    if "convolution" in OPERATOR and not options.benchmark and median > 1.1 * REPORT["median_ns"]:
        print("If the program sets torch.backends.cudnn.benchmark, so should --benchmark here.")


if __name__ == "__main__":
    main()
