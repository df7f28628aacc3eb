"""Python's subprocess: vfork or posix_spawn, closed descriptors, other environments, shells."""
import json
import os
import subprocess
import sys

pids = []
child = "import os; print(os.getpid()); open('/dev/null','w').write('x')"
for extra in ({}, {"close_fds": True}, {"env": {"ONLY": "this"}}, {"preexec_fn": lambda: None}):
    done = subprocess.run([sys.executable, "-S", "-c", child], stdout=subprocess.PIPE, check=True,
                          **extra)
    pids.append(int(done.stdout))
done = subprocess.run(f'"{sys.executable}" -S -c "{child}"', shell=True, stdout=subprocess.PIPE,
                      check=True)
pids.append(int(done.stdout))
print(json.dumps({"parent": os.getpid(), "children": pids}))
