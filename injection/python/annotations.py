# Shows functions of Python modules as NVTX ranges. Runs inside the program, right before its own code, as the
# module _prof_python. prof defines these names before:
#   SESSION, the session's directory
#   make_range(domain, text, color) -> (enter, leave), functions without arguments
#   report(text), adds a remark to the report
#   peek, begin_layout_test, expect_call, end_layout_test, name_type, observe_operators, for operators.py
#   record_torch_memory, for pytorch.py
# For CPython 3.9 and later. Must not raise, whatever the program's modules do.
import _thread
import _weakref
import functools
import gc
import sys
import types

PYTORCH = "PyTorch"
COLOR = 0xFFEE4C2C  # PyTorch's own

# Under torch.compile a wrapper only calls the wrapped function. When torch is imported, its own is_compiling,
# which Dynamo knows, replaces this function, so the range does not break the graph.
def is_compiling():
    return False


# Makes one range for each run: between two yields, or awaits, the thread does other things.
def in_steps(steps, enter, leave):
    resume, value = steps.send, None
    try:
        while True:
            enter()
            try:
                item = resume(value)
            except StopIteration as end:
                return end.value
            finally:
                leave()
            try:
                resume, value = steps.send, (yield item)
            except GeneratorExit:
                raise
            except BaseException as error:
                resume, value = steps.throw, error
    finally:
        steps.close()


await_in_steps = types.coroutine(in_steps)


# A wrapper has either one range, or a function `ranges` that returns the range of a call.
def wrap_generator(function, enter, leave, ranges=None):
    def wrapper(*args, **kwargs):
        return (yield from in_steps(function(*args, **kwargs), *(ranges(args, kwargs) if ranges else (enter, leave))))

    return wrapper


def wrap_coroutine(function, enter, leave, ranges=None):
    async def wrapper(*args, **kwargs):
        return await await_in_steps(function(*args, **kwargs),
                                    *(ranges(args, kwargs) if ranges else (enter, leave)))

    return wrapper


def wrap_async_generator(function, enter, leave, ranges=None):
    async def wrapper(*args, **kwargs):
        begin, end = ranges(args, kwargs) if ranges else (enter, leave)
        generator = function(*args, **kwargs)
        step = generator.asend(None)
        try:
            while True:
                try:
                    item = await await_in_steps(step, begin, end)
                except StopAsyncIteration:
                    return
                try:
                    step = generator.asend((yield item))
                except GeneratorExit:
                    raise
                except BaseException as error:
                    step = generator.athrow(error)
        finally:
            await generator.aclose()

    return wrapper


def wrap_function(function, enter, leave, ranges=None):
    def wrapper(*args, **kwargs):
        if is_compiling():
            return function(*args, **kwargs)
        begin, end = enter, leave
        if ranges:
            begin, end = ranges(args, kwargs)
        begin()
        try:
            return function(*args, **kwargs)
        finally:
            end()

    return wrapper


CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR = 0x20, 0x80, 0x200


def wrapper_for(function):
    code = getattr(function, "__code__", None)
    flags = getattr(code, "co_flags", 0)
    if flags & CO_ASYNC_GENERATOR:
        return wrap_async_generator
    if flags & CO_COROUTINE:
        return wrap_coroutine
    return wrap_generator if flags & CO_GENERATOR else wrap_function


def copy_attributes(wrapper, function):
    """Gives the wrapper the function's name, module, documentation, signature and further attributes
    (such as cache_clear)."""
    functools.update_wrapper(wrapper, function)
    wrapper.__prof_wraps__ = function
    if not isinstance(function, types.FunctionType):
        for name in dir(function):
            if not name.startswith("__") and not hasattr(wrapper, name):
                setattr(wrapper, name, getattr(function, name))
    return wrapper


def is_wrapped(function):
    return hasattr(function, "__prof_wraps__")


def annotated(function, enter, leave):
    """Returns the function with a range around each call. Descriptors keep their type."""
    if isinstance(function, (staticmethod, classmethod)):
        inner = function.__func__
        return function if is_wrapped(inner) else type(function)(annotated(inner, enter, leave))
    if isinstance(function, property):
        return function if is_wrapped(function.fget) else type(function)(
            annotated(function.fget, enter, leave), function.fset, function.fdel, function.__doc__)
    if is_wrapped(function):
        return function
    return copy_attributes(wrapper_for(function)(function, enter, leave), function)


