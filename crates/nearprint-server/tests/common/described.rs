//! Answers beside the OpenAPI document.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use axum::http::{Method, StatusCode};
use jsonschema::Validator;
use serde_json::{Value, json};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(nearprint_server::openapi()).unwrap());
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// The validator of a schema of the document, whose references are to the document.
fn validator(schema: &Value) -> Arc<Validator> {
    let mut all = VALIDATORS.lock().unwrap();
    let made = all.entry(schema.to_string()).or_insert_with(|| {
        let whole = json!({"allOf": [schema], "components": DOCUMENT["components"]});
        Arc::new(jsonschema::validator_for(&whole).unwrap())
    });
    made.clone()
}

fn is_of(template: &str, path: &str) -> bool {
    let (template, path) = (template.split('/'), path.split('/'));
    template.clone().count() == path.clone().count()
        && template.zip(path).all(|(own, part)| own.starts_with('{') || own == part)
}

/// The description of a call. The path without a variable part goes first.
fn call(method: &Method, path: &str) -> Option<&'static Value> {
    let mut own: Vec<_> = DOCUMENT["paths"].as_object().unwrap().iter().collect();
    own.retain(|(template, _)| is_of(template, path));
    own.sort_by_key(|(template, _)| template.contains('{'));
    let (_, methods) = own.first()?;
    let method = if method == Method::HEAD { "get".into() } else { method.as_str().to_lowercase() };
    methods.get(method)
}

/// Panics if the document knows this call and has another answer to it.
pub fn assert_described(method: &Method, path: &str, status: StatusCode, media: &str, body: &str) {
    let Some(call) = call(method, path) else { return };
    let answer = &call["responses"][status.as_str()];
    assert!(answer.is_object(), "{method} {path}: no description of status {status}: {body}");
    if body.is_empty() {
        return;
    }
    let media = media.split(';').next().unwrap();
    let content = &answer["content"][media];
    assert!(content.is_object(), "{method} {path}: no description of {media} with {status}");
    let values: Vec<Value> = match media {
        "application/json" | "application/problem+json" => {
            vec![serde_json::from_str(body).unwrap()]
        }
        "application/x-ndjson" => {
            let lines = body.lines().map(|line| serde_json::from_str(line).unwrap());
            vec![json!({"results": lines.collect::<Vec<Value>>()})]
        }
        _ => return,
    };
    let schema = match media {
        "application/x-ndjson" => &answer["content"]["application/json"]["schema"],
        _ => &content["schema"],
    };
    for value in values {
        let errors: Vec<String> =
            validator(schema).iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{method} {path} {status}: {errors:?}\n{value:#}");
    }
}
