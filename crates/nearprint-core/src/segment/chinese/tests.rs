//! The segmenter is compared with jieba-rs, token for token; letters and digits are cut as by the
//! Python package jieba. Damaged dictionary files are refused.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::LazyLock;

use jieba_rs::Jieba;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use super::dictionary::{Content, MAGIC};
use super::trie::NO_WORD;
use super::*;
use crate::normalize::is_han;

static OURS: LazyLock<&Chinese> = LazyLock::new(Chinese::usual);
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);
/// All words of the dictionary that can be found.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(words);

fn ours(text: &str, hmm: bool) -> Vec<&str> {
    let mut tokens = Vec::new();
    with_scratch(|scratch| OURS.tokens(text, hmm, scratch, &mut |token| tokens.push(token)));
    tokens
}

fn jieba(text: &str, hmm: bool) -> Vec<&str> {
    as_python_cuts(&JIEBA, text, hmm)
}

/// Tokens of jieba-rs. Its identifiers are cut again as the Python package cuts them, by
/// `[a-zA-Z0-9]+(\.[0-9]+)?%?`. Identifiers are the ASCII tokens with a point, an underscore or a
/// hyphen: no word of the dictionary has one.
fn as_python_cuts<'t>(jieba: &Jieba, text: &'t str, hmm: bool) -> Vec<&'t str> {
    let letter = |word: &&str| word.chars().any(|c| is_han(c) || c.is_alphanumeric());
    let mut tokens = Vec::new();
    for token in jieba.cut(text, hmm) {
        let mut rest = token.word;
        while let Some(at) = rest.find(|c: char| "._-".contains(c)).filter(|_| rest.is_ascii()) {
            let digits = rest[at + 1..].len()
                - rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let mut end = if rest[at..].starts_with('.') && at > 0 && digits > 0 {
                at + 1 + digits
            } else {
                at.max(1)
            };
            end += usize::from(end > at && rest[end..].starts_with('%'));
            tokens.push(&rest[..end]);
            rest = &rest[end..];
        }
        tokens.push(rest);
    }
    tokens.retain(letter);
    tokens
}

/// Lines of a user dictionary.
fn lists() -> impl Strategy<Value = Vec<(String, Option<usize>)>> {
    let known =
        any::<prop::sample::Index>().prop_map(|place| WORDS[place.index(WORDS.len())].clone());
    let pair =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(one, other)| {
            [one, other].map(|place| WORDS[place.index(WORDS.len())].as_str()).concat()
        });
    let word = prop_oneof![
        known,
        pair,
        prop::collection::vec(letters(), 1..4).prop_map(|pieces| pieces.concat())
    ];
    let word = word
        .prop_map(|word| word.split_whitespace().collect())
        .prop_filter("a word", |word: &String| !word.is_empty() && !word.contains(['.', '_', '-']));
    let frequency =
        prop_oneof![Just(None), (0..100_000_usize).prop_map(Some), (0..4_usize).prop_map(Some)];
    prop::collection::vec((word, frequency), 1..25)
}

/// Compares both ways to cut. Returns the number of tokens.
fn same(text: &str) -> usize {
    let mut count = 0;
    for hmm in [true, false] {
        let (ours, jieba) = (ours(text, hmm), jieba(text, hmm));
        if let Some(at) =
            (0..ours.len().max(jieba.len())).find(|at| ours.get(*at) != jieba.get(*at))
        {
            let near = at.saturating_sub(3)..at + 4;
            let near = |tokens: &[&str]| tokens[near.start..near.end.min(tokens.len())].join("/");
            panic!("model {hmm}: {} instead of {}", near(&ours), near(&jieba));
        }
        count += ours.len();
    }
    count
}

/// Every word of the file.
fn words() -> Vec<String> {
    let content = Content::unpack(DEFAULT).unwrap();
    let characters: HashMap<u16, char> =
        ('\0'..=char::MAX).rev().map(|c| (OURS.0.characters.code(c), c)).collect();
    let mut nodes = content.codes.iter().zip(&content.words).zip(&content.children[1..]);
    let mut words = Vec::new();
    let mut parents = VecDeque::from([(String::new(), content.children[0])]);
    while let Some((prefix, children)) = parents.pop_front() {
        let mut code = 0;
        for ((step, word), grandchildren) in nodes.by_ref().take(children as usize) {
            code += *step as u16;
            let longer = format!("{prefix}{}", characters[&code]);
            words.extend((*word != u64::from(NO_WORD)).then(|| longer.clone()));
            parents.push_back((longer, *grandchildren));
        }
    }
    words
}

