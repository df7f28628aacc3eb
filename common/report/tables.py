#!/usr/bin/env python3
"""Makes from the definitions of the report's tables (schema/*.sql, see schema/README.md) what else says what a table is.

    tables.py --build FOLDER FILE...   schema_files.inc (the statements), table_rows.inc (the rows of report::ReportWriter) and
                                       column_formats.inc (the types that nsys's Arrow files give to columns)
    tables.py --docs DOCUMENT FILE...  the list of tables in DOCUMENT; with --check only compares, and fails if it differs
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Types of tags: the format of the Arrow C data interface, and the type of the C++ field.
TYPES = {"int64": ("l", "std::int64_t"), "uint64": ("L", "std::int64_t"), "int32": ("i", "std::int32_t"),
         "uint32": ("I", "std::uint32_t"), "bool": ("b", "bool"), "double": ("g", "double"), "float": ("f", "double"),
         "text": ("U", "std::string_view")}
PLAIN = {"INTEGER": "std::int64_t", "TEXT": "std::string_view", "REAL": "double", "BLOB": "Blob"}  # of columns without such a format
TAG = re.compile(r"-- \{([^}]*)\} ?")
COLUMN = re.compile(r"  (\w+) (INTEGER|TEXT|REAL|BLOB)\b[^{]*" + TAG.pattern)
FIELD = re.compile(r"([.=]?)(\w+)(?::(\w+))?(?:=([\w:]+))?(\??)$")
LARGE = ("std::int64_t", "double", "std::string_view", "Blob")  # fields of 8 bytes and more; those of others have 4 or 1


@dataclass
class Table:
    name: str
    statement: str = ""  # without tags
    comment: str = ""
    row: list = field(default_factory=list)  # words of the tag: the name of the struct, and what holds for it
    docs: str = ""
    columns: list = field(default_factory=list)  # (name, format in Arrow files, type of the field, what the field is)


def read_table(path):
    table = Table(Path(path).stem)
    for line in Path(path).read_text().splitlines():
        if tag := re.fullmatch(r"  -- \{(row|docs) (.*)\}", line):
            if tag[1] == "row":
                table.row = tag[2].split()
            else:
                table.docs = tag[2]
            continue
        if line.startswith("  -- ") and not table.comment:
            table.comment = line[5:]
        if column := COLUMN.match(line):
            kind, *words = column[3].split(" ", 1)
            form, field_type = (None, PLAIN[column[2]]) if kind == "-" else TYPES[kind]
            table.columns.append((column[1], form, field_type, *words))
            line = re.sub(r" *-- $", "", TAG.sub("-- ", line))
        table.statement += line + "\n"
    return table


class Row:
    """The C++ struct of a table's rows."""

    def __init__(self, table):
        self.table, (self.name, *flags) = table, table.row
        self.fields, self.columns, self.optional = [], [], 0
        self.base = flags[flags.index(":") + 1] if ":" in flags else None
        self.is_ordered, self.is_nullable = "ordered" in flags, "nullable" in flags
        for _, _, kind, what in table.columns:
            self.add(kind, what)
        self.weighted = [flag for flag in flags if flag.startswith("weighted")]
        for flag in self.weighted:
            self.add("std::int64_t", flag.replace("weighted", "weight=1"))

    def add(self, kind, what):
        if what == "null":
            self.columns.append("kNullColumn")
        elif what.startswith("const "):
            self.columns.append(f"constant({what[6:]})")
        else:
            mark, name, special, default, optional = FIELD.match(what).groups()
            kind = TYPES[special][1] if special in TYPES else special or kind
            if optional:
                self.optional |= 1 << len(self.columns)
            if mark == "=":  # NULL where the field's first column is
                self.optional |= (self.optional >> self.first(name) & 1) << len(self.columns)
            self.columns.append(f"&{self.name}::{name}")
            if not mark:
                self.fields.append((kind, name, default))

    def first(self, name):
        return self.columns.index(f"&{self.name}::{name}")

    def text(self):
        bases = [self.base] if self.base else [f"OptionalColumns<{self.name}>"] if self.optional else []
        lines = [f"// {self.table.comment}", f"struct {self.name}{' : ' + bases[0] if bases else ''} {{"]
        # The largest first, so there are no gaps.
        for kind, name, default in sorted(self.fields, key=lambda each: (each[0] not in LARGE) + (each[0] == "bool")):
            lines.append(f"  {kind} {name}{' = ' + default if default else '{}'};")
        if self.optional or self.is_nullable:
            lines.append(f"  std::uint32_t nulls = {self.optional:#x};  // bit i: column i is NULL")
        if self.is_ordered:
            lines.append(f"  auto operator<=>(const {self.name}&) const = default;")
        lines += ["};", "template <>", f"struct RowTraits<{self.name}> {{",
                  f'  static constexpr const char* kTable = "{self.table.name}";',
                  f"  static constexpr auto kColumns = columns<{self.name}>({', '.join(self.columns)});"]
        if self.weighted:
            lines.append("  static constexpr bool kHasWeight = true;")
        return "\n".join([*lines, "};", ""])


def build(folder, tables):
    rows = [Row(table) for table in tables if table.row]
    batches = ", ".join(f"std::vector<{row.name}>" for row in rows)
    made = {
        # The standard limits a string literal to 64 KiB, but GCC and Clang accept any length.
        "schema_files.inc": "".join(f'{{"{each.name}", R"sql({each.statement})sql"}},\n' for each in tables),
        "table_rows.inc": "\n".join(row.text() for row in rows) + f"\nusing RowBatches = std::tuple<{batches}>;\n",
        "column_formats.inc": "".join(f'{{{{"{each.name}", "{column}"}}, \'{form}\'}},\n' for each in tables
                                      for column, form, *_ in sorted(each.columns) if form),
    }
    for name, text in made.items():
        Path(folder, name).write_text("// Made by common/report/tables.py.\n" + text)


def docs(tables):
    lines = ["| table | what | since |", "|---|---|---|"]
    for table in tables:
        if not table.docs.startswith("as "):
            names = [table.name] + [each.name for each in tables if each.docs == f"as {table.name}"]
            since, what = re.fullmatch(r"(?:since (\S+): )?(.*)", table.docs).groups()
            lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {what} | {since or '0.1'} |")
    return "\n".join(lines) + "\n"


def main():
    command, target, *files = sys.argv[1:]
    check = "--check" in files
    tables = sorted((read_table(path) for path in files if path != "--check"), key=lambda table: table.name)
    if command == "--build":
        return build(target, tables)
    text = Path(target).read_text()
    changed = re.sub(r"^\| table \| what \| since \|\n(\|.*\n)*", lambda _: docs(tables), text, flags=re.M)
    if check and changed != text:
        sys.exit(f"{target} does not list the tables as common/report/schema has them: run {sys.argv[0]} --docs")
    Path(target).write_text(changed)


if __name__ == "__main__":
    main()
