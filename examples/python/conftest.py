import pathlib

import pytest

pytest_plugins = ["coffer_vault"]


@pytest.fixture(scope="session")
def coffer_options():
    return ["--seed", str(pathlib.Path(__file__).parent.parent / "coffer.seed.yaml")]
