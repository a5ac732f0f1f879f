"""Where fetched servers and other things worth keeping lie between runs."""
import os
import pathlib


def cache_folder():
    """As `temporary_folder.hpp` has it: ISOTAP_CACHE, else the user's, else for root the machine's."""
    named = os.environ.get("ISOTAP_CACHE")
    if named:
        folder = pathlib.Path(named)
    elif os.environ.get("XDG_CACHE_HOME"):
        folder = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "isotap"
    elif os.geteuid() == 0:
        folder = pathlib.Path("/var/cache/isotap")
    else:
        folder = pathlib.Path.home() / ".cache" / "isotap"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
