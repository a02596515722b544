"""`python -m warpclock`, and the command `warpclock`: becomes the program that the package brings."""

import os
import sys

from warpclock._program import NotFound, environment, program


def main() -> None:
    """Does not return: the program takes this process over, so its exit status and signals are the caller's."""
    try:
        path = program()
    except NotFound as error:
        sys.exit(f"warpclock: {error}")
    os.execve(path, ["warpclock", *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
