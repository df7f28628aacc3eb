#!/usr/bin/env python3
"""The functions of UCX and OpenSHMEM that prof records, for injection/ucx/ucx.def and injection/oshmem/oshmem.def.

With --write: makes the lists. UCX's is what the header of the installed UCX (libucx-dev) declares, of the functions that
nsys lists. OpenSHMEM's follows from the names of the standard (1.5, and those of older versions), because each is made of
a type and an operation. tests/lint/test_message_functions.py compares it with the header of Open MPI.
"""
import re
import subprocess
import sys
from pathlib import Path

from library_functions import prototypes

ROOT = Path(__file__).resolve().parents[2]
UCX = ROOT / "injection" / "ucx" / "ucx.def"
SHMEM = ROOT / "injection" / "oshmem" / "oshmem.def"
SHMEM_INCLUDE = next(iter(sorted(Path("/usr/lib").glob("*/openmpi/include"))), Path("/usr/include"))

UCX_HEADER = """\
// The UCX functions that prof records, by tests/lint/message_functions.py --write.
//   UCP_FUNCTION(name, number of parameters, Kind, which parameter has which role)
// Parameters count from 0; ucx_functions.hpp explains kinds and roles.
"""
# Those of nsys: not functions that only ask something or are called in loops, such as ucp_worker_progress.
UCX_RECORDED = re.compile(
    r"ucp_(am_(send_nbx?|recv_data_nbx|data_release)|atomic_\w+|cleanup|config_(modify|read|release)|disconnect_nb|"
    r"dt_(create_generic|destroy)|ep_(create|destroy|modify_nb|close_nbx?|flush(_nbx?)?|rkey_unpack)|init_version|"
    r"listener_(create|destroy|query|reject)|mem_(advise|map|unmap|query)|(put|get)(_nbi|_nbx?)?|"
    r"request_(alloc|cancel)|rkey_(buffer_release|destroy|pack|ptr)|stream_(data_release|recv_data_nb|(send|recv)_nbx?|"
    r"worker_poll)|tag_(probe_nb|(send|recv)_nb[rx]?|send_sync_nbx?|msg_recv_nbx?)|"
    r"worker_(create|destroy|get_address|get_efd|arm|fence|wait|signal|wait_mem|flush(_nbx?)?|set_am_(recv_)?handler))$")
TRANSFERS = re.compile(r"ucp_(am_(send|recv)|atomic|put|get|stream_(send|recv)|tag_(send|recv|msg))")
KINDS = {"ucp_worker_create": "Worker", "ucp_ep_create": "Connect", "ucp_ep_destroy": "Disconnect",
         "ucp_ep_close_nb": "Disconnect", "ucp_ep_close_nbx": "Disconnect", "ucp_disconnect_nb": "Disconnect"}

# Names of types in OpenSHMEM's functions and their bytes.
INTEGERS = {"char": 1, "schar": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
            "longlong": 8, "ulonglong": 8, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
            "int64": 8, "uint64": 8, "size": 8, "ptrdiff": 8}
REALS = {"float": 4, "double": 8, "longdouble": 16}
COMPLEX = {"complexf": 8, "complexd": 16}
ATOMIC = [name for name in INTEGERS if name in ("int", "uint", "long", "ulong", "longlong", "ulonglong", "int32", "uint32",
                                                "int64", "uint64", "size", "ptrdiff")]
SIZED = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16, "mem": 1}
SHMEM_HEADER = """\
// The functions of OpenSHMEM that prof records, by tests/lint/message_functions.py --write.
//   LIBRARY_VALUE(name, what its arguments mean)
// Arguments in registers for integers count from 0; shmem_functions.hpp explains the roles.
"""


