# Part of _prof_python (annotations.py): the forward passes of PyTorch's modules under their paths in the model.


class PathRanges:
    """The ranges of forward passes. They are named after the class of the module and its path in the model whose
    forward pass ran first: "Conv2d layer1.0.conv2.forward"."""

    MAX_NAMES = 65536  # a program that makes models all the time gets no more names than that

    def __init__(self, by_type):
        self.by_type = by_type  # RangesByType, for modules without a path
        self.paths = {}         # by id of the module: (weak reference, path)
        self.ranges = {}        # by class and path, and by shapes

    def path_of(self, module):
        known = self.paths.get(id(module))
        if known is None or known[0]() is not module:
            self.add_model(module)
            known = self.paths[id(module)]
        return known[1]

    # A module whose model is not known yet is a model itself. Modules that belong to a known model keep their paths.
    def add_model(self, model):
        if len(self.paths) >= self.MAX_NAMES:
            self.paths.clear()  # most of them are gone
        self.paths[id(model)] = _weakref.ref(model), ""
        for path, module in list(model.named_modules()):
            self.paths[id(module)] = _weakref.ref(module), path

    def of_call(self, kind, module, args, kwargs):
        try:
            path = self.path_of(module)
        except Exception:  # a module may have its own named_modules()
            path = ""
        if not path:
            return self.by_type.of_class(kind, module, args, kwargs)
        shapes = self.by_type.shapes
        key = kind, path, shapes and shapes.of_call(module, args, kwargs)
        found = self.ranges.get(key)
        if found is None:
            if len(self.ranges) >= self.MAX_NAMES:
                return self.by_type.of(kind)
            text = f"{kind.__name__} {path}.{self.by_type.method}" + (shapes.text(key[2]) if shapes else "")
            found = self.ranges[key] = make_range(PYTORCH, text, COLOR)
        return found