#[test]
fn sentences_are_cut_as_they_always_were() {
    let cases = [
        ("我们中出了一个叛徒", "我们/中出/了/一个/叛徒", "我们/中/出/了/一个/叛徒"),
        (
            "小明硕士毕业于中国科学院计算所，后在日本京都大学深造",
            "小明/硕士/毕业/于/中国科学院/计算所/后/在/日本京都大学/深造",
            "小/明/硕士/毕业/于/中国科学院/计算所/后/在/日本京都大学/深造",
        ),
        ("他来到了网易杭研大厦", "他/来到/了/网易/杭研/大厦", "他/来到/了/网易/杭/研/大厦"),
        (
            "T恤3.14元，C++与WES-5.4.5打9折50%，テスト",
            "T恤/3.14/元/C++/与/WES/5.4/5/打/9/折/50%/テ/ス/ト",
            "T恤/3/14/元/C++/与/WES/5/4/5/打/9/折/50/テ/ス/ト",
        ),
    ];
    for (text, with_model, without) in cases {
        assert_eq!(ours(text, true).join("/"), with_model);
        assert_eq!(ours(text, false).join("/"), without);
        same(text);
    }
}

#[test]
fn every_character_is_cut_as_jieba_does() {
    let all: String = ('\0'..='\u{32400}').chain('\u{e0000}'..='\u{e01ff}').collect();
    same(&all);
    let mixed: String = ('\0'..='\u{32400}').flat_map(|c| ['的', c, '1', c, '确', '一']).collect();
    assert!(same(&mixed) > 500_000);
}

fn letters() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里]{1,6}",
        6 => "[\u{4e00}-\u{9fff}]{1,5}",
        2 => "[葫芦娃藤朵崛岖忐忑尴尬蝙蝠龘靐齉爨]{1,5}",
        2 => "[\u{3400}-\u{3410}\u{4db0}-\u{4dc0}\u{9fd0}-\u{a000}\u{f900}-\u{f910}\u{20000}-\u{20010}\u{2a6d0}-\u{2a710}\
             \u{2ebe0}-\u{2ebff}\u{2f800}-\u{2fa1f}\u{30000}-\u{30010}〇々]{1,4}",
        4 => "[a-zA-Z0-9]{1,8}",
        4 => "[0-9a-cT+#&._%-]{1,6}",
        2 => "[AT&SIMBXU盘恤卡型股店号C+#座]{1,5}",
        2 => "[，。！？、；：（）《》 \n\r\t!-/]{1,3}",
        2 => "[ａ-ｚ０-９ァ-ヶあ-ん가-깋α-ωé😀-😎\u{378}\u{200d}\u{fe0f}]{1,3}",
    ]
}

fn seeded(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(seeded(1500))]

    #[test]
    fn mixed_text_is_cut_as_jieba_does(pieces in prop::collection::vec(letters(), 0..40)) {
        same(&pieces.concat());
    }

    #[test]
    fn words_one_after_the_other_are_cut_as_jieba_does(
        places in prop::collection::vec((any::<prop::sample::Index>(), 0..12_u8), 1..60)
    ) {
        // Some words are separated by other characters; a block may be longer than a stretch.
        let text: String = places.iter().flat_map(|(place, between)| {
            let between = match between { 0 => "，", 1 => "的", 2 => "a1", _ => "" };
            [WORDS[place.index(WORDS.len())].as_str(), between]
        }).collect();
        same(&text);
    }

    #[test]
    fn han_characters_alone_are_cut_as_jieba_cuts_each_run(pieces in prop::collection::vec(letters(), 0..40)) {
        let text = pieces.concat();
        for hmm in [true, false] {
            let (mut tokens, mut others) = (Vec::new(), Vec::new());
            let between = std::cell::RefCell::new(&mut others);
            with_scratch(|scratch| {
                OURS.han(&text, hmm, scratch, &mut |token| tokens.push(token), &|piece, _| between.borrow_mut().push(piece));
            });
            let runs: Vec<&str> = text.split(|c| !is_han(c)).flat_map(|run| jieba(run, hmm)).collect();
            prop_assert_eq!(tokens, runs);
            let letters = |piece: &&str| piece.chars().any(char::is_alphanumeric);
            prop_assert_eq!(others, text.split(is_han).filter(letters).collect::<Vec<_>>());
        }
    }
}

proptest! {
    #![proptest_config(seeded(40))]

    #[test]
    fn own_words_are_cut_as_jieba_cuts_added_words(words in lists(), more in prop::collection::vec(letters(), 0..10)) {
        let mut jieba = JIEBA.clone();
        let mut list = String::new();
        for (word, frequency) in &words {
            jieba.add_word(word, *frequency, None);
            list += &format!("{word} {} n\n", frequency.map_or(String::new(), |number| number.to_string()));
        }
        let chinese = Chinese::with_words(&list).unwrap();
        let all: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).chain(more.iter().map(String::as_str)).collect();
        for text in [all.concat(), all.join("，"), all.join("的")] {
            for hmm in [true, false] {
                let mut tokens = Vec::new();
                with_scratch(|scratch| chinese.tokens(&text, hmm, scratch, &mut |token| tokens.push(token)));
                prop_assert_eq!(tokens, as_python_cuts(&jieba, &text, hmm));
            }
        }
    }
}

