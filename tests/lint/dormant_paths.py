"""The instructions that a wrapper of libprof_inject.so executes while nobody collects, by disassembly."""
import re
import subprocess

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
LABEL = re.compile(r"^[0-9a-f]+ <([^>@]+)(@.*)?>:$")


def functions(library):
    """{name: [(address, mnemonic, operands)]}"""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(library)], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        if label := LABEL.match(line):
            current = found.setdefault(label.group(1), [])
        elif current is not None and (match := INSTRUCTION.match(line)):
            current.append((int(match.group(1), 16), match.group(2), match.group(3)))
    return found


def to_real_function(code):
    """The mnemonics from the entry to the indirect jump, if no branch is taken before; else None."""
    words = []
    for _, word, operands in code:
        words.append(word)
        if word == "jmp" and operands.startswith("*"):
            return words
        if word in ("jmp", "ret", "call"):
            return None
    return None
