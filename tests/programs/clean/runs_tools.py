"""Runs a few tools and reads what they print."""
import subprocess
import sys

for arguments in (["uname", "-s"], ["date", "+%s"], ["ls", "/"], ["sort", __file__]):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, check=True)
    print(arguments[0], len(done.stdout) > 0, file=sys.stdout)
