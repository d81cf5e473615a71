//! Properties of all views, and examples.

use proptest::prelude::*;

use super::*;
use crate::compare::Measure;
use crate::normalize::Options;

const PASSAGES: Basis = Basis::Measure(Measure::Coverage);

/// A basis with passages, all of which count.
const ALL_COUNT: Basis = Basis::Measure(Measure::Jaccard);

fn normalizer() -> Normalizer {
    Normalizer::new(Options::default())
}

/// The view in characters: `[own]`, `<moved>`, `!figure!`.
fn written(texts: [&str; 2], basis: Basis) -> [String; 2] {
    let view = View::new(texts, &normalizer(), basis);
    let side = |text: &str, pieces: &[Piece]| {
        let piece = |piece: &Piece| {
            let part = &text[piece.start..piece.end];
            match piece.kind {
                Kind::Shared => part.to_string(),
                Kind::Moved => format!("<{part}>"),
                Kind::Own => format!("[{part}]"),
                Kind::Figure => format!("!{part}!"),
                Kind::Stripped => format!("~{part}~"),
            }
        };
        pieces.iter().map(piece).collect::<String>()
    };
    [side(texts[0], &view.left), side(texts[1], &view.right)]
}

#[test]
fn letters_that_show_nothing_have_no_place() {
    for text in ["\u{3164} 5", "a\u{115f}5 and 7", "\u{200b}6"] {
        assert_eq!(written([text, text], Basis::Characters), [text, text]);
    }
}

#[test]
fn an_edited_text_is_shown_piece_by_piece() {
    let texts = [
        "The crew has replaced both engines, painted the railings green and hired 12 cooks who bake buns.",
        "The crew has replaced engines, painted the cabins green — and hired 13 cooks who bake buns. Come!",
    ];
    assert_eq!(
        written(texts, ALL_COUNT),
        [
            "The crew has replaced [both ]engines, painted the [railings] green and hired !12! cooks who bake buns.",
            "The crew has replaced engines, painted the [cabins] green — and hired !13! cooks who bake buns.[ Come!]",
        ]
    );
}

#[test]
fn what_is_stripped_is_shown_where_it_differs() {
    let texts = [
        "The manual at https://example.com/one says <b>more</b> about both engines of the ship.",
        "The manual at http://www.example.org/2nd says more about <i>all</i> engines of the ship.",
    ];
    assert_eq!(
        written(texts, ALL_COUNT),
        [
            "The manual at ~https://example.com/one~ says <b>more</b> about [both] engines of the ship.",
            "The manual at ~http://www.example.org/2nd~ says more about [<i>all</i>] engines of the ship.",
        ]
    );
    let pages = [
        "3 hours ago. The crew has replaced both engines of the ferry. 1,200 views",
        "9 hours ago. The crew has replaced both engines of the ferry. 88 views",
    ];
    let texts = [
        "The crew has replaced both engines of the ferry. 1,200 views",
        "The crew has replaced both engines of the ferry. It sailed. 8 comments <name@host>",
    ];
    assert_eq!(
        written(texts, ALL_COUNT)[0],
        "The crew has replaced both engines of the ferry. [1,200 views]"
    );
    let texts = [
        "It is at https://a.org/x, the crew says to all",
        "It is at https://a.org/x. The crew says to all",
    ];
    assert_eq!(written(texts, ALL_COUNT), texts);
    for basis in [PASSAGES, Basis::Characters] {
        assert_eq!(first_difference(pages, &View::new(pages, &normalizer(), basis)), None);
        assert_eq!(
            written(pages, basis),
            [
                "~3 hours ago~. The crew has replaced both engines of the ferry. ~1,200~ views",
                "~9 hours ago~. The crew has replaced both engines of the ferry. ~88~ views",
            ]
        );
    }
}

