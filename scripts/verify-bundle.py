"""Holds a research bundle against independent readers: rocrate, pyarrow, pandas.

Usage: python3 verify-bundle.py BUNDLE.zip   (needs: pip install rocrate pyarrow pandas; roc-validator too where it is there)
Ends with "N passed, M failed"; exit code 1 if anything failed.
"""

import hashlib
import json
import math
import runpy
import sys
import tempfile
import zipfile
from pathlib import Path

import pandas
import pyarrow.parquet
from rocrate.rocrate import ROCrate

figures = runpy.run_path(str(Path(__file__).with_name("verify-figures.py")))
estimate, contrast, holm = figures["estimate"], figures["contrast"], figures["holm"]

counts = {True: 0, False: 0}


def check(what: str, holds: bool) -> None:
    counts[bool(holds)] += 1
    if not holds:
        print(f"FAILED {what}")


def verify(folder: Path) -> None:
    crate = ROCrate(folder)
    check("the crate is of version 1.2", "1.2" in json.dumps(crate.metadata.as_jsonld()))
    files = [entity for entity in crate.data_entities if entity.type == "File"]
    check("the crate names files", len(files) > 10)
    for entity in files:
        path = folder / entity.id
        check(f"{entity.id} is there", path.is_file())
        content = path.read_bytes()
        check(f"{entity.id} has its size", str(len(content)) == entity["contentSize"])
        check(f"{entity.id} has its checksum", hashlib.sha256(content).hexdigest() == entity["sha256"])
    listed = {entity.id for entity in files} | {"ro-crate-metadata.json"}
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    check("every file is named", present == listed)

    table = pyarrow.parquet.read_table(folder / "data/values.parquet").to_pandas()
    text = pandas.read_csv(folder / "data/values.csv", converters={"value": float})
    check("CSV and Parquet have the same rows", len(table) == len(text) > 0)
    check("CSV and Parquet have the same columns", list(table.columns) == list(text.columns))
    check("CSV and Parquet have the same values", (table["value"].to_numpy() == text["value"].to_numpy()).all())

    experiment = json.loads((folder / "experiment.json").read_text())
    stored = {(run["id"], metric): value for run in experiment["runs"] for metric, value in run["metrics"].items()}
    rows = zip(table["run"], table["metric"], table["value"])
    check("Parquet has the metrics of the runs", all(stored[run, metric] == value for run, metric, value in rows))

    report = json.loads((folder / "report/report.json").read_text())
    keys = {run["id"]: run["treatmentKey"] for run in experiment["runs"]}
    bases = {run["id"]: run.get("bases") or {} for run in experiment["runs"]}
    counting = table[(table["status"] == "done") & table["counts"].astype(bool) & ~table["flagged"].astype(bool) & table["excluded"].isna()]
    values: dict = {}
    for run, block, metric, value in zip(counting["run"], counting["repetition"], counting["metric"], counting["value"]):
        values.setdefault(metric, {}).setdefault(keys[run], {})[block] = value
    quantities = {metric: quantity for metric, quantity in zip(table["metric"], table["quantity"])}
    is_stopped = report["design"]["stopping"] is not None
    mixed = len({json.dumps(one, sort_keys=True) for one in bases.values()}) > 1
    if is_stopped or mixed:
        print("A stopping rule or figures of different kinds: only means without intervals are held against scipy.")
    for response in report["responses"]:
        verify_response(response, values.get(response["metric"], {}), quantities, is_stopped or mixed)

    samples = pyarrow.parquet.read_table(folder / "data/samples.parquet")
    check("samples have values", samples.num_rows > 0 and "value" in samples.column_names)


def close(mine, told) -> bool:
    if mine is None or told is None:
        return mine is None and told is None
    return math.isclose(mine, told, rel_tol=1e-7, abs_tol=1e-12)


def verify_response(response: dict, values: dict, quantities: dict, only_means: bool) -> None:
    metric, unit = response["metric"], response["unit"]
    quantity = quantities.get(metric, "signed")
    for one in response["estimates"]:
        own = values.get(one["treatment"], {})
        mine = estimate([own[block] for block in sorted(own)], quantity, unit)
        if one["mean"] is None and only_means:
            continue
        for field in ("mean",) if only_means else ("mean", "lo", "hi"):
            check(f"scipy has {field} of {metric} of {one['treatment']}: {mine[field]}, {one[field]}", close(mine[field], one[field]))
    if only_means:
        return
    for family in (response["contrasts"], response["between"]):
        found = [contrast(values.get(one["treatment"], {}), values.get(one["baseline"], {}), quantity) for one in family]
        for one, mine, p in zip(family, found, holm([mine["p"] for mine in found])):
            mine["p"] = p
            for field, figure in mine.items():
                check(
                    f"scipy has {field} of {metric}, {one['treatment']} against {one['baseline']}: {figure}, {one[field]}",
                    close(figure, one[field]),
                )


def validate(bundle: str, cache: str) -> None:
    """roc-validator without the web: the JSON-LD context comes from the rocrate package (a later one holds all of 1.2)."""
    try:
        from requests_cache import CachedSession
        from rocrate_validator import services
    except ImportError:
        print("roc-validator is not installed: not validated")
        return
    import io

    import requests
    import rocrate
    from urllib3 import HTTPResponse

    kept = Path(rocrate.__file__).parent / "data/ro-crate.jsonld"
    body = json.dumps({"@context": json.loads(kept.read_text())["@context"]}).encode()

    class Local(requests.adapters.HTTPAdapter):
        def send(self, request, **_):
            headers = {"content-type": "application/ld+json"}
            raw = HTTPResponse(body=io.BytesIO(body), headers=headers, status=200, preload_content=False)
            return self.build_response(request, raw)

    session = CachedSession(cache, backend="sqlite")
    session.mount("https://", Local())
    session.get("https://w3id.org/ro/crate/1.2/context")
    settings = services.ValidationSettings(
        rocrate_uri=bundle, profile_identifier="ro-crate-1.2", offline=True, cache_path=cache
    )
    result = services.validate(settings)
    for issue in result.get_issues():
        print(f"roc-validator: {issue.check.identifier} {issue.message}")
    check("roc-validator finds the crate valid", result.passed())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(sys.argv[1]) as bundle:
            check("the zip is whole", bundle.testzip() is None)
            bundle.extractall(name)
        verify(Path(name))
    with tempfile.TemporaryDirectory() as name:
        validate(sys.argv[1], str(Path(name) / "http"))
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)
