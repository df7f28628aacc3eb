"""Other libraries' functions with the names of those that prof wraps: their own, with other parameters, and
replacements of libc's. All calls reach them as without prof."""
import pytest
from difficult_runs import both
from profiling import PROGRAMS, program

OPTIONS = {"default": {}, "no samples": {"options": ("-s", "none", "--cpuctxsw=none")}, "nvtx": {"traces": "nvtx"},
           "nothing": {"traces": "none", "options": ("-s", "none")}, "thinned": {"options": ("--max-overhead", "5")}}


@pytest.mark.parametrize("options", OPTIONS)
def test_own_functions_get_their_arguments(tmp_path, options):
    """Also those after the ones that libc's function has, and in floating point registers."""
    report = both(tmp_path, program("calls_own_functions"), **OPTIONS[options])
    assert report.done.stdout.endswith(" calls, 0 missing\n") and report.done.stdout.count("\n") == 1


def test_own_functions_of_a_library_that_is_preloaded_too(tmp_path):
    report = both(tmp_path, "env", f"LD_PRELOAD={PROGRAMS}/libown_functions.so", program("calls_own_functions"))
    assert report.done.stdout.endswith(" calls, 0 missing\n") and report.done.stdout.count("\n") == 1


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("how", ["linked", "preloaded"])
def test_replacements_are_called(tmp_path, how, options):
    if how == "linked":
        command = [program("calls_linked_replacements")]
    else:
        command = ["env", f"LD_PRELOAD={PROGRAMS}/libreplaced_functions.so", program("calls_replaced")]
    report = both(tmp_path, *command, **OPTIONS[options])
    assert report.done.returncode == 0 and report.done.stdout.count("replaced") == 14