def ucx_line(name, parameters):
    names = [re.sub(r"\W*\(.*|\[.*", "", each).split()[-1].lstrip("*") for each in parameters.split(",")]
    kind = KINDS.get(name, "Transfer" if TRANSFERS.match(name) else "Call")
    roles = {}
    if kind == "Transfer":
        choices = {"endpoint": ("ep",), "buffer": ("buffer", "result"), "count": ("count", "length", "op_size"),
                   "type": ("datatype",), "tag": ("tag",), "param": ("param",)}
        for role, words in choices.items():
            index = next((names.index(word) for word in words if word in names), None)
            if index is not None and not (role == "count" and "*" in parameters.split(",")[index]):
                roles[role] = index
        size = re.search(r"atomic_\w+?(32|64)$", name)
        if size:
            roles["bytes"] = int(size.group(1)) // 8
        if "param" in roles and re.search(r"tag_(recv|msg)", name):
            roles["callback"] = "Callback::kReceived"
        if "param" in roles and re.search(r"stream_recv|am_recv", name):
            roles["callback"] = "Callback::kStreamed"
    elif kind in ("Worker", "Connect"):
        roles["result"] = len(names) - 1
    elif kind == "Disconnect":
        roles["endpoint"] = 0
    words = [f".{role} = {index}" for role, index in roles.items()]
    return f"UCP_FUNCTION({', '.join([name, str(len(names)), kind, *words])})\n"


def ucx_declared():
    """{name: parameters} of the functions that are recorded; none without the header."""
    if not Path("/usr/include/ucp/api/ucp.h").exists():
        return {}
    return {name: parameters for _, name, parameters in prototypes(["ucp/api/ucp.h"], "/usr/include", "ucp_")
            if UCX_RECORDED.match(name)}


def ucx_text():
    return UCX_HEADER + "".join(ucx_line(name, parameters) for name, parameters in sorted(ucx_declared().items()))


def shmem_roles():
    """{name: roles}"""
    functions = {}

    def add(name, **roles):
        functions[name] = {role: index for role, index in roles.items() if index is not None}

    def with_context(name, **roles):
        """The function and that with a context before its other parameters."""
        add(f"shmem_{name}", **roles)
        add(f"shmem_ctx_{name}", **{role: index if role in ("bytes", "signal") else index + 1 for role, index in roles.items()})

    def copies(name, bytes_):
        for operation in ("put", "get"):
            with_context(name.format(operation), bytes=bytes_, count=2, peer=3)
            with_context(name.format(operation) + "_nbi", bytes=bytes_, count=2, peer=3)

    types = INTEGERS | REALS | COMPLEX
    for name, size in types.items():
        in_register = name in INTEGERS
        copies(name + "_{}", size)
        with_context(f"{name}_put_signal", bytes=size, count=2, peer=6)
        with_context(f"{name}_put_signal_nbi", bytes=size, count=2, peer=6)
        with_context(f"{name}_iput", bytes=size, count=4, peer=5)
        with_context(f"{name}_iget", bytes=size, count=4, peer=5)
        with_context(f"{name}_p", bytes=size, peer=2 if in_register else 1)
        with_context(f"{name}_g", bytes=size, peer=1)
        add(f"shmem_{name}_broadcast", bytes=size, count=3, peer=4)
        for operation in ("collect", "fcollect", "alltoall"):
            add(f"shmem_{name}_{operation}", bytes=size, count=3)
        add(f"shmem_{name}_alltoalls", bytes=size, count=5)
        for operation in ("and", "or", "xor", "min", "max", "sum", "prod"):
            add(f"shmem_{name}_{operation}_reduce", bytes=size, count=3)
            if name in ("short", "int", "long", "longlong", "float", "double", "longdouble", "complexf", "complexd"):
                add(f"shmem_{name}_{operation}_to_all", bytes=size, int_count=2)
    for name, size in SIZED.items():
        copies("{}" + name, size)
        with_context(f"put{name}_signal", bytes=size, count=2, peer=6)
        with_context(f"put{name}_signal_nbi", bytes=size, count=2, peer=6)
        if name != "mem":
            with_context(f"iput{name}", bytes=size, count=4, peer=5)
            with_context(f"iget{name}", bytes=size, count=4, peer=5)
    add("shmem_broadcastmem", bytes=1, count=3, peer=4)
    for operation in ("collectmem", "fcollectmem", "alltoallmem"):
        add(f"shmem_{operation}", bytes=1, count=3)
    add("shmem_alltoallsmem", bytes=1, count=5)
    for name in ("32", "64"):
        add(f"shmem_broadcast{name}", bytes=SIZED[name], count=2, peer=3)
        for operation in ("collect", "fcollect", "alltoall"):
            add(f"shmem_{operation}{name}", bytes=SIZED[name], count=2)
        add(f"shmem_alltoalls{name}", bytes=SIZED[name], count=4)
    add_atomics(add, with_context)
    for name in ("init", "init_thread", "finalize", "barrier_all", "barrier", "sync_all", "sync", "team_sync", "quiet", "fence",
                 "ctx_quiet", "ctx_fence", "malloc", "malloc_with_hints", "calloc", "align", "realloc", "free", "set_lock",
                 "clear_lock", "test_lock", "wait", "team_split_strided", "team_split_2d", "signal_wait_until"):
        add(f"shmem_{name}")
    for name in (*ATOMIC, "short", "ushort", *((f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16)))):
        for suffix in ("", "_all", "_any", "_some", "_all_vector", "_any_vector", "_some_vector"):
            add(f"shmem_{name}_wait_until{suffix}")
    for name in ("short", "int", "long", "longlong"):
        add(f"shmem_{name}_wait")
    return functions


