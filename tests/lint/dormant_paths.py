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
    """The mnemonics from the entry to the indirect jump, or None. No branch is taken before but one on equality
    just after the comparison of the gate's word with 1."""
    words, compared, target = [], False, None
    for address, word, operands in code:
        if target is not None and address != target:
            continue
        target = None
        words.append(word)
        if word == "jmp" and operands.startswith("*"):
            return words
        if word in ("jmp", "ret", "call"):
            return None
        if word == "je" and compared:
            target = int(operands.split()[0], 16)
        compared = word == "cmpl" and operands.startswith("$0x1,(")
    return None
