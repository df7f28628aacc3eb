#!/bin/sh
# Runs in a root: ways.sh tarball|wheel|deb. Installs prof, uses it as root and as another user, removes it, and
# compares all files with those from before.
set -eu
export HOME=/root LC_ALL=C.UTF-8 PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
files() { find / -xdev \( -path /tmp -o -path /proc -o -path /dev -o -path /dist -o -path /var/lib/dpkg -o -path /var/cache \
  -o -path /var/log -o -path '*/__pycache__' \) -prune -o -print | sort; }
smoke() {
  python3 /dist/smoke.py "$@"
  chmod 1777 /tmp
  HOME=/nonexistent python3 -c "import os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.execvp('python3', ['python3', *sys.argv[1:]])" /dist/smoke.py "$@"
}
case $1 in
tarball)
  files >/tmp/before
  mkdir "/opt/with blank"
  tar -C "/opt/with blank" --strip-components=1 -xzf /dist/prof-*.tar.gz
  mount --bind "/opt/with blank" "/opt/with blank"
  mount -o remount,bind,ro "/opt/with blank"
  export PYTHONPATH="/opt/with blank/lib/prof/python"
  smoke "/opt/with blank/bin/prof" python3
  test -s "/opt/with blank/share/doc/prof/README.md"
  umount "/opt/with blank"
  rm -r "/opt/with blank"
  ;;
wheel)
  python3 -m venv /opt/venv
  # pip knows names as manylinux_2_28 since 20.3.
  /opt/venv/bin/pip --version | grep -qE ' (9|1.|20\.[0-2])\.' && /opt/venv/bin/pip install -q /dist/pip-*.whl
  files >/tmp/before
  /opt/venv/bin/pip install -q /dist/prof_profiler-*.whl
  smoke /opt/venv/bin/prof /opt/venv/bin/python
  test -s /opt/venv/share/man/man1/prof.1.gz
  test -s /opt/venv/share/prof/skill/SKILL.md
  test -s /opt/venv/share/prof/schema/facts.json
  /opt/venv/bin/pip uninstall -q -y prof-profiler
  find /opt/venv -depth -type d -empty -newer /tmp/before -delete
  ;;
deb)
  files >/tmp/before
  dpkg -i /dist/prof_*.deb >/dev/null
  smoke /usr/bin/prof python3
  dpkg -L prof | grep -q /usr/share/man/man1/prof-stats.1.gz
  dpkg -L prof | grep -q /usr/share/prof/skill/SKILL.md
  dpkg -L prof | grep -q /usr/share/prof/schema/facts.json
  dpkg -P prof >/dev/null
  ;;
esac
files >/tmp/after
# Links that prof made for the path with a blank are in /tmp.
diff /tmp/before /tmp/after
