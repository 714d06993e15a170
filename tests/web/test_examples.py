from lnviz.book.present.deck import deck
from lnviz.web.examples import examples


def test_pretend_students_hand_in_different_settings_that_the_figure_has() -> None:
    figure = deck("axes").screen("grid").figure
    assert figure is not None
    controls = figure.payload(figure.parse({}))["controls"]
    settings = examples("axes", "grid")
    assert len({str(setting) for setting in settings}) > 1
    has = {each["slug"]: list(map(said, each["values"])) for each in controls if "values" in each}
    for setting in settings:
        assert isinstance(setting, dict)
        assert setting
        assert all(value in has[name] for name, value in setting.items())


def said(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