#[test]
fn a_window_that_is_single_by_chance_moves_nothing() {
    // The window "rshr" of four letters occurs once in both texts. A figure written in another way
    // does not differ.
    let texts = [
        "2nd qtr Shr four cts vs seven cts Revs 9,200,000 vs 10.5 mln 1st half Shr four cts vs 12 cts",
        "Quarter ended Shr four cts vs seven cts Revs 9,200,000 vs 10,500,000 Year Shr four cts vs 12 cts",
    ];
    assert_eq!(
        written(texts, ALL_COUNT)[0],
        "!2nd![ qtr] Shr four cts vs seven cts Revs 9,200,000 vs !10.5 !!mln !!1st![ half] Shr four cts vs 12 cts"
    );
}

#[test]
fn a_paragraph_that_was_moved_is_moved() {
    let one = "The council met on Tuesday evening and heard the engineers of the harbour about the cracked shaft.";
    let other = "Nobody spoke against them.";
    let last = "A motion to repair the ferry over the winter was then carried without a vote against it at all.";
    let texts = [format!("{one}\n\n{other}\n\n{last}\n"), format!("{other}\n\n{one}\n\n{last}\n")];
    assert_eq!(
        written(texts.each_ref().map(String::as_str), PASSAGES),
        [format!("{one}\n\n<{other}\n\n>{last}\n"), format!("<{other}\n\n>{one}\n\n{last}\n")]
    );
}

#[test]
fn chinese_texts_are_cut_between_characters() {
    let texts = [
        "市氣象臺昨日發布暴雨預警，預計未來24小時內全市降雨量將達到80毫米，請市民減少外出並注意安全。",
        "市气象台昨日发布暴雨预警，预计未来２４小时内本市降雨量将达到95毫米，请市民减少外出并注意防范积水。",
    ];
    assert_eq!(
        written(texts, ALL_COUNT),
        [
            "市氣象臺昨日發布暴雨預警，預計未來24小時內[全]市降雨量將達到!80!毫米，請市民減少外出並注意[安全。]",
            "市气象台昨日发布暴雨预警，预计未来２４小时内[本]市降雨量将达到!95!毫米，请市民减少外出并注意[防范积水。]",
        ]
    );
}

#[test]
fn short_texts_are_aligned_by_characters() {
    for (texts, expected) in [
        (["twelve boxes", "twelve boxer"], ["twelve [boxes]", "twelve [boxer]"]),
        (["C++ 入门", "C# 入門"], ["C[++] 入门", "C[#] 入門"]),
        (["今天天气很好", "今天天气真好"], ["今天天气[很]好", "今天天气[真]好"]),
        (["room 12 on floor 3", "room 12"], ["room 12[ on floor ]!3!", "room 12"]),
    ] {
        assert_eq!(written(texts, Basis::Characters), expected);
    }
}

#[test]
fn texts_without_letters_have_pieces_too() {
    assert_eq!(View::new(["", ""], &normalizer(), PASSAGES), View::default());
    for (texts, expected) in [
        ([" ", ""], ["[ ]", ""]),
        ([" ", "\n\n"], [" ", "\n\n"]),
        (["***", "***"], ["***", "***"]),
        (["***", "+++"], ["[***]", "[+++]"]),
        (["***", "a tree"], ["[***]", "[a tree]"]),
    ] {
        assert_eq!(written(texts, PASSAGES), expected);
        assert_eq!(written(texts, Basis::Characters), expected);
    }
}

#[test]
fn many_repetitions_and_large_texts_take_no_time() {
    let words = |seed: usize, count: usize| -> String {
        (0..count).map(|n| format!("word{} ", (n * 7919 + seed * 31) % 49_999)).collect()
    };
    let (left, right) = (words(1, 60_000), words(2, 60_000));
    let cases = [
        ("a ".repeat(200_000), "a ".repeat(150_000) + "b"),
        ("abcdefghijkl".repeat(20_000), "bacdefghijkl".repeat(20_000)),
        (left.clone(), right.clone()),
        (format!("{left}{right}"), format!("{right}{left}")),
    ];
    for (left, right) in cases {
        let view = View::new([&left, &right], &normalizer(), PASSAGES);
        check([&left, &right], &view).unwrap();
        // A text that is not short has passages on every basis.
        let view = View::new([&left, &right], &normalizer(), Basis::Characters);
        check_tiles(&left, &view.left).unwrap();
    }
}

