"""Optional packages: loaded when installed, named together with their extra when not."""

import pytest

import thresher as th
from thresher._internal.optional import extra


def test_an_installed_package_is_loaded():
    assert extra("json.decoder", name="any").JSONDecoder


def test_an_absent_package_is_named_with_its_extra():
    with pytest.raises(th.errors.MissingExtraError) as caught:
        extra("absent.part", name="sql")
    assert caught.value.what == "this needs the package absent, which is not installed"
    assert caught.value.where == "extra(package)"
    assert caught.value.fix == 'pip install "thresher[sql]"'
    assert isinstance(caught.value, ImportError)
