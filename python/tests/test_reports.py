"""schema, verify, stats, validate and drift."""

from __future__ import annotations

import json

import pytest
from conftest import TESTDATA

import tfrecord_tools as tp

RECIPES, SCHEMA = TESTDATA / "recipes.tfrecord", TESTDATA / "recipes.schema.pbtxt"


def test_schema():
    spec = tp.schema(RECIPES)
    assert spec["features"]["minutes"] == {"fixed_len": {"dtype": "int64", "shape": []}}
    assert "steps/words" in tp.read(RECIPES, spec=spec).column_names
    assert "RaggedFeature" in tp.schema(RECIPES, emit="python")
    assert tp.schema(RECIPES, emit="tfmd").startswith("feature {")


@pytest.mark.lean
def test_verify():
    assert tp.verify([RECIPES, TESTDATA / "sessions.tfrecord"])["files"][0]["records"] == 12
    assert tp.verify(RECIPES, spec=TESTDATA / "recipes.spec.json")["files"][0]["ok"]
    with pytest.raises(tp.Error, match="no such file"):
        tp.verify("none")


@pytest.mark.lean
def test_stats():
    pytest.importorskip("pandas")
    report = tp.stats(RECIPES)
    assert report.to_dict()["datasets"][0]["num_examples"] == "12" and report.ok
    frame = report.to_pandas().set_index("feature")
    assert frame.loc["minutes", ["type", "present", "min", "max"]].to_list() == ["INT", 12, 3, 300]
    assert frame.loc["rating", "missing"] == 1
    page = report._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "minutes" in page and "<html" not in page
    assert "minutes" in tp.schema(report) and "statistics" in report.to_html().lower()
    sliced = tp.stats(RECIPES, flags=["--slice", "servings"]).to_pandas()
    assert sliced["slice"].nunique() > 2


def test_validate(tmp_path):
    report = tp.validate(RECIPES, schema=SCHEMA)
    assert report.ok and report.to_dict()["findings"] == [] and report.to_pandas().empty
    members = json.loads((TESTDATA.parent / "docs/json/validate.schema.json").read_text())["properties"]["findings"]["items"]["properties"]
    assert list(report.to_pandas().columns) == list(members)
    tp.write({"minutes": [[5000]], "title": ["x"]}, tmp_path / "bad")
    report = tp.validate(tmp_path / "bad", schema=SCHEMA, flags=["--records"])
    found = report.to_pandas()
    assert list(found.columns) == list(members)
    assert not report.ok and set(found["feature"]) >= {"minutes"} and "INT_TYPE_BIG_INT" in set(found["rule"])
    assert "minutes" in report._repr_html_()
    assert tp.validate(tp.stats(RECIPES), schema=SCHEMA).ok
    with pytest.raises(tp.Error):
        tp.validate(RECIPES, schema="none")


def test_drift(tmp_path):
    same = tp.drift(RECIPES, tp.stats(RECIPES))
    assert (same.to_pandas()["value"] == 0).all()
    assert (tp.drift([RECIPES, RECIPES], [RECIPES, RECIPES]).to_pandas()["value"] == 0).all()
    tp.write({"minutes": [[1000]] * 50}, tmp_path / "other")
    frame = tp.drift(RECIPES, tmp_path / "other").to_pandas()
    assert frame[frame.feature == "minutes"]["value"].max() > 0.5
    assert json.loads(json.dumps(same.to_dict())) == same.to_dict() and "drift report" in repr(same)
    with pytest.raises(tp.UsageError):
        tp.drift(same, RECIPES)
