"""Where the program is, and how it is run."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

package = Path(__file__).resolve().parent

# What CMake installs (cmake/install.cmake) lies in the package as it would below /usr.
installed_program = package / "bin" / "warpclock"
installed_reports = package / "share" / "warpclock" / "reports"


class NotFound(LookupError):
    """The program, a folder of reports or a GPU in it is not there."""


class ProgramError(RuntimeError):
    """The program could not carry out its command. The text is its own message."""


class BadInput(ValueError):
    """What was given is no kernel, launch or argument that warpclock knows. The text says what is."""


def program() -> Path:
    """The program: $WARPCLOCK_PROGRAM, else the one of this package. Raises NotFound."""
    named = os.environ.get("WARPCLOCK_PROGRAM")
    path = Path(named) if named else installed_program
    if not os.access(path, os.X_OK):
        raise NotFound(f"there is no program {path}; install the wheel, or name the program in WARPCLOCK_PROGRAM")
    return path


def environment() -> dict[str, str]:
    """This process's environment. If NVIDIA's wheels are in another folder than this package, where the program does
    not look, CUDAToolkit_ROOT names it; one that the user set stays."""
    variables = dict(os.environ)
    if "CUDAToolkit_ROOT" not in variables and not (package.parent / "nvidia" / "cu13").is_dir():
        try:
            wheels = importlib.util.find_spec("nvidia.cu13")
        except ModuleNotFoundError:
            wheels = None
        if wheels is not None and wheels.submodule_search_locations:
            variables["CUDAToolkit_ROOT"] = str(next(iter(wheels.submodule_search_locations)))
    return variables


def output_of(*arguments: str, text: str = "") -> str:
    """What the program prints for these arguments and this standard input.

    A status of 1 or 2 with output is an answer, too: a line was refused. Raises ProgramError if it printed nothing but
    an error, and NotFound without a program.
    """
    ran = subprocess.run(
        [program(), *arguments], input=text, capture_output=True, text=True, env=environment(), check=False
    )
    if ran.returncode != 0 and not ran.stdout:
        raise ProgramError(ran.stderr.strip().removeprefix("warpclock: ") or f"status {ran.returncode}")
    return ran.stdout
