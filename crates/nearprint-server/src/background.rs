//! Each minute: removes expired documents, counts documents, ends a minute of the series. Each day:
//! measures the recall.

use std::sync::Arc;
use std::time::Duration;

use nearprint::Silent;
use nearprint::index::Index;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::Service;

const MINUTE: Duration = Duration::from_secs(60);

/// The time until the recall is measured for the first time, and between two measurements. A
/// measurement compares some documents with all others, which takes a core seconds to a minute.
const FIRST_RECALL: Duration = Duration::from_secs(600);
const NEXT_RECALL: Duration = Duration::from_secs(24 * 3600);

/// The documents whose duplicates are looked for to measure the recall.
const SAMPLE: u32 = 64;

/// Looks at the indexes for ever.
pub(crate) async fn watch(service: Arc<Service>) {
    let mut minutes = interval(MINUTE);
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut due = Instant::now() + FIRST_RECALL;
    // The first tick comes at once, without a minute before it.
    let mut is_first = true;
    loop {
        minutes.tick().await;
        expire(&service).await;
        let documents = describe(&service).await;
        if !std::mem::take(&mut is_first) {
            service.metrics.series.end_minute(documents);
        }
        if Instant::now() >= due {
            due = Instant::now() + NEXT_RECALL;
            let service = service.clone();
            tokio::task::spawn_blocking(move || measure(&service));
        }
    }
}

/// Removes what has expired, so that the copies of an expired keeper are found.
async fn expire(service: &Service) {
    for collection in service.collections.all().iter().filter(|own| own.kept.ttl.is_some()) {
        if let Err(problem) = collection.writer.change(Index::expire).await {
            let error = problem.detail;
            tracing::warn!(collection.name, %error, "expired documents cannot be removed");
        }
    }
}

/// Describes all indexes. Returns the number of their documents.
async fn describe(service: &Service) -> u64 {
    let mut documents = 0;
    for collection in service.collections.all() {
        match collection.readers.read(|index| index.info(0, &Silent)).await {
            Ok(info) => {
                documents += info.documents;
                service.metrics.describe(&collection.name, &info);
            }
            Err(error) => tracing::warn!(collection.name, %error, "an index cannot be described"),
        }
    }
    documents
}

/// Measures the recall of all indexes. Each is opened once more, so that no question waits for it.
fn measure(service: &Service) {
    for collection in service.collections.all() {
        let index = Index::open(&collection.folder);
        match index.and_then(|mut index| index.info(SAMPLE, &Silent)) {
            Ok(info) => service.metrics.describe(&collection.name, &info),
            Err(error) => tracing::warn!(collection.name, %error, "the recall cannot be measured"),
        }
    }
}
