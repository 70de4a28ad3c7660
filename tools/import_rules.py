"""A rule for import-linter: what a package may load from outside, as a list of what is allowed.

A list of what is forbidden forgets the next library; this one refuses it.
"""

from __future__ import annotations

import sys
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class AllowedContract(Contract):
    """packages: `PACKAGE: NAME NAME ...`; of several that hold a module the innermost decides.

    What the project itself brings and the standard library are not looked at.
    """

    type_name = "allowed"
    packages = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """See `importlinter.Contract`."""
        rules = dict(_parsed(entry) for entry in self.packages)  # type: ignore[attr-defined]
        broken = []
        for module in graph.modules:
            package = max((name for name in rules if _is_in(module, name)), key=len, default="")
            if not package:
                continue
            for imported in graph.find_modules_directly_imported_by(module):
                outside = imported.partition(".")[0]
                if not graph.is_module_squashed(imported) or outside in sys.stdlib_module_names:
                    continue
                if outside not in rules[package]:
                    broken.append((module, outside, package))
        return ContractCheck(kept=not broken, metadata={"broken": sorted(broken)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """See `importlinter.Contract`."""
        for module, outside, package in check.metadata["broken"]:
            output.print_error(f"{module} imports {outside}, which {package} may not.")


def _parsed(entry: Any) -> tuple[str, set[str]]:  # noqa: ANN401 (as the field gives it)
    package, _, names = str(entry).partition(":")
    return package.strip(), set(names.split())


def _is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")
