#!/usr/bin/env python3
"""The MPI functions that prof records, for injection/mpi/mpi.def.

With --write [LIBMPI...]: makes the list from the MPI standard's own description of its functions (apis.json of the
package pympistandard) and from the names that the given libraries and those of this machine export. prof exports those
that all of them have: programs look for names to find out what their MPI can do. Calls of the others are redirected.
"""
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).resolve().parents[2] / "injection" / "mpi" / "mpi.def"
INSTALLED = [path for pattern in ("libmpi.so.40", "libmpich.so.12", "libmpi.so.12")
             for path in Path("/usr/lib").glob(f"*/{pattern}")]
HEADER = """\
// The MPI functions that prof records, by tests/lint/mpi_functions.py --write.
//   MPI_FUNCTION(name, number of parameters, Kind, which parameter has which role): all implementations export it
//   MPI_REDIRECTED(the same): only some do
// Parameters count from 0; mpi_functions.hpp explains kinds and roles.
"""

# Local functions, and those that only describe: they take nanoseconds, and nobody waits in them. MPI_Pcontrol is
# variadic, and MPI_Wtime and MPI_Wtick return a double.
NOT_RECORDED = re.compile(
    r"MPI_(T_|Type_|Group_|Info_|Op_|Errhandler_|Add_error_|Error_|Get_|Keyval_|Attr_|Status_|Grequest_|Address|"
    r".*_(c2f|f2c|keyval|attr|errhandler|name|info|group|rank|size|compare|f2c)$|Comm_(remote_.*|test_inter)$|"
    r"(Cart|Cartdim|Graph|Graphdims|Dist_graph|Topo)_(coords|get|map|neighbors.*|rank|shift|test)$|Dims_create|"
    r"Alloc_mem|Free_mem|Buffer_|Initialized|Finalized|Is_thread_main|Query_thread|Pcontrol|Wtime|Wtick|Pack_.*size|"
    r"Win_(shared_query|get_.*)|File_get_.*|Register_datarep|Aint_|Comm_call_|Win_call_|File_call_|Test_cancelled)")
# Exceptions: of some of these nsys has rows, and others make communicators.
RECORDED = re.compile(r"MPI_File_(get_(amode|group|info|size|view)|set_(info|size))$|MPI_Get(_accumulate)?$|"
                      r"MPI_Comm_(create_group|create_from_group|dup_with_info)$")
# Functions of MPI 4 that not all implementations have, and those with large counts (MPI_Send_c).
REDIRECTED = re.compile(r"MPI_(\w+_init|Isendrecv(_replace)?|Pready\w*|Parrived|Session_(init|finalize)|"
                        r"\w+_create_from_groups?)$")
# Functions of which nsys has no row: they go to prof's own table.
OWN = re.compile(r"MPI_(I?m?probe|Iprobe|Improbe|Mprobe|Probe|Cancel|Request_.*|Abort|Win_test|File_seek.*|"
                 r"File_(set_atomicity)|Comm_.*|Intercomm_.*|Cart_.*|Graph_.*|Dist_graph_.*|Open_port|Close_port|"
                 r"Publish_name|Unpublish_name|Lookup_name|Pready\w*|Parrived)$")
# How the sizes of nsys's rows follow from those of the call (wire::MpiShape).
SHAPES = {"Bcast": "FromRoot", "Scatter": "FromRoot", "Gather": "ToRoot", "Reduce": "ToRoot", "Scan": "Scan",
          "Exscan": "Exscan", "Allreduce": "Exchange", "Allgather": "Exchange", "Alltoall": "Exchange",
          "Reduce_scatter_block": "Exchange", "Gatherv": "SumsAtRoot", "Scatterv": "SumsAtRoot",
          "Allgatherv": "Sums", "Alltoallv": "Sums", "Alltoallw": "Sums", "Reduce_scatter": "Sums"}


def standard():
    """The functions of the standard by name; none without the package."""
    spec = importlib.util.find_spec("pympistandard")
    if spec is None:
        return {}
    text = (Path(spec.origin).parent / "data" / "apis.json").read_text()
    return {each["name"]: each for each in json.loads(text).values()}


def exported(library):
    """Functions of which a library has both names, MPI_X and PMPI_X."""
    text = subprocess.run(["nm", "-D", "--defined-only", str(library)], stdout=subprocess.PIPE, text=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in text.splitlines()}
    return {name for name in names if name.startswith("MPI_") and "P" + name in names}


def parameters(function):
    return [each for each in function["parameters"] if each["suppress"] != "c_parameter" and each["kind"] != "VARARGS"
            and each["name"] != "ierror"]


def roles_of_data(name, names):
    """The roles of a function that moves data; the names of parameters are those of the standard."""
    roles = {"count": ("count", "sendcount", "sendcounts"), "type": ("datatype", "sendtype", "sendtypes"),
             "send_buffer": ("sendbuf",), "count2": ("recvcount", "recvcounts"), "type2": ("recvtype", "recvtypes"),
             "receive_buffer": ("recvbuf",), "peer": ("dest", "source"), "tag": ("tag", "sendtag"), "root": ("root",), "partitions": ("partitions",)}
    if "sendrecv" in name.lower():
        roles |= {"peer": ("dest",), "peer2": ("source",), "tag2": ("recvtag",)}
    return roles


