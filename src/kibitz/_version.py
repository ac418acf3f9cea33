"""The installed version."""

from importlib import metadata

try:
    __version__ = metadata.version("kibitz")
except metadata.PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0+unknown"
