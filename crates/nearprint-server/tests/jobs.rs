//! `/v1/jobs`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use common::{FERRY, LIBRARY, Place};
use nearprint_server::{Server, Settings};
use serde_json::{Value, json};

/// A served index with a folder for jobs that has `news.jsonl`.
struct Jobs {
    place: Place,
    folder: PathBuf,
}

impl Jobs {
    fn new() -> Jobs {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("files");
        fs::create_dir(&folder).unwrap();
        let rows = [("a", FERRY.to_string()), ("b", FERRY.replace("dawn", "noon"))];
        let rows = rows.into_iter().chain([("c", LIBRARY.to_string())]);
        let rows: String =
            rows.map(|(id, text)| format!("{}\n", json!({"id": id, "text": text}))).collect();
        fs::write(folder.join("news.jsonl"), rows).unwrap();
        let server = server(root.path(), &folder).unwrap();
        Jobs { place: Place::of(root, server), folder }
    }

    /// The answer to a new job.
    async fn ask(&self, job: Value) -> (StatusCode, Value) {
        self.place.post("/v1/jobs", job).await
    }

    /// The job once it has ended.
    async fn ended(&self, id: u64) -> Value {
        for _ in 0..600 {
            let (_, job) = self.place.get(&format!("/v1/jobs/{id}")).await;
            if !matches!(job["state"].as_str().unwrap(), "queued" | "running") {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("job {id} did not end");
    }
}

fn server(root: &Path, files: &Path) -> Result<Server, nearprint::Error> {
    let jobs_folders = vec![("files".to_string(), files.to_path_buf())];
    common::open(root, Settings { jobs_folders, ..Settings::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deduplication_is_done_and_told_as_events() {
    let jobs = Jobs::new();
    let order = json!({
        "job": "dedup",
        "input": ["files/news.jsonl"],
        "output": "files/clean",
        "settings": {"min-similarity": 0.8},
        "pairs": true,
    });
    let (status, job) = jobs.ask(order).await;
    assert_eq!((status, &job["id"]), (StatusCode::ACCEPTED, &json!(1)), "{job}");
    let listen = Request::get("/v1/jobs/1").header(header::ACCEPT, "text/event-stream");
    let (_, media, events) = jobs.place.ask(listen.body(Body::empty()).unwrap()).await;
    assert_eq!(media, "text/event-stream");
    let last = events.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    let told: Value = serde_json::from_str(&last["data: ".len()..]).unwrap();
    assert_eq!((&told["state"], &told["result"]["counts"]["kept"]), (&json!("done"), &json!(2)));
    let job = jobs.ended(1).await;
    assert_eq!(job, told);
    let kept = fs::read_to_string(jobs.folder.join("clean/kept/news.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 2);
    assert!(jobs.folder.join("clean/pairs.jsonl").is_file());
    let (_, list) = jobs.place.get("/v1/jobs?limit=5").await;
    assert_eq!(list["jobs"], json!([job]));
    // The output is there, so the same job fails.
    let order = json!({"job": "dedup", "input": ["files/news.jsonl"], "output": "files/clean"});
    jobs.ask(order).await;
    let failed = jobs.ended(2).await;
    assert_eq!((&failed["state"], &failed["problem"]["status"]), (&json!("failed"), &json!(409)));
    assert_eq!(jobs.place.delete("/v1/jobs/2").await, StatusCode::CONFLICT);
    assert_eq!(jobs.place.delete("/v1/jobs/9").await, StatusCode::NOT_FOUND);
    fs::remove_dir_all(jobs.folder.join("clean")).unwrap();
    let (status, _) = jobs.place.post("/v1/jobs/2/resume", json!({})).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert_eq!(jobs.ended(2).await["state"], "done");
    let (status, _) = jobs.place.post("/v1/jobs/2/resume", json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_found_and_leaks_are_listed() {
    let jobs = Jobs::new();
    let text = FERRY.replace("cardamom", "cinnamon");
    let order =
        json!({"job": "find", "input": ["files"], "texts": [text], "output": "files/found.json"});
    jobs.ask(order).await;
    let job = jobs.ended(1).await;
    assert_eq!(job["result"], json!({"documents": 3, "texts": 1, "found": 1}), "{job}");
    let found = fs::read_to_string(jobs.folder.join("found.json")).unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["texts"][0]["duplicates"][0]["id"], "a");
    let item = json!({"id": "q", "text": LIBRARY}).to_string();
    fs::write(jobs.folder.join("test.jsonl"), item).unwrap();
    let order = json!({
        "job": "leaks",
        "input": ["files/news.jsonl"],
        "against": ["files/test.jsonl"],
        "output": "files/leaks",
    });
    jobs.ask(order).await;
    let job = jobs.ended(2).await;
    assert_eq!(job["state"], "done", "{job}");
    let leaks = fs::read_to_string(jobs.folder.join("leaks/leaks.jsonl")).unwrap();
    assert!(leaks.lines().count() == 1 && leaks.contains("\"c\""), "{leaks}");
    assert!(!jobs.folder.join("leaks/kept").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_cannot_be_done_is_refused_with_a_remedy() {
    let jobs = Jobs::new();
    let usual = json!({"job": "dedup", "input": ["files/news.jsonl"], "output": "files/clean"});
    for (member, value, says) in [
        ("job", json!("dedupe"), "expected one of `dedup`, `find`, `leaks`"),
        ("input", json!(["files/../seen"]), "leads out of its folder"),
        ("input", json!(["/etc"]), "begin with one of: files/"),
        ("input", json!([]), "names no file"),
        ("output", json!("files/none/clean"), "output: files/none/clean"),
        ("settings", json!({"min-similarty": 0.8}), "did you mean min-similarity?"),
        ("settings", json!({"min-similarity": 2}), "min-similarity: "),
        ("settings", json!({"tmp-dir": "/tmp"}), "leave it out"),
        ("settings", json!({"marks": "/etc/passwd"}), "begin with one of: files/"),
        ("settings", json!({"ignore-passages": "/etc/passwd"}), "begin with one of: files/"),
        ("settings", json!({"bits": null}), "settings"),
        ("texts", json!(["a"]), "only for find"),
        ("inputs", json!([]), "expected one of `job`, `input`"),
    ] {
        let mut order = usual.clone();
        order[member] = value;
        let (status, problem) = jobs.ask(order.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{order} {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(says), "{order} {problem}");
    }
    let (_, list) = jobs.place.get("/v1/jobs").await;
    assert_eq!(list["jobs"], json!([]));
    // A server without folders has no jobs.
    let place = Place::new();
    let (status, problem) = place.post("/v1/jobs", usual).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().unwrap().contains("--jobs-folder"), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_survive_the_server() {
    let root = tempfile::tempdir().unwrap();
    let (own, files) = (root.path().to_path_buf(), root.path().join("files"));
    fs::create_dir(&files).unwrap();
    fs::write(files.join("news.jsonl"), json!({"id": 1, "text": FERRY}).to_string()).unwrap();
    drop(server(&own, &files));
    // A server that was killed left a job that ran, and one that waited.
    let left = |id: u64, state: &str| {
        let order =
            json!({"job": "dedup", "input": ["files/news.jsonl"], "output": format!("files/{id}")});
        let record = json!({"id": id, "order": order, "state": state,
            "created": "2026-11-28T05:00:00Z", "warnings": []});
        fs::write(own.join(format!("seen/jobs/{id}.json")), record.to_string()).unwrap();
    };
    left(1, "running");
    left(2, "queued");
    fs::write(own.join("seen/jobs/3.json"), "{").unwrap();
    let served = server(&own, &files).unwrap();
    let jobs = Jobs { place: Place::of(root, served), folder: files.clone() };
    assert_eq!(jobs.ended(1).await["state"], "interrupted");
    assert_eq!(jobs.ended(2).await["state"], "done");
    jobs.place.post("/v1/jobs/1/resume", json!({})).await;
    assert_eq!(jobs.ended(1).await["state"], "done");
    assert!(files.join("1/summary.json").is_file() && files.join("2/summary.json").is_file());
    // Another server of this index is refused.
    assert!(server(&own, &files).err().unwrap().to_string().contains("another server"));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_run_or_wait_are_cancelled_and_taken_up_again() {
    let jobs = Jobs::new();
    let text = |row: u64| -> String {
        let word = |place: u64| format!("w{} ", (row * 1009 + place * place * 31) % 7919);
        (0..200).map(word).collect()
    };
    let rows: String =
        (0..6000).map(|row| format!("{}\n", json!({"id": row, "text": text(row)}))).collect();
    fs::write(jobs.folder.join("large.jsonl"), rows).unwrap();
    let order = |input: &str, output: &str| {
        let (input, output) = (format!("files/{input}"), format!("files/{output}"));
        json!({"job": "dedup", "input": [input], "output": output})
    };
    jobs.ask(order("large.jsonl", "one")).await;
    jobs.ask(order("news.jsonl", "two")).await;
    assert_eq!(jobs.place.delete("/v1/jobs/2").await, StatusCode::OK);
    assert_eq!(jobs.place.get("/v1/jobs/2").await.1["state"], "cancelled");
    assert_eq!(jobs.place.delete("/v1/jobs/1").await, StatusCode::OK);
    assert_eq!(jobs.ended(1).await["state"], "cancelled");
    assert!(!jobs.folder.join("one").exists() && !jobs.folder.join("two").exists());
    for id in [2, 1] {
        jobs.place.post(&format!("/v1/jobs/{id}/resume"), json!({})).await;
        let job = jobs.ended(id).await;
        assert_eq!(job["state"], "done", "{job}");
    }
    assert!(jobs.folder.join("one/summary.json").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_reads_no_list_of_words_from_a_file() {
    let jobs = Jobs::new();
    for (words, status) in [("/dev/zero", 400), ("/etc/hostname", 400), ("zz", 400), ("en", 202)] {
        let job = json!({
            "job": "dedup", "input": ["files/news.jsonl"], "output": "files/clean",
            "settings": {"features": "words", "stop-words": [words]},
        });
        let (answered, told) = jobs.ask(job).await;
        assert_eq!(answered.as_u16(), status, "{words}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn find_does_not_begin_where_its_output_exists() {
    let jobs = Jobs::new();
    let job = json!({
        "job": "find", "input": ["files/news.jsonl"], "output": "files/news.jsonl", "texts": [FERRY],
    });
    assert_eq!(jobs.ask(job).await.0, StatusCode::BAD_REQUEST);
    let long = json!({
        "job": "find", "input": ["files/news.jsonl"], "output": "files/found.json",
        "texts": ["the tide table ".repeat(80_000)],
    });
    assert_eq!(jobs.ask(long).await.0, StatusCode::BAD_REQUEST);
}