def kind_and_roles(name, function):
    given = parameters(function)
    names = [each["name"] for each in given]
    kinds = [each["kind"] for each in given]
    roles = {"comm": ("comm", "old_comm", "comm_old", "local_comm", "intercomm", "peer_comm"), "request": ("request",),
             "requests": ("array_of_requests",), "status": ("status",)}
    base = re.sub(r"_init$", "", name.removeprefix("MPI_"))
    base = base[1:].capitalize() if base.startswith("I") and base[1:].capitalize() in (*SHAPES, "Barrier") else base
    extra = {}
    if name in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize"):
        kind, roles = name.removeprefix("MPI_").removesuffix("_thread"), {}
    elif name.startswith("MPI_Session_"):
        kind, roles = {"init": "SessionInit", "finalize": "SessionFinalize"}[name.removeprefix("MPI_Session_")], {}
    elif re.match(r"MPI_(Start|Startall|Wait\w*|Test|Testall|Testany|Testsome)$", name):
        kind = "Requests"
        roles |= {"count": ("count", "incount"), "statuses": ("array_of_statuses",), "flag": ("flag",),
                  "index": ("index", "indx"), "indices": ("array_of_indices",), "done_count": ("outcount",)}
    elif name == "MPI_File_open" or base == "Barrier":
        kind = "Collective"
    elif "BUFFER" in kinds and "DATATYPE" in kinds and ("TAG" in kinds or "MESSAGE" in kinds):
        kind = "Exchange" if "sendrecv" in name.lower() else "Message"
        roles |= roles_of_data(name, names)
        if not set(names) & {"source", "message"}:
            del roles["status"]
    elif "BUFFER" in kinds and "DATATYPE" in kinds and "COMMUNICATOR" in kinds and "ack" not in name:
        kind = "Collective"
        if base in SHAPES:
            roles |= roles_of_data(name, names)
            extra["shape"] = f"Shape::k{SHAPES[base]}"
        roles.pop("status", None)
        if "Reduce_scatter" == base:
            roles["count"], roles["count2"] = ("recvcounts",), ()
        if "Reduce_scatter_block" == base:
            roles["count"], roles["count2"] = ("recvcount",), ()
        arrays = [each["name"] for each in given if each["length"] and "count" in each["name"]]
        sums = sum(1 if each.startswith("send") or base == "Reduce_scatter" else 2 for each in arrays)
        if base in SHAPES and sums:
            extra["arrays"] = sums | (4 if "sendtypes" in names else 0)
    elif any(each["kind"] == "COMMUNICATOR" and each["param_direction"] == "out" for each in given):
        kind = "Communicator"
        del roles["status"], roles["requests"]
        roles["new_comm"] = [each["name"] for each in given if each["kind"] == "COMMUNICATOR" and each["param_direction"] == "out"]
        if re.search(r"_i?dup", name):
            extra["is_copy"] = "true"
    else:
        kind, roles = ("Own" if OWN.match(name) else "Other"), {}
    found = {}
    for role, choices in roles.items():
        index = next((names.index(each) for each in choices if each in names), None)
        if index is not None:
            found[role] = index
    if kind == "Communicator" and found.get("comm") == found["new_comm"]:
        del found["comm"]
    return kind, found | extra


def has_large_counts(function):
    """Whether there is a function with _c at the end of its name, whose counts have 64 bits."""
    return any(each["kind"].startswith("POLY") for each in function["parameters"])


ORDER = ["count", "type", "count2", "type2", "send_buffer", "receive_buffer", "peer", "tag", "peer2", "tag2", "comm",
         "new_comm", "root", "request", "requests", "status", "statuses", "flag", "index", "indices",
         "done_count", "partitions", "arrays", "shape", "is_copy", "is_large"]


def line(macro, name, function):
    kind, roles = kind_and_roles(name.removesuffix("_c"), function)
    if name.endswith("_c") and "count" in roles:
        roles["is_large"] = "true"
    words = [f".{role} = {roles[role]}" for role in ORDER if role in roles]
    return f"{macro}({', '.join([name, str(len(parameters(function))), kind, *words])})\n"


def is_recorded(name):
    return bool(RECORDED.match(name)) or not NOT_RECORDED.match(name)


def redirected(names):
    """The functions of the standard that are recorded beside these: {name: description}."""
    functions = standard()
    later = {name: function for name, function in functions.items() if name not in names and REDIRECTED.match(name)}
    large = {name + "_c": function for name, function in functions.items()
             if has_large_counts(function) and (name in later or name in names and is_recorded(name))}
    return later | large


def text_of(names):
    functions = standard()
    exported_lines = [line("MPI_FUNCTION", name, functions[name]) for name in sorted(names) if is_recorded(name)]
    others = [line("MPI_REDIRECTED", name, function) for name, function in sorted(redirected(names).items())]
    return HEADER + "".join(exported_lines + others)


def listed():
    return re.findall(r"^MPI_FUNCTION\((\w+)", LIST.read_text(), re.M)


if __name__ == "__main__" and sys.argv[1:2] == ["--write"]:
    if not standard():
        sys.exit("pympistandard is not installed: pip install -r tests/requirements.txt")
    LIBRARIES = INSTALLED + sys.argv[2:]
    LIST.write_text(text_of(set.intersection(*map(exported, LIBRARIES)) & set(standard())))
