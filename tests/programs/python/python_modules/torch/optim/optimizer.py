HOOKS = []


def register_optimizer_step_post_hook(hook):
    HOOKS.append(hook)
