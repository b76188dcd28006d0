import copy
import inspect
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import thresher as th
from tests.public import OFFERED
from thresher import errors
from thresher.errors import argument, located

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, th.ThresherError)]


def test_an_error_says_what_where_and_fix_in_that_order():
    error = th.ThresherError("it is broken", "mend it", where="here")
    assert str(error) == "it is broken\n  where: here\n  fix:   mend it"
    assert (error.what, error.where, error.fix) == ("it is broken", "here", "mend it")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_public_documented_and_a_value_error(kind):
    assert getattr(errors, kind.__name__) is kind
    assert issubclass(kind, ValueError)
    assert inspect.getdoc(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_crosses_process_borders_unchanged(kind):
    error = kind("what", "fix", where="where", parameter="name")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):  # noqa: S301
        assert type(twin) is kind
        assert (twin.what, twin.where, twin.fix, twin.parameter) == ("what", "where", "fix", "name")
        assert str(twin) == str(error)


def caught(call, kind=th.ThresherError):
    with pytest.raises(kind) as raised:
        call()
    return raised.value


def test_the_place_is_the_outermost_public_call_however_deep_the_error_arises():
    assert caught(lambda: th.rank([], [])).where == "rank(labels, scores)"
    assert caught(lambda: th.evaluate([], {"a": []})).where == "evaluate(labels, scores)"


def test_the_place_in_a_class_is_a_method_a_constructor_or_a_property():
    assert caught(lambda: th.Ranking.parse("spam")).where == "Ranking.parse(text)"
    assert caught(lambda: th.Ranking.parse("[1+][1-]").threshold(9)).where == "Ranking.threshold(split)"
    assert caught(lambda: th.RankingBuilder().ranking()).where == "RankingBuilder.ranking()"
    assert caught(lambda: th.OperatingCondition(class_ratio=1, prevalence=0.5)).where == "OperatingCondition(...)"
    assert caught(lambda: th.OperatingCondition().slope_roc).where == "OperatingCondition.slope_roc"


def test_the_place_shows_the_parameter_at_fault():
    ranking = th.Ranking.parse("[1+][1-][1+]")
    limited = caught(
        lambda: th.choose(ranking, subject_to="precision >= 0.9 and recall >= 0.9"), th.errors.InfeasibleError
    )
    assert (limited.parameter, limited.where) == ("subject_to", "choose(ranking, condition, subject_to=...)")
    assert caught(lambda: th.OperatingCondition(cost_ratio=-1)).where == "OperatingCondition(cost_ratio=...)"
    assert caught(lambda: th.calibration_map(ranking, bins=0)).where.startswith("calibration_map(ranking")


def test_a_parameter_of_something_else_is_not_shown_as_one_of_the_call():
    model = th.learning.Outliers(action="drop")  # type: ignore[arg-type]
    error = caught(lambda: model.fit([[1.0], [2.0]]))
    assert (error.parameter, error.where) == ("action", "Outliers.fit(X, y)")


def test_a_place_that_is_attached_wins_and_the_innermost_of_several_stays():
    def refuse():
        with located("file a.csv"), located("column p of a.csv"):
            th.rank([], [])

    assert caught(refuse).where == "column p of a.csv"


def test_other_errors_pass_through_a_place():
    with pytest.raises(KeyError), located("file a.csv"):
        raise KeyError


def test_an_error_that_was_never_raised_has_no_place():
    error = th.errors.EmptyError("there are no rows", "give at least one")
    assert error.where == ""
    assert str(error) == "there are no rows\n  fix:   give at least one"


def test_an_error_that_is_caught_and_raised_again_keeps_its_place():
    def again():
        try:
            th.rank([], [])
        except th.errors.EmptyError as error:
            raise error from None

    assert caught(again).where == "rank(labels, scores)"


def refused_in_another_process():
    th.rank([], [])


def test_the_place_crosses_process_borders():
    error = caught(lambda: th.rank([], []))
    twin = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (twin.__traceback__, twin.where) == (None, "rank(labels, scores)")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert caught(pool.submit(refused_in_another_process).result).where == "rank(labels, scores)"


def test_names_of_arguments_can_be_spelled_in_another_way():
    what, fix = (
        f"{argument('at_most')} is 'at_most'",
        f"pass {argument('types', {'age': 'text'})} or {argument('by', ...)}",
    )
    error = th.errors.ArgumentError(what, fix)
    assert (error.what, error.fix) == ("at_most is 'at_most'", "pass types={'age': 'text'} or by=...")
    assert error.args == (error.what, error.fix)
    for twin in (error, pickle.loads(pickle.dumps(error))):  # noqa: S301
        spelled = twin.spelled(lambda name, value: f"<{name}|{value}>")
        assert spelled == ("<at_most|None> is 'at_most'", "pass <types|{'age': 'text'}> or <by|...>")


def test_dots_stand_for_values_and_leave_texts_alone():
    dots = [argument("by", ...), argument("classes", [...]), argument("thresholds", {"tree": ...})]
    error = th.errors.ArgumentError("no", " ".join([*dots, argument("positive", "Ellipsis")]))
    assert error.fix == "by=... classes=[...] thresholds={'tree': ...} positive='Ellipsis'"


def test_a_missing_extra_can_be_caught_as_the_import_error_it_is():
    with pytest.raises(ImportError):
        raise th.errors.MissingExtraError("no package", "install it")


def test_a_positive_label_that_is_not_there_is_a_problem_with_labels():
    assert issubclass(th.errors.PositiveLabelError, th.errors.LabelError)


@pytest.mark.parametrize("split", [-1, 4, 99])
def test_a_split_that_is_not_there(split):
    ranking = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    for ask in (ranking.interval, ranking.threshold):
        with pytest.raises(th.errors.ArgumentError, match=f"there is no split {split}"):
            ask(split)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("thin", "points", 2.5), ("choose", "at_most", "3"), ("precision_at", "recall", "0.5"), ("ece", "count", "10")],
)
def test_texts_are_no_numbers(name, option, value):
    ranking = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.5, 0.2])
    with pytest.raises(th.errors.ArgumentError):
        OFFERED[name](ranking, **{option: value})
