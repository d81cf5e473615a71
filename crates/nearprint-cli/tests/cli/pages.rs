//! Pages of the documentation, compared with the program: the options, the sample corpus, the
//! recall.

use std::fs;

use crate::common::{self, Place};
use crate::serve::Running;

/// If this variable is set, generated pages are written instead of compared.
const WRITE: &str = "NEARPRINT_WRITE_PAGES";

/// Compares a generated file with the program, or writes it.
fn compare(name: &str, generated: &str) {
    let path = common::repository(name);
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, generated).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let differing = generated.lines().zip(there.lines()).find(|(new, old)| new != old);
    assert!(
        there == generated,
        "{name} is not as the program has it: {differing:?}\n{WRITE}=1 cargo test -p \
         nearprint-cli --test cli pages writes it anew"
    );
}

#[test]
fn the_page_of_options_is_that_of_the_program() {
    compare("docs/options.md", &nearprint_cli::options_page());
}

#[test]
fn the_settings_in_python_are_those_of_the_program() {
    let path = "crates/nearprint-python/python/nearprint/settings.py";
    compare(path, &nearprint_cli::python_settings());
}

#[test]
fn the_page_of_options_has_every_verb_and_setting() {
    let (place, page) = (Place::new(), nearprint_cli::options_page());
    let help = place.run(&["--help"]).succeeds().stdout;
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|verb| !verb.is_empty() && *verb != "help")
        .collect();
    assert!(verbs.len() >= 9, "{help}");
    for verb in verbs.iter().chain(&["stats merge", "stats show", "index create", "index query"]) {
        assert!(page.contains(&format!("\n## nearprint {verb}\n")), "{verb}");
    }
    for setting in nearprint::Config::names() {
        let rows = page.lines().filter(|line| {
            let spelling =
                line.strip_prefix("| `--").and_then(|rest| rest.split([' ', '[', '`']).next());
            spelling == Some(setting)
        });
        assert!(rows.count() > 0, "--{setting}");
    }
    // No cell of a table is split.
    for line in page.lines().filter(|line| line.starts_with('|')) {
        assert_eq!(line.replace("\\|", "").matches('|').count(), 3, "{line}");
    }
}

/// The first command gives the result on the front page and on the page about output, in both
/// languages.
#[test]
fn the_pages_show_what_the_sample_corpus_gives() {
    let articles = fs::read(common::repository("examples/articles.jsonl")).unwrap();
    let place = Place::with("examples/articles.jsonl", articles);
    place.dedup(&["examples/articles.jsonl"]);
    let (kept, removed) = (place.text("out/kept/articles.jsonl"), place.text("out/removed.jsonl"));
    let counts = (kept.lines().count(), removed.lines().count());
    for (name, sentence) in [
        ("README.md", format!("{} of the {} rows", counts.0, counts.0 + counts.1)),
        ("README.zh-CN.md", format!("{} 行中保留了 {} 行", counts.0 + counts.1, counts.0)),
    ] {
        let readme = fs::read_to_string(common::repository(name)).unwrap();
        assert!(readme.contains(&sentence), "{name} should say {sentence}");
    }
    for name in ["docs/output.md", "docs/zh-CN/output.md"] {
        let page = fs::read_to_string(common::repository(name)).unwrap();
        let shown: Vec<&str> =
            page.lines().filter(|line| line.starts_with("{\"id\":\"zh-")).collect();
        assert_eq!(shown.len(), 3, "{name}");
        for line in shown {
            assert!(removed.lines().any(|row| row == line), "{name} shows {line}");
        }
    }
}

/// The blocks of code of a page, in order: their language and their lines.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = page.split("```").collect();
    parts.chunks(2).filter_map(|pair| pair.get(1)?.split_once('\n')).collect()
}

/// The standard output of commands that succeed in a place.
fn output_of(place: &Place, commands: &str) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_nearprint")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-euc", commands]).current_dir(place.path(""));
    let output = shell.env("PATH", path).env("HOME", place.path("")).output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{commands}\n{stderr}");
    stdout
}

