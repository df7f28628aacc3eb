def _collective(tensor):
    return tensor


def all_reduce(tensor):
    return _collective(tensor)


def broadcast(tensor, src):
    return _collective(tensor)