#[test]
fn a_dictionary_with_many_own_words_has_them_and_the_old_ones() {
    // Two-character prefixes of words with frequent characters after them: families grow, and have
    // to move.
    let pairs: BTreeSet<String> =
        WORDS.iter().step_by(41).map(|word| word.chars().take(2).collect()).collect();
    let own: HashMap<String, u64> = pairs
        .iter()
        .zip("的一是不了在人有我他".chars().cycle())
        .zip(7..)
        .map(|((pair, c), number)| (format!("{pair}{c}"), number % 900))
        .collect();
    let list: String = own.iter().map(|(word, number)| format!("{word} {number}\n")).collect();
    let Dictionary { trie, characters, frequencies, total, .. } =
        Chinese::with_words(&list).unwrap().0;
    let codes = |word: &str| word.chars().map(|c| characters.code(c)).collect::<Vec<_>>();
    let mut sum = 3; // γ射线
    let old =
        WORDS.iter().map(|word| (word, OURS.0.trie.word(&codes(word)))).collect::<HashMap<_, _>>();
    for (word, number) in &old {
        let expected = own.get(*word).copied().unwrap_or(OURS.0.frequencies[usize::from(*number)]);
        assert_eq!(frequencies[usize::from(trie.word(&codes(word)))], expected, "{word}");
        sum += expected;
    }
    let new: Vec<_> = own.iter().filter(|(word, _)| !old.contains_key(word)).collect();
    assert!(new.len() > 5000, "{}", new.len());
    for (word, number) in new {
        assert_ne!(trie.word(&codes(word)), NO_WORD, "{word}");
        assert_eq!(frequencies[usize::from(trie.word(&codes(word)))], *number, "{word}");
        sum += number;
    }
    assert_eq!(total, sum);
    assert!(
        pairs
            .iter()
            .map(|pair| format!("{pair}龘"))
            .all(|word| trie.word(&codes(&word)) == NO_WORD)
    );
}

#[test]
fn a_bad_line_of_own_words_is_named() {
    let error = Chinese::with_words("葫芦娃娃\n\n藤上 -1 n\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3 of the word list, \"藤上 -1 n\": the frequency is not a whole number"
    );
    let error = Chinese::with_words("藤上 99999999999\n").unwrap_err();
    assert_eq!(error.problem, "the frequency is too large");
    assert!(Chinese::with_words("").is_ok());
}

#[test]
fn long_texts_are_cut_as_jieba_does() {
    for length in [STRETCH - 1, STRETCH, STRETCH + 1, 5 * STRETCH] {
        let han: String =
            WORDS.iter().step_by(1009).flat_map(|word| word.chars()).take(length).collect();
        assert_eq!(han.chars().count(), length.min(han.chars().count()));
        same(&han);
        same(&format!("{han}，{han}。。{han}a{han}"));
        same(&"他，".repeat(length));
        same(&"。".repeat(length));
    }
}

#[test]
fn the_dictionary_holds_the_words_of_jieba() {
    assert!(WORDS.iter().all(|word| JIEBA.has_word(word)));
    assert_eq!(WORDS.iter().collect::<BTreeSet<_>>().len(), WORDS.len());
    // jieba's list has one more, γ射线, but γ is outside every block.
    assert_eq!(WORDS.len(), 349_044);
    assert!(JIEBA.has_word("γ射线"));
    let content = Content::unpack(DEFAULT).unwrap();
    assert_eq!(content.total[0], 60_101_964);
    let numbers = content
        .frequencies
        .iter()
        .zip(&content.logarithms)
        .skip(1)
        .chain([(&content.total[0], &content.total[1])]);
    for (number, bits) in numbers {
        let logarithm = f64::from_bits(*bits);
        assert!((logarithm - libm::log(*number as f64)).abs() <= 4e-15, "{number}: {logarithm}");
    }
}

/// Chinese files of real text, with the fields that hold it.
const FILES: [&str; 7] = [
    "zh_news",
    "zh_laws",
    "zh_xwlb",
    "zh_lctt_revisions",
    "zh_short_pairs",
    "zh_juejin",
    "zh_weekly",
];

