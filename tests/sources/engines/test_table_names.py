"""A table is opened by its name, or the error says which ones there are."""

import ibis
import pyarrow as pa
import pytest

import thresher as th
from tests.sources.test_scan import in_duckdb
from thresher.sources.engines.connect import _named_table as named_table
from thresher.sources.engines.connect import require_table_name

pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis, about pandas


@pytest.fixture
def engine():
    one = ibis.duckdb.connect()
    in_duckdb(one, "mails", pa.table({"y": [1, 0]}))
    one.create_database("spring")
    in_duckdb(one, "letters", pa.table({"y": [1, 0, 1]}), schema="spring")
    in_duckdb(one, "a.b", pa.table({"y": [1]}))
    return one


@pytest.mark.parametrize(
    ("name", "rows"),
    [("mails", 2), (("mails",), 2), (("spring", "letters"), 3), (["spring", "letters"], 3), ("a.b", 1)],
)
def test_a_table_by_its_name(engine, name, rows):
    assert named_table(engine, name, place="here").count().execute() == rows


@pytest.mark.parametrize(
    ("name", "words", "fix"),
    [
        ("mail", "here has no table 'mail'", "'mails'"),
        ("spring.letters", "here has no table 'spring.letters'", "table=('spring', 'letters')"),
        (("spring", "mails"), "here has no table 'mails' in spring", "'letters'"),
        (("autumn", "mails"), "here has no table 'mails' in autumn", "name one that is there"),
        ('mails"; DROP TABLE mails; --', "here has no table 'mails\"; DROP", "'mails'"),
    ],
)
def test_one_that_is_not_there(engine, name, words, fix):
    with pytest.raises(th.errors.SourceError) as raised:
        named_table(engine, name, place="here")
    assert raised.value.what.startswith(words)
    assert fix in raised.value.fix
    assert engine.table("mails").count().execute() == 2


def test_none_at_all(engine):
    with pytest.raises(th.errors.ArgumentError, match="here holds tables, and none is named") as raised:
        named_table(engine, None, place="here")
    assert "'mails'" in raised.value.fix


@pytest.mark.parametrize("name", [3, "", (), ("spring", 3), ("spring", ""), b"mails"])
def test_what_is_no_name(name):
    with pytest.raises(th.errors.ArgumentError, match="named by a text"):
        require_table_name(name)
