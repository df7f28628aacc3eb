# Part of _prof_python (annotations.py): operators of PyTorch with their arguments, shown by an observer of prof's own.
#
# The observer is C++ without PyTorch's headers. It is used only if PyTorch's header declares what it expects, and a
# test on known tensors finds everything in memory. Otherwise PyTorch's own ranges are shown. The test runs no backward
# pass, which would start threads and set up CUDA.

# What the header must have, without white space: the parts of at::RecordFunctionCallback and its neighbours.
KNOWN_DECLARATIONS = (
    "FUNCTION=0,BACKWARD_FUNCTION,TORCHSCRIPT_FUNCTION,KERNEL_FUNCTION_DTYPE,CUSTOM_CLASS,BUILD_FEATURE,"
    "LITE_INTERPRETER,USER_SCOPE,STATIC_RUNTIME_OP,STATIC_RUNTIME_MODEL,NUM_SCOPES,",
    "usingStartCallback=std::unique_ptr<ObserverContext>(*)(constRecordFunction&);"
    "usingEndCallback=void(*)(constRecordFunction&,ObserverContext*);",
    "private:StartCallbackstart_;EndCallbackend_;doublesampling_prob_=1.0;"
    "std::array<bool,static_cast<size_t>(RecordScope::NUM_SCOPES)>scopes_={};"
    "boolneeds_inputs_=false;boolneeds_outputs_=false;boolneeds_ids_=false;};",
    "uint64_tfwd_thread_id_=0;RecordFunctionHandlehandle_{0};",
    "structObserverContext{virtual~ObserverContext()",
)


def has_known_header(torch):
    import os
    import re
    path = os.path.join(os.path.dirname(torch.__file__), "include", "ATen", "record_function.h")
    try:
        with open(path, encoding="utf-8") as file:
            text = "".join(re.sub("//.*", "", file.read()).split())
    except OSError:
        return False
    return all(declaration in text for declaration in KNOWN_DECLARATIONS)


def run_known_calls(torch):
    """Runs the operators of LayoutFinder::KnownCall."""
    first = torch.empty((2, 3), device="cpu")
    second = torch.empty((2, 3), device="cpu")
    calls = (lambda: torch.add(first, second, alpha=3), lambda: torch.clamp(first, 0.5, None),
             lambda: torch.cat((first, second), 0), lambda: torch.sum(first, [0], True))
    with torch.no_grad():
        for number, call in enumerate(calls, 1):
            expect_call(number, first._cdata, second._cdata)
            call()
    first.requires_grad_()
    with torch.enable_grad():
        for number in (5, 6):
            expect_call(number, first._cdata, second._cdata)
            calls[0]()


def only(places):
    if len(places) != 1:
        raise LookupError("the layout of tensors is unknown")
    return places[0]


# Bytes of c10::TensorImpl that are searched.
TENSOR_BYTES = 192


def words_at(address, count):
    data = peek(address, count * 8)
    return [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]


def words_of(tensor):
    return words_at(tensor._cdata, TENSOR_BYTES // 8)


def place_of_sizes(torch):
    """Sizes and strides of up to five dimensions are inside of the tensor, others elsewhere."""
    few = words_of(torch.empty_strided((3, 5), (7, 2), device="cpu"))
    place = only([i for i in range(len(few) - 10) if few[i:i + 3] == [2, 3, 5] and few[i + 6:i + 8] == [7, 2]])
    many = torch.empty((2, 1, 3, 1, 2, 4), device="cpu")
    count, address = words_at(many._cdata + place * 8, 2)
    if count != 6 or words_at(address, 12) != list(many.shape) + list(many.stride()):
        raise LookupError("the layout of large tensors is unknown")
    return place * 8


def place_of_type(torch):
    known = {torch.float32: 6, torch.float64: 7, torch.int64: 4, torch.bool: 11, torch.bfloat16: 15}
    tensors = [(torch.empty(1, dtype=dtype, device="cpu"), number) for dtype, number in known.items()]
    return only([place for place in range(0, TENSOR_BYTES, 2)
                 if all(number_at(tensor._cdata + place) == number for tensor, number in tensors)])


def number_at(address):
    return int.from_bytes(peek(address, 2), "little")


def warns(name):
    """Whether PyTorch warns the program of tensors with this type: those of complex32 and quantized ones."""
    return name == "complex32" or name.startswith(("qint", "quint"))


def name_types(torch, place):
    types = {str(value).partition(".")[2]: value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    for name, dtype in types.items():
        if warns(name):
            continue
        try:
            tensor = torch.empty(0, dtype=dtype, device="cpu")
        except Exception:  # a type without tensors
            continue
        name_type(number_at(tensor._cdata + place), name)


def begin_observing(torch):
    """Returns why operators cannot be observed, or None."""
    if not has_known_header(torch):
        return "its header ATen/record_function.h is missing or unknown"
    sizes, kind = place_of_sizes(torch), place_of_type(torch)
    dense = words_of(torch.empty(1, device="cpu"))[0]  # the table of its virtual functions
    if not begin_layout_test():
        return "a function of libtorch_cpu.so is missing"
    found = False
    try:
        run_known_calls(torch)
    finally:
        found = end_layout_test()
    if not found:
        return "the layout of its record functions is unknown"
    name_types(torch, kind)
    observe_operators(sizes, kind, dense)
    return None


def observe_or_emit_nvtx(torch):
    try:
        problem = begin_observing(torch)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    if problem is not None:
        version = getattr(torch, "__version__", "of an unknown version")
        report(f"--pytorch=operators: operators of PyTorch {version} are shown as with autograd-shapes-nvtx, "
               f"without types and values: {problem}.")
        emit_nvtx(True)(torch)
