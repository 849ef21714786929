"""Holds a research bundle against independent readers: rocrate, pyarrow, pandas.

Usage: python3 verify-bundle.py BUNDLE.zip   (needs: pip install rocrate pyarrow pandas; roc-validator too where it is there)
Ends with "N passed, M failed"; exit code 1 if anything failed.
"""

import hashlib
import json
import math
import sys
import tempfile
import zipfile
from pathlib import Path

import pandas
import pyarrow.parquet
from rocrate.rocrate import ROCrate

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
    counting = table[(table["status"] == "done") & ~table["flagged"].astype(bool) & table["excluded"].isna()]
    last = counting.sort_values("attempt").groupby(["trial", "metric"]).tail(1)
    keys = {run["id"]: run["treatmentKey"] for run in experiment["runs"]}
    last = last.assign(key=last["run"].map(keys))
    means = last.groupby(["metric", "key"])["value"].mean().to_dict()
    for response in report["responses"]:
        for estimate in response["estimates"]:
            if estimate["mean"] is None:
                continue
            mean = means[response["metric"], estimate["treatment"]]
            close = math.isclose(mean, estimate["mean"], rel_tol=1e-9, abs_tol=1e-12)
            check(f"pandas has the mean of {response['metric']}", close)

    samples = pyarrow.parquet.read_table(folder / "data/samples.parquet")
    check("samples have values", samples.num_rows > 0 and "value" in samples.column_names)


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
