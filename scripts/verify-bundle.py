"""Holds a research bundle against independent readers: rocrate, pyarrow, pandas.

Usage: python3 verify-bundle.py BUNDLE.zip   (needs: pip install rocrate pyarrow pandas)
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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(sys.argv[1]) as bundle:
            check("the zip is whole", bundle.testzip() is None)
            bundle.extractall(name)
        verify(Path(name))
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)