MISSING = object()


def own_attribute(owner, name):
    """Returns the attribute itself, not the result of its descriptor."""
    for place in getattr(owner, "__mro__", (owner,)):
        found = vars(place).get(name, MISSING)
        if found is not MISSING:
            return found
    found = getattr(owner, name, MISSING)  # a module may have __getattr__
    if found is MISSING:
        raise LookupError("it does not exist")
    return found


def replace_in_registries(original, new):
    """Decorators of web frameworks and others keep the function that they got: in a dictionary, a list or an attribute
    of an object. The function is called from there, so the new one has to be there, too."""
    for holder in gc.get_referrers(original):
        if type(holder) is list:
            for i in [i for i, value in enumerate(holder) if value is original]:
                holder[i] = new
            continue
        try:
            names = holder if isinstance(holder, dict) else object.__getattribute__(holder, "__dict__")
        except AttributeError:
            continue
        # The dictionary of a class must not be changed without the interpreter's knowledge.
        if not isinstance(names, dict) or "__module__" in names:
            continue
        for key, value in list(dict.items(names)):
            if value is original and key not in ("__wrapped__", "__prof_wraps__"):
                dict.__setitem__(names, key, new)


def replace(owner, name, function, everywhere, has_registries=False):
    original = own_attribute(owner, name)
    references = sys.getrefcount(original)
    new = function(original)
    if new is original:
        return
    setattr(owner, name, new)
    # Those of the owner, of the variable and of the call. The search takes milliseconds, so it is left out for others.
    if has_registries and references > 3:
        replace_in_registries(original, new)
    if everywhere:  # modules that imported it by name
        for module in list(sys.modules.values()):
            names = getattr(module, "__dict__", {})
            for key in [key for key, value in list(names.items()) if value is original]:
                names[key] = new


def annotate_function(module, path, domain, color, everywhere):
    *owners, name = path.split(".")
    owner = module
    for part in owners:
        owner = getattr(owner, part, MISSING)
        if owner is MISSING:
            raise LookupError(f"there is no {part}")
    text = module.__name__ + "." + path

    def change(function):
        callables = (staticmethod, classmethod, property)
        if isinstance(function, type) or not (callable(function) or isinstance(function, callables)):
            raise TypeError("it is a class; name its methods instead" if isinstance(function, type)
                            else "it is not a function")
        return annotated(function, *make_range(domain, text, color))

    replace(owner, name, change, everywhere, has_registries=domain != PYTORCH)


def annotate(module, everywhere=False):
    for domain, path, color in wanted.get(module.__name__, ()):
        try:
            annotate_function(module, path, domain, color, everywhere)
        except LookupError if path in TORCH_FUNCTIONS.get(module.__name__, ()) else ():
            pass  # not in every version
        except LookupError if module.__name__ == "__main__" else ():
            report(f"The function {path} of the Python module __main__ is not shown: the functions of a script exist "
                   "only when it runs. Move it to a module that the script imports.")
        except Exception as error:
            report(f"The function {path} of the Python module {module.__name__} is not shown: {error}.")
    for act in actions.get(module.__name__, ()):
        try:
            act(module)
        except Exception as error:
            report(f"PyTorch is not annotated ({act.__name__}): {type(error).__name__}: {error}")


class Finder:
    """The first finder of sys.meta_path. The other finders find the module, and it is annotated after it
    was executed."""

    def __init__(self):
        self.busy = set()

    def find_spec(self, name, path=None, target=None):
        if (name not in wanted and name not in actions) or name in self.busy:
            return None
        self.busy.add(name)
        try:
            spec = self.find(name, path, target)
        finally:
            self.busy.discard(name)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            try:
                annotate_when_executed(spec.loader)
            except Exception as error:
                report(f"The functions of the Python module {name} are not shown: {error}.")
        return spec

    def find(self, name, path, target):
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                return spec
        return None


# Sets an attribute of the loader that is removed at its first use, so the module's loader stays unchanged.
# Loaders that are classes (of built-in and frozen modules) are not changed.
def annotate_when_executed(loader):
    if isinstance(loader, type):
        raise TypeError("it is part of the interpreter")
    if "exec_module" in vars(loader):
        return
    execute = loader.exec_module

    def exec_module(module):
        vars(loader).pop("exec_module", None)
        execute(module)
        annotate(module)

    loader.exec_module = exec_module


