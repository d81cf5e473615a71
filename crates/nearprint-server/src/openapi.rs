//! The calls -> their description for programs, an OpenAPI document.
//!
//! `openapi.json` has the parts of each call that are its own. Added here are those that follow
//! from [`CALLS`] and from the way of each request: tokens and roles, the parameter `collection`,
//! and the problems that any call may have. In the file a problem has only its description.

use std::sync::LazyLock;

use axum::http::Method;
use serde_json::{Map, Value, json};

use crate::access::{CALLS, Call, Scope};

const OWN: &str = include_str!("openapi.json");

/// The document.
pub(crate) static OPENAPI: LazyLock<String> = LazyLock::new(|| whole().to_string());

fn whole() -> Value {
    let mut document: Value = serde_json::from_str(OWN).expect("the file is JSON");
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    document["components"]["securitySchemes"] = json!({
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "__Host-nearprint"},
    });
    for call in CALLS {
        let method = call.method.as_str().to_lowercase();
        let own = document["paths"].get_mut(call.path).and_then(|path| path.get_mut(&method));
        if let Some(Value::Object(own)) = own {
            complete(call, own);
        }
    }
    document
}

/// Adds to a call what follows from its row in [`CALLS`].
fn complete(call: &Call, own: &mut Map<String, Value>) {
    own.insert("operationId".into(), name(call).into());
    own.insert(
        "security".into(),
        match call.needs {
            None => json!([]),
            Some(_) => json!([{"token": []}, {"session": []}]),
        },
    );
    let role = match call.needs {
        None => "Needs no token.".to_string(),
        Some(role) => format!("Needs a token with the role {}.", role.or_more()),
    };
    own.insert("description".into(), role.into());
    if matches!(call.scope, Scope::One | Scope::Several) {
        let words = match call.scope {
            Scope::Several => "The collections that are asked, as in a,b.",
            _ => "The collection.",
        };
        let parameter = json!({
            "name": "collection", "in": "query", "description": words,
            "schema": {"type": "string", "default": "default"},
        });
        let parameters = own.entry("parameters").or_insert_with(|| json!([]));
        parameters.as_array_mut().expect("parameters are a list").push(parameter);
    }
    let has_body = own.contains_key("requestBody");
    let responses = own["responses"].as_object_mut().expect("responses have members");
    for (status, words) in problems(call, has_body) {
        responses.entry(status).or_insert_with(|| words.into());
    }
    for response in responses.values_mut() {
        if let Value::String(words) = response {
            *response = json!({
                "description": words,
                "content": {"application/problem+json": {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                }},
            });
        }
    }
}

/// The problems that a call may have for the way of its request.
fn problems(call: &Call, has_body: bool) -> Vec<(&'static str, &'static str)> {
    let is_bounded = call.path.starts_with("/v1/");
    let is_change = !matches!(call.method, Method::GET);
    let all = [
        (call.needs.is_some(), "401", "The token is missing or unknown."),
        (true, "403", "The role or the collections of the token are others, or another site asks."),
        (true, "421", "The server does not answer under this name."),
        (call.needs.is_some(), "429", "Too much comes from this token or address."),
        (is_bounded, "400", "The body or a parameter is wrong."),
        (is_bounded, "404", "There is no such document, story, pair, job or collection."),
        (is_bounded, "408", "The body did not come in time."),
        (true, "413", "The body is too large, or has too many rows."),
        (has_body, "415", "The body has another media type."),
        (is_bounded, "500", "The program or the machine fails."),
        (is_bounded, "503", "The server is busy, or another process keeps the index."),
        (
            is_bounded,
            "504",
            "The request took too long. What it changes is in the index whole or not at all.",
        ),
        (is_change && is_bounded, "507", "The disk is full."),
    ];
    all.into_iter().filter(|(may, ..)| *may).map(|(_, status, words)| (status, words)).collect()
}

/// The name of a call for generated clients, as in `get_documents_id_near`.
fn name(call: &Call) -> String {
    let path = call.path.trim_start_matches("/v1").to_lowercase();
    let words = path.split(|sign: char| !sign.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let method = call.method.as_str().to_lowercase();
    std::iter::once(method.as_str()).chain(words).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_call_is_described_and_no_other() {
        let document = whole();
        let paths = document["paths"].as_object().unwrap();
        let described = paths.iter().flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        });
        let of_page = ["/", "/page.css", "/page.js", "/docs", "/docs.js"];
        let calls = CALLS
            .iter()
            .filter(|call| !of_page.contains(&call.path))
            .map(|call| format!("{} {}", call.method, call.path));
        let calls: BTreeSet<String> = calls.collect();
        assert_eq!(described.collect::<BTreeSet<_>>(), calls);
        let names: BTreeSet<String> = CALLS.iter().map(name).collect();
        assert_eq!(names.len(), CALLS.len());
    }

    #[test]
    fn the_parameters_in_a_path_are_those_of_the_route() {
        let document = whole();
        for (path, methods) in document["paths"].as_object().unwrap() {
            let own = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
            let own: Vec<String> =
                own.map(|name| format!("#/components/parameters/{name}")).collect();
            for call in methods.as_object().unwrap().values() {
                let parameters = call["parameters"].as_array();
                let named = parameters.into_iter().flatten().filter_map(|own| own["$ref"].as_str());
                let named: Vec<&str> = named.collect();
                assert!(own.iter().all(|name| named.contains(&name.as_str())), "{path}");
            }
        }
    }
}
