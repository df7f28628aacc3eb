"""The wheel has a shared library, but no extension module: one wheel serves every version of Python 3."""

import subprocess

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


def platform():
    """manylinux with the newest version of glibc that the library needs."""
    symbols = subprocess.run(["readelf", "--wide", "--version-info", "prof_report/libprof_report.so"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    versions = [word[len("GLIBC_2."):] for word in symbols.split() if word.startswith("GLIBC_2.")]
    return f"manylinux_2_{max(int(version.split('.')[0]) for version in versions)}_x86_64"


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", platform()


setup(distclass=BinaryDistribution, cmdclass={"bdist_wheel": Wheel})