def add_atomics(add, with_context):
    for name in (*ATOMIC, "float", "double"):
        size = (INTEGERS | REALS)[name]
        value = 1 if name in INTEGERS else 0
        with_context(f"{name}_atomic_fetch", bytes=size, peer=1)
        with_context(f"{name}_atomic_set", bytes=size, peer=1 + value)
        with_context(f"{name}_atomic_swap", bytes=size, peer=1 + value)
        if name in INTEGERS:
            for operation in ("add", "and", "or", "xor"):
                with_context(f"{name}_atomic_{operation}", bytes=size, peer=2)
                with_context(f"{name}_atomic_fetch_{operation}", bytes=size, peer=2)
            for operation in ("inc", "fetch_inc"):
                with_context(f"{name}_atomic_{operation}", bytes=size, peer=1)
            with_context(f"{name}_atomic_compare_swap", bytes=size, peer=3)
    # Names before version 1.4.
    for name in ("int", "long", "longlong", "float", "double"):
        size = (INTEGERS | REALS)[name]
        value = 1 if name in INTEGERS else 0
        add(f"shmem_{name}_fetch", bytes=size, peer=1)
        add(f"shmem_{name}_set", bytes=size, peer=1 + value)
        add(f"shmem_{name}_swap", bytes=size, peer=1 + value)
        if name in INTEGERS:
            for operation in ("add", "fadd"):
                add(f"shmem_{name}_{operation}", bytes=size, peer=2)
            for operation in ("inc", "finc"):
                add(f"shmem_{name}_{operation}", bytes=size, peer=1)
            add(f"shmem_{name}_cswap", bytes=size, peer=3)


def shmem_text():
    lines = []
    for name, roles in sorted(shmem_roles().items()):
        words = [f".{role} = {index}" for role, index in roles.items()]
        lines.append(f"LIBRARY_VALUE({', '.join([name, *words])})\n")
    return SHMEM_HEADER + "".join(lines)


def shmem_declared():
    """{name: parameters} of what Open MPI's header declares; none without it."""
    if not (SHMEM_INCLUDE / "shmem.h").exists():
        return {}
    return {name: parameters for _, name, parameters in prototypes(["shmem.h"], SHMEM_INCLUDE, "shmem_")}


def listed(path):
    return re.findall(r"^\w+\((\w+)", path.read_text(), re.M)


if __name__ == "__main__" and sys.argv[1:2] == ["--write"]:
    if not ucx_declared():
        sys.exit("UCX's header is not installed: apt-get install libucx-dev")
    UCX.write_text(ucx_text())
    SHMEM.write_text(shmem_text())
