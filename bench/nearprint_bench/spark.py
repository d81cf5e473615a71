"""A file of documents -> deduplicated on a cluster of Spark on this machine: seconds, CPU time and bytes, and whether a worker that is
ended meanwhile changes anything.

    bench/run.sh spark DOCUMENTS.jsonl --python PYTHON [--kill] [--work FOLDER]

PYTHON is an interpreter that has nearprint and pyspark. A master and two workers of one core each are started on the loopback address, without
a shared disk but this machine's."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

JOB = """
import json, sys, time
from pyspark.sql import SparkSession
from nearprint.spark import dedup
begun = time.time()
spark = SparkSession.builder.appName("bench").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
documents = spark.read.schema("id string, text string").json(sys.argv[1])
spark.range(2).count()
started = time.time()
print("STARTED", flush=True)
result = dedup(documents)
decided = time.time()
removed = sorted((r["id"], r["keeper"], repr(r["similarity"]), r["reason"], r["distance"]) for r in result.removed.collect())
ended = time.time()
with open(sys.argv[2], "w") as out:
    out.writelines(json.dumps(row) + "\\n" for row in removed)
print(json.dumps({"start": started - begun, "decided": decided - started, "all": ended - started, "removed": len(removed)}), flush=True)
spark.stop()
"""


class Cluster:
    """A master and its workers, each a process."""

    def __init__(self, python: str, work: Path, port: int) -> None:
        home = subprocess.run([python, "-c", "import pyspark; print(pyspark.__path__[0])"], capture_output=True, text=True, check=True)
        self.python, self.work, self.port = python, work, port
        self.start = [f"{home.stdout.strip()}/bin/spark-class"]
        self.environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python, "SPARK_WORKER_DIR": str(work / "apps")}
        self.master = self.run("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        time.sleep(4)
        self.workers = [self.worker(number) for number in range(2)]
        time.sleep(4)

    def run(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = open(self.work / f"{name}.log", "ab")
        return subprocess.Popen([*self.start, *arguments], stdout=log, stderr=log, env=self.environment, start_new_session=True)

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        address = f"spark://127.0.0.1:{self.port}"
        of_one_core = ["--cores", "1", "--memory", "5g", "--webui-port", "0", "--host", "127.0.0.1"]
        return self.run(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *of_one_core, address)

    def job(self, documents: Path, out: Path) -> subprocess.Popen[str]:
        script = self.work / "job.py"
        script.write_text(JOB)
        settings = ["--conf", "spark.executor.memory=4g", "--conf", "spark.sql.shuffle.partitions=8", "--conf", "spark.ui.enabled=false"]
        events = self.work / "events"
        events.mkdir(exist_ok=True)
        settings += ["--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir=file://{events}", "--conf", "spark.eventLog.rolling.enabled=false"]
        command = [self.start[0], "org.apache.spark.deploy.SparkSubmit", "--master", f"spark://127.0.0.1:{self.port}", *settings]
        return subprocess.Popen(
            [*command, str(script), str(documents), str(out)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.environment
        )

    def stop(self) -> None:
        for process in [*self.workers, self.master]:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those that it has started."""
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    process.kill()
    process.wait()


def run(cluster: Cluster, documents: Path, out: Path, kill_after: float | None) -> dict[str, object]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    job = cluster.job(documents, out)
    assert job.stdout is not None
    lines = []
    for line in job.stdout:
        if line.startswith("STARTED") and kill_after is not None:
            time.sleep(kill_after)
            end(cluster.workers[0])
            cluster.workers[0] = cluster.worker(2)
        lines.append(line)
    if job.wait() != 0:
        raise SystemExit(f"the job ended with code {job.returncode}; see {cluster.work}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    driver = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(lines[-1]), "driver_cpu": driver, "sha256": hashlib.sha256(out.read_bytes()).hexdigest()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--kill", action="store_true", help="end one worker in the middle of a second run")
    parser.add_argument("--work", type=Path, default=Path("bench/work/spark"))
    parser.add_argument("--port", type=int, default=17077)
    own = parser.parse_args()
    own.work.mkdir(parents=True, exist_ok=True)
    cluster = Cluster(own.python, own.work.resolve(), own.port)
    try:
        whole = run(cluster, own.documents.resolve(), own.work.resolve() / "removed-1.jsonl", None)
        print(json.dumps({**whole, "mb_per_second": own.documents.stat().st_size / 1e6 / float(str(whole["all"]))}))
        if own.kill:
            killed = run(cluster, own.documents.resolve(), own.work.resolve() / "removed-2.jsonl", float(str(whole["all"])) * 0.4)
            print(json.dumps({**killed, "same": killed["sha256"] == whole["sha256"]}))
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
