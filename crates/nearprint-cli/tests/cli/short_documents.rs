//! Documents and corpora too small for statistics: short and empty texts, corpora of one, two and
//! ten documents.

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, row};
use serde_json::{Value, json};

const WEIGHTS: [&str; 4] = ["one", "tf", "tfidf", "entropy"];

/// Deduplicates texts with their numbers from 0 as ids, and returns `id keeper reason` of the
/// removed ones.
fn removed(texts: &[&str], arguments: &[&str]) -> Vec<String> {
    let rows: String =
        texts.iter().enumerate().map(|(id, text)| row(&id.to_string(), text)).collect();
    let place = Place::with("texts.jsonl", rows);
    place.dedup(&[&["texts.jsonl", "--keep", "first"], arguments].concat());
    let counts = &place.summary("out")["counts"];
    assert_eq!(counts["read"], texts.len());
    let said = |row: &Value| {
        ["id", "keeper", "reason"].map(|field| row[field].as_str().unwrap().to_string()).join(" ")
    };
    place.rows("out/removed.jsonl").iter().map(said).collect()
}

/// A text with one word changed.
fn edited(text: &str) -> String {
    text.replace("cardamom", "cinnamon").replace("garden", "kitchen").replace("红豆", "绿豆")
}

#[test]
fn unrelated_short_chinese_sentences_stay_apart() {
    for weights in WEIGHTS {
        let texts = [
            "明天下午三点开会。",
            "今天晚上八点停电。",
            "他买了一把旧吉他。",
            "雨停了。",
            "我不知道。",
            "你知道吗？",
        ];
        assert_eq!(
            removed(&texts, &["--features", "words", "--weights", weights]),
            [""; 0],
            "{weights}"
        );
    }
}

#[test]
fn nearly_equal_short_chinese_sentences_are_duplicates() {
    let texts = [
        "图书馆周一闭馆，请周二再来。",
        "食堂今天没有面条。",
        "图书馆周一闭馆，请周二再看。",
        "图书馆周一闭馆，请周二再来！",
    ];
    assert_eq!(removed(&texts, &[]), ["2 0 short", "3 0 short"]);
    assert_eq!(removed(&texts, &["--min-similarity", "0.9"]), ["3 0 short"]);
}

#[test]
fn equal_short_texts_are_exact_duplicates() {
    // Equal after normalization: full-width letters, case, white space, Traditional characters.
    let texts = ["Ｏｐｅｎ  today", "open TODAY", "图书馆", "圖書館", "a", "a", "雨", "雪"];
    assert_eq!(removed(&texts, &[]), ["1 0 exact", "3 2 exact", "5 4 exact"]);
    assert_eq!(removed(&texts, &["--normalize", "none"]), ["5 4 exact"]);
}

#[test]
fn a_short_text_is_compared_with_slightly_longer_ones() {
    // Seven and eight words: below and at the bound of --min-features.
    let short = "Harbor office closed on Friday for painting";
    let longer = "Harbor office closed on Friday morning for painting";
    for (first, second) in [(short, longer), (longer, short)] {
        let texts = [first, LIBRARY, second, FERRY];
        assert_eq!(removed(&texts, &["--features", "words", "--min-features", "8"]), ["2 0 short"]);
        // Neither is short, and they share three n-grams of eight.
        let jaccard = [
            "--min-features",
            "7",
            "--features",
            "words",
            "--weights",
            "one",
            "--max-distance",
            "60",
            "--verify",
            "jaccard",
        ];
        assert_eq!(removed(&texts, &jaccard), [""; 0]);
        assert_eq!(
            removed(&texts, &[&jaccard[..], &["--min-similarity", "0.3"]].concat()),
            ["2 0 near"]
        );
    }
}

#[test]
fn a_short_text_is_no_duplicate_of_a_long_one_that_holds_it() {
    let long = format!("雨停了。{BRIDGE}");
    assert_eq!(removed(&["雨停了。", &long, BRIDGE], &[]), ["2 1 near"]);
}

#[test]
fn punctuation_alone_is_a_duplicate_of_equal_punctuation_only() {
    assert_eq!(removed(&["……", "！！！", "???", "🙂🙂", "……", "。"], &[]), ["4 0 exact"]);
}

#[test]
fn empty_documents_are_kept_and_counted() {
    let texts = ["", " \n\t", FERRY, "", "\u{3000}", "a"];
    let rows: String =
        texts.iter().enumerate().map(|(id, text)| row(&id.to_string(), text)).collect();
    for preset in ["default", "strict", "loose", "paper", "simhash", "google", "md5-32", "exact"] {
        let place = Place::with("texts.jsonl", &rows);
        place.dedup(&["texts.jsonl", "--preset", preset]);
        assert_eq!(place.text("out/kept/texts.jsonl"), rows, "{preset}");
        // The md5-32 preset does not normalize, but white space still counts as empty.
        assert_eq!(place.summary("out")["counts"]["empty"], 4, "{preset}");
    }
}

