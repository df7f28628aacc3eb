def clip_grad_norm_(parameters, norm):
    pass


def clip_grad_value_(parameters, value):
    pass
