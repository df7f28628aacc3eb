# Part of _prof_python (annotations.py): what PyTorch does, its modules and its optimizers.


def use_is_compiling(torch):
    global is_compiling
    compiler = getattr(torch, "compiler", None)
    is_compiling = getattr(compiler, "is_compiling", is_compiling)


def emit_nvtx(record_shapes):
    """Runs torch.autograd.profiler.emit_nvtx around everything that the program does from now on."""

    def enable_emit_nvtx(torch):
        # emit_nvtx synchronizes first. This would set up CUDA before the program has forked or chosen a
        # device, and needs a GPU.
        def without_synchronizing(action):
            synchronize = torch.cuda.synchronize
            torch.cuda.synchronize = lambda *args, **kwargs: None
            try:
                action()
            finally:
                torch.cuda.synchronize = synchronize

        ranges = torch.autograd.profiler.emit_nvtx(record_shapes=record_shapes)
        without_synchronizing(ranges.__enter__)
        import atexit
        import os
        process = os.getpid()

        def leave():
            if os.getpid() == process:
                without_synchronizing(lambda: ranges.__exit__(None, None, None))

        atexit.register(leave)

    return enable_emit_nvtx


def record_memory(torch):
    if not record_torch_memory():
        version = getattr(torch, "__version__", "of an unknown version")
        report(f"--pytorch=memory: nothing is recorded: PyTorch {version} does not have the functions that its "
               "allocators call.")


MAX_SHAPES = 4096  # a program whose shapes always differ gets no more names than that


class Shapes:
    """The sizes of tensors, as text: "[[32, 64], []]". What is not a tensor has none, as in emit_nvtx."""

    def __init__(self, torch):
        # Only these classes: reading the sizes of others may run code of the program.
        self.tensor, self.parameter = torch.Tensor, torch.nn.Parameter

    def of(self, values):
        return tuple([tuple(value.shape) if type(value) is self.tensor or type(value) is self.parameter else ()
                      for value in values])

    def of_call(self, module, args, kwargs):
        own = vars(module).get("_parameters") or {}
        return self.of(args) + self.of(kwargs.values()), self.of(own.values())

    @staticmethod
    def text(sizes):
        arguments, parameters = sizes
        return f", sizes = {[list(each) for each in arguments]}" + (
            f", parameters = {[list(each) for each in parameters]}" if parameters else "")


class RangesByType:
    """The ranges of a method. They are named after the class of the object."""

    def __init__(self, method):
        self.method = method
        self.known = {}
        self.shapes = None
        self.of_shapes = {}
        self.paths = None

    def with_shapes(self, shapes):
        self.shapes = shapes
        return self

    def with_paths(self):
        self.paths = PathRanges(self)
        return self

    def of_class(self, kind, object, args, kwargs):
        """The range of a call, perhaps with the sizes of its arguments in the name."""
        if self.shapes is None:
            return self.known.get(kind) or self.of(kind)
        key = kind, self.shapes.of_call(object, args, kwargs)
        found = self.of_shapes.get(key)
        if found is None:
            if len(self.of_shapes) == MAX_SHAPES:
                return self.known.get(kind) or self.of(kind)
            text = f"{kind.__name__}.{self.method}" + self.shapes.text(key[1])
            found = self.of_shapes[key] = make_range(PYTORCH, text, COLOR)
        return found

    def of(self, kind):
        found = self.known.get(kind)
        if found is None:
            found = self.known[kind] = make_range(PYTORCH, f"{kind.__name__}.{self.method}", COLOR)
        return found

    def wrap(self, function):
        if is_wrapped(function):
            return function
        ranges_of = self.known.get
        make = self.of
        is_by_call = self.shapes is not None or self.paths is not None
        of_call = self.of_class if self.paths is None else self.paths.of_call

        def wrapper(self, *args, **kwargs):
            if is_compiling():
                return function(self, *args, **kwargs)
            kind = type(self)
            enter, leave = of_call(kind, self, args, kwargs) if is_by_call else ranges_of(kind) or make(kind)
            enter()
            try:
                return function(self, *args, **kwargs)
            finally:
                leave()

        return copy_attributes(wrapper, function)


def annotate_modules(has_shapes, has_paths):
    def annotate_forward_passes(torch):
        ranges = RangesByType("forward")
        if has_shapes:
            ranges.with_shapes(Shapes(torch))
        if has_paths:
            ranges.with_paths()
        replace(torch.nn.Module, "__call__", ranges.wrap, False)

    return annotate_forward_passes


# Each class has its own step method, also the classes of the program.
def annotate_optimizers(torch):
    ranges = RangesByType("step")
    base = torch.optim.Optimizer

    def annotate_step(kind):
        if "step" in vars(kind):
            replace(kind, "step", ranges.wrap, False)

    def annotate_subclasses(kind):
        for subclass in kind.__subclasses__():
            annotate_step(subclass)
            annotate_subclasses(subclass)

    def __init_subclass__(cls, **arguments):
        super(base, cls).__init_subclass__(**arguments)
        annotate_step(cls)

    annotate_subclasses(base)
    if "__init_subclass__" not in vars(base):
        base.__init_subclass__ = classmethod(__init_subclass__)