/// The commands of the tutorial on the index give the output below them.
#[test]
fn the_tutorial_of_the_index_runs() {
    let page = fs::read_to_string(common::repository("docs/index.md")).unwrap();
    let (_, tutorial) = page.split_once("\n## Tutorial\n").unwrap();
    let (tutorial, _) = tutorial.split_once("\n## ").unwrap();
    let (place, blocks) = (Place::new(), blocks(tutorial));
    let mut ran = 0;
    for (number, (_, lines)) in
        blocks.iter().enumerate().filter(|(_, (language, _))| *language == "sh")
    {
        let expected = blocks
            .get(number + 1)
            .filter(|(language, _)| *language != "sh")
            .map_or("", |(_, lines)| lines);
        assert_eq!(output_of(&place, lines), expected, "{lines}");
        ran += 1;
    }
    assert!(ran >= 6);
    assert_eq!(place.names().iter().filter(|name| *name == "seen" || *name == "fresh").count(), 2);
}

/// A text with all times that are values of JSON replaced.
fn without_times(text: &str) -> String {
    let is_time = |part: &str| part.len() == 20 && part.starts_with("20") && part.ends_with('Z');
    let parts = text.trim_end().split('"').map(|part| if is_time(part) { "TIME" } else { part });
    parts.collect::<Vec<_>>().join("\"")
}

/// The commands of the pages about the service give the answers below them. `nearprint serve`, which
/// ends its block, starts the server, or starts it again.
#[test]
fn the_commands_of_the_pages_of_the_service_run() {
    for (name, least) in
        [("docs/service.md", 12), ("docs/running-the-service.md", 3), ("docs/zh-CN/service.md", 4)]
    {
        let page = fs::read_to_string(common::repository(name)).unwrap();
        let (place, blocks) = (Place::new(), blocks(&page));
        let (mut server, mut compared): (Option<Running>, usize) = (None, 0);
        for (number, (_, commands)) in
            blocks.iter().enumerate().filter(|(_, (language, _))| *language == "sh")
        {
            let start = commands.find("nearprint serve ").unwrap_or(commands.len());
            let (commands, serve) = commands.split_at(start);
            let address = server.as_ref().map_or("", |server| &server.address);
            let output = output_of(&place, &commands.replace("127.0.0.1:8080", address));
            if let Some(arguments) = serve.trim_end().strip_prefix("nearprint ") {
                server.take().map(Running::end);
                let mut command = place.command(&arguments.split(' ').collect::<Vec<_>>());
                server = Some(Running::start(command.args(["--listen", "127.0.0.1:0"])));
            } else if let Some((_, answer)) =
                blocks.get(number + 1).filter(|(language, _)| ["json", "text"].contains(language))
            {
                assert_eq!(without_times(&output), without_times(answer), "{name}: {commands}");
                compared += 1;
            }
        }
        assert!(compared >= least, "{name}: {compared}");
    }
}

/// Every command of the pages about verbs succeeds, in order, and gives the output below it.
#[test]
fn the_commands_of_the_pages_of_verbs_run() {
    for name in ["docs/verbs.md", "docs/zh-CN/verbs.md"] {
        let path = common::repository(name);
        let page = fs::read_to_string(&path).unwrap();
        let place = Place::new();
        for file in ["articles.jsonl", "labels.csv"] {
            let name = format!("examples/{file}");
            place.write(&name, fs::read(common::repository(&name)).unwrap());
        }
        let mut parts: Vec<String> = page.split("```").map(str::to_string).collect();
        let mut ran = 0;
        for number in (1..parts.len()).step_by(2) {
            let Some(commands) = parts[number].strip_prefix("sh\n") else { continue };
            let (count, output) =
                (commands.matches("\nnearprint ").count(), output_of(&place, commands));
            ran += count + usize::from(commands.starts_with("nearprint "));
            if parts.get(number + 2).is_some_and(|next| next.starts_with("text\n"))
                && parts[number + 1].trim().is_empty()
            {
                parts[number + 2] = format!("text\n{output}");
            }
        }
        assert!(ran >= 20, "{name}: {ran}");
        let written = parts.join("```");
        if std::env::var_os(WRITE).is_some() {
            fs::write(&path, &written).unwrap();
            continue;
        }
        let differing = written.lines().zip(page.lines()).find(|(new, old)| new != old);
        assert!(
            written == page,
            "{name} shows other output than the program: {differing:?}\n{WRITE}=1 cargo test -p \
             nearprint-cli --test cli pages writes it anew"
        );
    }
}
