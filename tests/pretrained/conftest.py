"""The models' tests run where `make models` has installed them."""

from lnviz.pretrained import PACKAGES

installed = all(package.is_installed() for package in PACKAGES.values())
TESTS = ("test_models.py", "test_swaps.py", "test_elsewhere.py")
collect_ignore = ["reference.py", *(() if installed else TESTS)]