fn check_tiles(text: &str, pieces: &[Piece]) -> Result<(), TestCaseError> {
    let mut end = 0;
    for piece in pieces {
        prop_assert_eq!(piece.start, end);
        prop_assert!(
            piece.start < piece.end && text.is_char_boundary(piece.end),
            "{:?} {:?}",
            text,
            pieces
        );
        prop_assert_eq!(piece.partner.is_some(), matches!(piece.kind, Kind::Shared | Kind::Moved));
        end = piece.end;
    }
    prop_assert_eq!(end, text.len());
    Ok(())
}

/// Checks that a view is one of these texts.
fn check(texts: [&str; 2], view: &View) -> Result<(), TestCaseError> {
    check_tiles(texts[0], &view.left)?;
    check_tiles(texts[1], &view.right)?;
    let normalizer = normalizer();
    let letters = |text: &str| -> String {
        normalizer.normalize(text).chars().filter(|c| c.is_alphanumeric()).collect()
    };
    let mut last = 0;
    for (number, piece) in view.left.iter().enumerate() {
        let Some(partner) = piece.partner else { continue };
        let other = &view.right[partner];
        prop_assert_eq!((other.kind, other.partner), (piece.kind, Some(number)));
        prop_assert_eq!(
            letters(&texts[0][piece.start..piece.end]),
            letters(&texts[1][other.start..other.end])
        );
        if piece.kind.is_in_order() {
            prop_assert!(last <= other.start);
            last = other.end;
        }
    }
    let partners = |pieces: &[Piece]| pieces.iter().filter(|piece| piece.partner.is_some()).count();
    prop_assert_eq!(partners(&view.left), partners(&view.right));
    Ok(())
}

fn edited() -> impl Strategy<Value = (String, String)> {
    let word = "(ferry|harbour|天地|玄黄|４2|3,5|ＡＢ|cafe\u{301}|ﬁn|[a-c]{1,9}|資訊)";
    let words = prop::collection::vec((word, "[ ,。\n]{1,2}"), 0..40);
    (words, prop::collection::vec((0usize..40, 0usize..4, word), 0..6)).prop_map(
        |(words, edits)| {
            let text = |words: &[(String, String)]| {
                words.iter().map(|(word, sign)| format!("{word}{sign}")).collect::<String>()
            };
            let left = text(&words);
            let mut words = words;
            for (place, edit, word) in edits {
                let place = place % words.len().max(1);
                match edit {
                    _ if words.is_empty() => (),
                    0 => words[place].0 = word,
                    1 => drop(words.remove(place)),
                    2 => words.insert(place, (word, " ".to_string())),
                    _ => words.rotate_left(place),
                }
            }
            (left, text(&words))
        },
    )
}

proptest! {
    #[test]
    fn pieces_are_the_whole_texts_and_partners_are_alike((left, right) in edited(), by_characters: bool) {
        let basis = if by_characters { Basis::Characters } else { PASSAGES };
        let view = View::new([&left, &right], &normalizer(), basis);
        check([&left, &right], &view)?;
        prop_assert_eq!(View::new([&right, &left], &normalizer(), basis), view.swapped());
    }

    #[test]
    fn any_texts_have_pieces(left: String, right: String, by_characters: bool) {
        let basis = if by_characters { Basis::Characters } else { PASSAGES };
        let view = View::new([&left, &right], &normalizer(), basis);
        check_tiles(&left, &view.left)?;
        check_tiles(&right, &view.right)?;
        prop_assert_eq!(View::new([&right, &left], &normalizer(), basis), view.swapped());
    }

    #[test]
    fn equal_texts_are_one_shared_piece((text, _) in edited(), by_characters: bool) {
        let basis = if by_characters { Basis::Characters } else { PASSAGES };
        let view = View::new([&text, &text], &normalizer(), basis);
        let whole = Piece { start: 0, end: text.len(), kind: Kind::Shared, partner: Some(0) };
        let expected = if text.is_empty() { vec![] } else { vec![whole] };
        prop_assert_eq!((&view.left, &view.right), (&expected, &expected));
    }
}
