"""Deduplicates a file on a Spark cluster of this machine: seconds, CPU time and bytes.

    bench/run.sh spark DOCUMENTS --python PYTHON [--kill] [--work FOLDER]

PYTHON is an interpreter that has nearprint and pyspark. A master and two workers of one core each
run on the loopback address and share this machine's disk. --kill ends a worker during a second run
and compares the two answers."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

JOB = """
import json, sys, time
from pyspark.sql import SparkSession
from nearprint.spark import dedup
begun = time.time()
spark = SparkSession.builder.appName("bench").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
read = spark.read.schema("id string, text string")
documents = read.parquet(sys.argv[1]) if sys.argv[1].endswith(".parquet") else read.json(sys.argv[1])
spark.range(2).count()
started = time.time()
print("STARTED", flush=True)
result = dedup(documents)
decided = time.time()
removed = sorted((r["id"], r["keeper"], repr(r["similarity"]), r["reason"], r["distance"]) for r in result.removed.collect())
ended = time.time()
with open(sys.argv[2], "w") as out:
    out.writelines(json.dumps(row) + "\\n" for row in removed)
told = {"start": started - begun, "decided": decided - started, "all": ended - started, "removed": len(removed)}
told["bytes"] = documents.selectExpr("sum(octet_length(text))").first()[0]
print(json.dumps(told), flush=True)
spark.stop()
"""


class Cluster:
    """A master and its workers, each a process."""

    def __init__(self, python: str, work: Path, port: int) -> None:
        home = subprocess.run(
            [python, "-c", "import pyspark; print(pyspark.__path__[0])"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.python, self.work, self.port = python, work, port
        self.start = [f"{home.stdout.strip()}/bin/spark-class"]
        self.environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": python,
            "SPARK_WORKER_DIR": str(work / "apps"),
        }
        self.master = self.run(
            "master",
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--webui-port",
            "0",
        )
        time.sleep(4)
        self.workers = [self.worker(number) for number in range(2)]
        time.sleep(4)

    def run(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = open(self.work / f"{name}.log", "ab")
        return subprocess.Popen(
            [*self.start, *arguments],
            stdout=log,
            stderr=log,
            env=self.environment,
            start_new_session=True,
        )

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        address = f"spark://127.0.0.1:{self.port}"
        of_one_core = ["--cores", "1", "--memory", "5g", "--webui-port", "0", "--host", "127.0.0.1"]
        return self.run(
            f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *of_one_core, address
        )

    def job(self, documents: Path, out: Path) -> subprocess.Popen[str]:
        script = self.work / "job.py"
        script.write_text(JOB)
        settings = [
            "--conf",
            "spark.executor.memory=4g",
            "--conf",
            "spark.sql.shuffle.partitions=8",
            "--conf",
            "spark.ui.enabled=false",
        ]
        events = self.work / "events"
        events.mkdir(exist_ok=True)
        log = {
            "enabled": "true",
            "dir": f"file://{events}",
            "rolling.enabled": "false",
            "compress": "false",
        }
        for name, value in log.items():
            settings += ["--conf", f"spark.eventLog.{name}={value}"]
        command = [
            self.start[0],
            "org.apache.spark.deploy.SparkSubmit",
            "--master",
            f"spark://127.0.0.1:{self.port}",
            *settings,
        ]
        return subprocess.Popen(
            [*command, str(script), str(documents), str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
        )

    def stop(self) -> None:
        for process in [*self.workers, self.master]:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and its children."""
    children = subprocess.run(
        ["pgrep", "-P", str(process.pid)], capture_output=True, text=True
    ).stdout.split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    process.kill()
    process.wait()


def stages(log: Path) -> list[dict[str, float]]:
    """The stages of a job in the log of Spark, with seconds since the first stage, seconds of the
    tasks, and bytes of the shuffle."""
    tasks: dict[int, dict[str, float]] = {}
    begun: dict[int, float] = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerStageCompleted":
            stage = event["Stage Info"]
            begun[stage["Stage ID"]] = stage["Submission Time"] / 1000
        if event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
            metrics = event["Task Metrics"]
            stage = tasks.setdefault(event["Stage ID"], {"tasks": 0, "seconds": 0.0, "shuffled": 0})
            stage["tasks"] += 1
            stage["seconds"] += metrics["Executor Run Time"] / 1000
            stage["shuffled"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    first = min(begun.values())
    return [
        {"stage": number, "at": round(begun[number] - first, 1), **tasks[number]}
        for number in sorted(tasks)
        if number in begun
    ]


class Memory(threading.Thread):
    """The peak memory of processes and all their descendants in bytes, sampled twice a second."""

    def __init__(self, of: list[int]) -> None:
        super().__init__(daemon=True)
        self.of, self.peak, self.ended = set(of), 0, threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.5):
            lines = subprocess.run(
                ["ps", "-e", "-o", "pid=,ppid=,rss="], capture_output=True, text=True
            ).stdout.splitlines()
            rows = [tuple(map(int, line.split())) for line in lines]
            family = set(self.of)
            for _ in range(6):
                family |= {pid for pid, parent, _ in rows if parent in family}
            self.peak = max(self.peak, sum(rss for pid, _, rss in rows if pid in family) * 1024)


def run(
    cluster: Cluster, documents: Path, out: Path, kill_after: float | None
) -> dict[str, object]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    job = cluster.job(documents, out)
    memory = Memory([worker.pid for worker in cluster.workers])
    memory.start()
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
    memory.ended.set()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    driver = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        **json.loads(lines[-1]),
        "driver_cpu": driver,
        "workers_memory": memory.peak,
        "sha256": hashlib.sha256(out.read_bytes()).hexdigest(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument(
        "--kill", action="store_true", help="end one worker in the middle of a second run"
    )
    parser.add_argument("--work", type=Path, default=Path("bench/work/spark"))
    parser.add_argument("--port", type=int, default=17077)
    own = parser.parse_args()
    own.work.mkdir(parents=True, exist_ok=True)
    cluster = Cluster(own.python, own.work.resolve(), own.port)
    try:
        whole = run(cluster, own.documents.resolve(), own.work.resolve() / "removed-1.jsonl", None)
        print(
            json.dumps(
                {
                    **whole,
                    "mb_per_second": int(str(whole["bytes"])) / 1e6 / float(str(whole["all"])),
                }
            )
        )
        log = max((own.work.resolve() / "events").iterdir(), key=lambda path: path.stat().st_mtime)
        for stage in stages(log):
            print(json.dumps(stage))
        if own.kill:
            killed = run(
                cluster,
                own.documents.resolve(),
                own.work.resolve() / "removed-2.jsonl",
                float(str(whole["all"])) * 0.4,
            )
            print(json.dumps({**killed, "same": killed["sha256"] == whole["sha256"]}))
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