#[test]
fn a_corpus_of_one_document_or_none_is_no_error() {
    for weights in WEIGHTS {
        assert_eq!(
            removed(&[FERRY], &["--features", "words", "--weights", weights]),
            [""; 0],
            "{weights}"
        );
        assert_eq!(
            removed(&["雨"], &["--features", "words", "--weights", weights]),
            [""; 0],
            "{weights}"
        );
    }
    let place = Place::with("blank.jsonl", "\n\n");
    place.dedup_the_rest(&["blank.jsonl"]);
    let counts = &place.summary("out")["counts"];
    assert_eq!(
        (&counts["read"], &counts["kept"], &counts["rejected"]),
        (&json!(0), &json!(0), &json!(1))
    );
    assert!(!place.path("out/kept/blank.jsonl").exists());
}

/// In a corpus of two copies every idf and entropy is about 0, but the features must still vote.
#[test]
fn a_corpus_of_two_finds_the_edited_copy_whatever_the_weights() {
    for weights in WEIGHTS {
        for text in [FERRY, LIBRARY, BRIDGE] {
            let expected = ["1 0 near"];
            assert_eq!(
                removed(&[text, &edited(text)], &["--features", "words", "--weights", weights]),
                expected,
                "{weights}: {text}"
            );
        }
        assert_eq!(
            removed(&[FERRY, LIBRARY], &["--features", "words", "--weights", weights]),
            [""; 0],
            "{weights}"
        );
        assert_eq!(
            removed(&[FERRY, BRIDGE], &["--features", "words", "--weights", weights]),
            [""; 0],
            "{weights}"
        );
    }
}

#[test]
fn a_corpus_of_ten_finds_the_edited_copies_whatever_the_weights() {
    let others = [
        "Every evening at six the lighthouse keeper winds the brass clock and writes the height of \
         the tide in a blue book.",
        "The school orchestra lost its conductor to the flu, so the youngest violinist beat time \
         with a wooden spoon.",
        "气象站的老周每天清晨五点爬上山顶，记下风向、湿度和云的形状，三十年来只有一次睡过了头。",
        "A baker in the old town has sued the cathedral because its bells make his meringues \
         collapse on Sunday mornings.",
        "小镇邮局推出了一种慢信服务，寄出的信要在仓库里放满一年才会送到收信人手里。",
    ];
    let (ferry, bridge) = (edited(FERRY), edited(BRIDGE));
    let texts =
        [&[FERRY, BRIDGE], &others[..3], &[&ferry], &others[3..], &[&bridge, LIBRARY]].concat();
    assert_eq!(texts.len(), 10);
    for weights in WEIGHTS {
        for tf in ["raw", "relative", "log"] {
            let arguments =
                ["--features", "words", "--weights", weights, "--tf", tf, "--max-distance", "40"];
            assert_eq!(removed(&texts, &arguments), ["5 0 near", "8 1 near"], "{weights}, {tf}");
        }
    }
}

/// A family of copies that is the whole corpus, or half of it, is found: shared features must keep
/// a weight. Each copy differs a little: words left out and added in the middle, or a byline, a
/// credit, a header or a footer.
#[test]
fn more_copies_of_one_text_never_remove_fewer() {
    let words = |seed: usize, count: usize| -> Vec<String> {
        (0..count).map(|i| letters((i * 7919 + seed * 104_729 + i * i * 31) % 4001)).collect()
    };
    let text = words(0, 120);
    for family in [3, 10, 30, 100, 400] {
        for strangers in [0, family] {
            let mut rows = String::new();
            for member in 0..family {
                let mut edition = text.clone();
                // Some words are left out, others are added.
                [0, 29, 58, 87]
                    .iter()
                    .for_each(|edit| edition[(member * 37 + edit) % 120] = String::new());
                edition[(member * 41 + 13) % 120] += &format!(" {}", letters(9000 + member));
                rows += &row(&format!("edition {member}"), &edition.join(" "));
            }
            for stranger in 0..strangers {
                rows += &row(&format!("stranger {stranger}"), &words(stranger + 1, 120).join(" "));
            }
            let place = Place::with("texts.jsonl", rows);
            place.dedup(&["texts.jsonl"]);
            let removed = place.rows("out/removed.jsonl");
            let all = removed.iter().all(|row| row["id"].as_str().unwrap().starts_with("edition"));
            assert!(
                all && removed.len() >= (family - 1) * 98 / 100,
                "{family} and {strangers}: {}",
                removed.len()
            );
        }
    }
}

/// A different word for each number.
fn letters(number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut letter = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + (state >> 33) as u8 % 26)
    };
    (0..7).map(|_| letter()).collect()
}