#[test]
fn real_text_is_cut_as_jieba_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        // The test harness does not capture the real standard error.
        let line = format!("SKIPPED: ../shared is absent: no {}\n", folder.display());
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    }
    // The whole text takes minutes without optimization.
    let most = if cfg!(debug_assertions) { 400_000 } else { usize::MAX };
    for name in FILES {
        let file = std::fs::File::open(folder.join(format!("{name}.jsonl.zst"))).unwrap();
        let (mut bytes, mut tokens) = (0, 0);
        for line in BufReader::new(zstd::Decoder::new(file).unwrap()).lines() {
            let row: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            for text in ["text", "text_a", "text_b"].iter().filter_map(|field| row[field].as_str())
            {
                tokens += same(text);
                bytes += text.len();
            }
            if bytes >= most {
                break;
            }
        }
        assert!(tokens > 100_000, "{name}: {tokens}");
    }
}

#[test]
fn a_token_may_be_cut_again_while_it_is_handed_over() {
    let text = "能力比学历重要";
    let mut again = Vec::new();
    with_scratch(|scratch| {
        OURS.tokens(text, true, scratch, &mut |token| {
            with_scratch(|scratch| {
                OURS.tokens(token, true, scratch, &mut |token| again.push(token))
            });
        });
    });
    assert_eq!(again, ["能力", "比", "学历", "重要"]);
}

const LIST: &str = "一 10 m\n一个 20\n一个人 5\nA股 3 n\nγ射线 4 n\n㐀 2\n\u{9fff}\u{9fff} 7\n";
const MODEL: &str = "# a model\n-0.25 -3.14e+100 -3.14e+100 -1.5\n-3.14e+100 -0.5 -0.9 -3.14e+100\n\
    -0.6 -3.14e+100 -3.14e+100 -0.8\n-3.14e+100 -0.3 -1.2 -3.14e+100\n-0.7 -3.14e+100 -3.14e+100 -0.6\n\
    # emissions\n一:-1.000001,人:-2.500000\n一:-12.345678\n个:-3.000000\n∶:-1.000000\n";

#[test]
fn a_prepared_dictionary_is_read_back() {
    let file = prepare(LIST, MODEL).unwrap();
    assert_eq!(file, prepare(LIST, MODEL).unwrap());
    let read = Dictionary::read(&file).unwrap();
    let frequencies = Content::unpack(&file).unwrap().frequencies;
    let codes = |word: &str| word.chars().map(|c| read.characters.code(c)).collect::<Vec<_>>();
    let frequency = |word: &str| frequencies[usize::from(read.trie.word(&codes(word)))];
    let words = [
        "一",
        "一个",
        "一个人",
        "A股",
        "㐀",
        "\u{9fff}\u{9fff}",
        "γ射线",
        "A",
        "个人",
        "一个人一",
        "",
    ];
    assert_eq!(words.map(frequency), [10, 20, 5, 3, 2, 7, 0, 0, 0, 0, 0]);
    assert_eq!(read.logarithm(read.trie.word(&codes("一个"))), 20_f64.ln() - 51_f64.ln());
    assert_eq!(read.model.transition[3], [-0.7, -3.14e100, -3.14e100, -0.6]);
    let emission = |c: char| read.model.emission[usize::from(read.characters.code(c) - FIRST_HAN)];
    assert_eq!(emission('一'), [-1.000001, -12.345678, -3.14e100, -3.14e100]);
    assert_eq!(emission('个'), [-3.14e100, -3.14e100, -3.0, -3.14e100]);
}

#[test]
fn what_is_no_word_list_or_model_is_refused() {
    for (list, model, reason) in [
        ("一 zehn\n", MODEL, "not a word and its frequency: 一 zehn"),
        ("一\n", MODEL, "not a word and its frequency: 一"),
        (LIST, "", "a model of less than nine lines"),
        (LIST, &MODEL.replace("-0.25", ""), "initial and transition logarithms"),
        (
            LIST,
            &MODEL.replace("-12.345678", "-12.3"),
            "not a character and its logarithm: 一:-12.3",
        ),
        (LIST, &MODEL.replace("人:", "一:"), "a character twice: 一:-2.500000"),
    ] {
        assert_eq!(prepare(list, model).unwrap_err(), reason);
    }
}

#[test]
fn a_damaged_dictionary_is_refused() {
    let file = prepare(LIST, MODEL).unwrap();
    assert!(Dictionary::read(&file).is_ok());
    for at in 0..file.len() {
        assert!(Dictionary::read(&file[..at]).is_err(), "cut off at {at}");
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        assert!(Dictionary::read(&damaged).is_err(), "damaged at {at}");
    }
    let mut other = file.clone();
    other[MAGIC.len()] += 1;
    assert_eq!(Dictionary::read(&other).unwrap_err(), "a dictionary of another version");
    assert_eq!(Dictionary::read(b"").unwrap_err(), "not a dictionary prepared by nearprint");
    assert_eq!(
        Content::unpack(DEFAULT).map(|mut content| content.pack()).unwrap().len(),
        DEFAULT.len()
    );
}