# ---- PyTorch -------------------------------------------------------------------------------------


# Steps of training, for --at-step: each lasts until the end of the next step of the first optimizer.
def mark_steps(_torch):
    enter, leave = make_range("PyTorch steps", "step", COLOR)
    first, thread = [None], [None]

    def begin():
        thread[0] = _thread.get_ident()
        enter()

    def end_step(optimizer, *_):
        if first[0] is None or first[0]() is None:
            first[0] = _weakref.ref(optimizer)
        if first[0]() is optimizer:
            if thread[0] == _thread.get_ident():
                leave()
            begin()

    # PyTorch deletes the attribute torch.optim.optimizer.
    module = sys.modules.get("torch.optim.optimizer")
    try:
        module.register_optimizer_step_post_hook(end_step)
    except AttributeError:
        report("--at-step: this PyTorch has no hooks of optimizer steps: name an NVTX range with --step-range")
        return
    begin()


# Collections of the youngest objects only are not shown: they are short, and there are many.
def mark_collections():
    enter, leave = make_range("Python GC", "Garbage collection", 0xFF808080)

    def on_collection(phase, info):
        if info["generation"] > 0:
            (enter if phase == "start" else leave)()

    gc.callbacks.append(on_collection)


TORCH_FUNCTIONS = {
    "torch": [
        "Tensor.backward", "autograd.backward", "autograd.grad", "optim.Optimizer.zero_grad",
        "nn.utils.clip_grad_norm_", "nn.utils.clip_grad_value_", "save", "load"],
    "torch.utils.data.dataloader": ["_BaseDataLoaderIter.__next__", "DataLoader.__iter__"],
    "torch.amp.grad_scaler": [
        "GradScaler.scale", "GradScaler.unscale_", "GradScaler.step", "GradScaler.update"],
    "torch.distributed.distributed_c10d": [
        "init_process_group", "destroy_process_group", "new_group", "barrier",
        "all_reduce", "all_reduce_coalesced", "all_gather", "all_gather_into_tensor",
        "all_gather_object", "reduce", "reduce_scatter", "reduce_scatter_tensor", "broadcast",
        "broadcast_object_list", "gather", "scatter", "all_to_all", "all_to_all_single",
        "send", "recv", "isend", "irecv", "batch_isend_irecv"],
}


def want_pytorch(what, everything):
    act = actions.setdefault("torch", [use_is_compiling])
    if what == "autograd-nvtx":
        act.append(emit_nvtx(False))
    elif what == "autograd-shapes-nvtx":
        act.append(emit_nvtx(True))
    elif what == "operators":
        act.append(observe_or_emit_nvtx)
    elif what == "memory":
        act.append(record_memory)
    elif what in ("functions-trace", "functions-trace-shapes"):
        act += [annotate_modules(what == "functions-trace-shapes", "module-paths" in everything), annotate_optimizers]
        want_vllm()
        for module, paths in TORCH_FUNCTIONS.items():
            wanted.setdefault(module, []).extend((PYTORCH, path, COLOR) for path in paths)


# --------------------------------------------------------------------------------------------------

with open(SESSION + "/python_annotations", encoding="utf-8") as a_file:
    WANTED = eval(a_file.read(), {"__builtins__": {}})

wanted = {}   # module: [(domain, function, color)]
actions = {}  # module: [function that gets the module]
for a_domain, a_module, a_function, a_color in WANTED["functions"]:
    wanted.setdefault(a_module, []).append((a_domain, a_function, a_color))
if any(name == "torch" or name.startswith("torch.") for name in wanted):
    actions["torch"] = [use_is_compiling]
for a_what in WANTED["pytorch"]:
    want_pytorch(a_what, WANTED["pytorch"])
if WANTED["garbage"]:
    mark_collections()
if WANTED["steps"]:
    actions.setdefault("torch", [use_is_compiling]).append(mark_steps)
sys.meta_path.insert(0, Finder())
for a_name in [name for name in {**wanted, **actions} if name in sys.modules]:
    annotate(sys.modules[a_name], everywhere=True)