#[test]
fn of_copies_with_a_frame_of_their_own_all_go_but_one() {
    let english = "The harbour office said on Monday that the night ferry will return in spring, \
        after both engines were replaced and the railings painted green. The crew has hired a cook \
        who bakes buns before the first crossing at dawn. Families on the island had asked for the \
        late boat since it was taken out of service, and shops in the old town plan to open";
    let chinese = "石桥镇的老桥上个月拆下了第一块石板。工匠发现桥拱里藏着一封写给后人的信，信里说每一任修桥的人都要在石板背面刻下自己的名字，\
        还要请全镇的孩子吃一碗红豆汤。镇上的老人记得上一次修桥是在许多年前的冬天，那一年河面结了冰，孩子们踩着冰去上学";
    let characters =
        |text: &str| text.chars().filter(|character| character.is_alphanumeric()).count();
    assert!(
        (250..300).contains(&characters(english)) && (100..=110).contains(&characters(chinese))
    );
    let surnames: Vec<char> =
        "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎"
            .chars()
            .collect();
    let given: Vec<char> = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超兰霞平".chars().collect();
    let kinds = 5;
    for kind in 0..kinds {
        for count in [2, 3, 4, 5, 10, 50] {
            let mut rows = String::new();
            for copy in 0..count {
                let [one, other, town] = [copy, copy + 1000, copy + 2000].map(letters);
                let name: String =
                    [surnames[copy % 50], given[copy % 20], given[copy / 20 + 7]].iter().collect();
                let paper: String =
                    [given[copy % 19], surnames[(copy * 7 + 3) % 50]].iter().collect();
                let [english_frame, chinese_frame] = match kind {
                    0 => [
                        [format!("By {one} {other}. "), ".".into()],
                        [format!("本报记者{name}报道："), "。".into()],
                    ],
                    1 => [
                        ["".into(), format!(". Photo: {one} {other}")],
                        ["".into(), format!("。摄影：{name}")],
                    ],
                    2 => [
                        [format!("{town} Herald | News | {one} | Local. "), ".".into()],
                        [format!("{paper}晚报 > 新闻 > 本地 "), "。".into()],
                    ],
                    3 => [
                        ["".into(), format!(". {town} Herald, by {one}, edited by {other}")],
                        ["".into(), format!("。来源：{paper}晚报 责任编辑：{name}")],
                    ],
                    _ => [
                        [format!("By {one} in {town}. "), format!(". Edited by {other}")],
                        [format!("记者{name}报道："), format!("。来源：{paper}晚报")],
                    ],
                };
                for (language, text, [before, after]) in
                    [("en", english, english_frame), ("zh", chinese, chinese_frame)]
                {
                    rows += &row(&format!("{language} {copy}"), &format!("{before}{text}{after}"));
                }
            }
            let place = Place::with("texts.jsonl", rows);
            place.dedup(&["texts.jsonl"]);
            assert_eq!(
                place.rows("out/removed.jsonl").len(),
                2 * (count - 1),
                "kind {kind}, {count} copies"
            );
        }
    }
}

#[test]
fn a_corpus_of_ten_equal_documents_keeps_one() {
    for weights in WEIGHTS {
        let removed = removed(&[FERRY; 10], &["--features", "words", "--weights", weights]);
        assert_eq!(removed.len(), 9, "{weights}");
        assert!(removed.iter().all(|row| row.ends_with(" 0 exact")), "{weights}: {removed:?}");
    }
}

#[test]
fn short_documents_are_left_alone_where_only_equal_texts_are_matched() {
    let place = Place::with(
        "texts.jsonl",
        row("a", "雨停了") + &row("b", "雨停了") + &row("c", "雨停了吗"),
    );
    place.dedup(&["texts.jsonl", "--preset", "exact"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["b"]);
    let counts = &place.summary("out")["counts"];
    assert_eq!(
        (&counts["short"], &counts["exact"], &counts["near_short"]),
        (&json!(0), &json!(1), &json!(0))
    );
}

#[test]
fn long_texts_that_lost_their_words_to_a_filter_are_not_compared_as_short() {
    let place = Place::new();
    let long = |seed: usize| {
        (0..400).map(|i| format!("w{} ", (i * seed + i / 7) % 90)).collect::<String>()
    };
    let rows = [7, 11]
        .map(|seed| serde_json::json!({ "id": seed, "text": long(seed) }).to_string() + "\n");
    place.write("a.jsonl", rows.concat());
    place.dedup(&["a.jsonl", "--features", "words", "--han-only", "--min-similarity", "0.2"]);
    assert_eq!(place.summary("out")["counts"]["kept"], 2);
}

#[test]
fn signs_alone_are_duplicates_of_nothing_but_equal_ones() {
    for sign in ["-", "。", "😀", "-=+*"] {
        let texts = [
            sign.repeat(300),
            sign.repeat(301),
            sign.repeat(20),
            sign.repeat(21),
            sign.repeat(300),
        ];
        let rows: String =
            texts.iter().enumerate().map(|(number, text)| row(&number.to_string(), text)).collect();
        let place = Place::with("texts.jsonl", rows);
        place.dedup(&["texts.jsonl"]);
        assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [Value::from("4")], "{sign}");
    }
}
