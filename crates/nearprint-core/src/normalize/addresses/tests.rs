use std::sync::LazyLock;

use proptest::prelude::*;
use regex::Regex;

use super::super::compose::tests::mixed_text;
use super::*;

/// Texts with many parts that are stripped, parts that nearly are, and text that touches them.
pub(in super::super) fn marked_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "http://",
            "https://a.org/x?y=1",
            "HTTP://",
            "ftp://f.net",
            "www.",
            "WWW.x.cn/1.html",
            "://",
            "ww",
            "w",
            "bob",
            "bob.s@mail.example.com",
            "@",
            "@x",
            "@x.co",
            ".org",
            "a@b.c-d.uk",
            "git@github.com:x/y",
            "[words](http://x.org/a_(b) \"title\")",
            "](",
            "](#part)",
            "](x.y)",
            "(a)(b/c)",
            "](a/b",
            " \"t\")",
            ")",
            "]",
            "[",
            "/",
            "<b>",
            "<B>",
            "<p>",
            "<P>",
            "<IBM>",
            "<DD>",
            "<BR>",
            "<br/>",
            "</P>",
            "<TABLE>",
            "<div class=\"x\">",
            "<a href=x>",
            "<A HREF=x>",
            "<input>",
            "<input disabled name=y>",
            "<T>",
            "<Object>",
            "<a < b>",
            "<b and c>",
            "<!-- x -->",
            "<!--",
            "-->",
            "<",
            ">",
            "</",
            "<em",
            "=",
            "<time datetime='1'>",
            "a1b2c3d4e5f6",
            "0123456789ab",
            "123456789012",
            "abcdefghijkl",
            "_",
            "test_of_utf8_text",
            "a1",
            "3",
            "12",
            "1,234",
            "2.5",
            "2020",
            "第3",
            "#",
            ",",
            ".",
            ":",
            "：",
            "\n",
            " days ago",
            " Hour ago",
            " year  ago",
            "weeks",
            " ago",
            "agon",
            "天前",
            " 小時前",
            "年前",
            "个月前",
            "后",
            "往",
            " views",
            "views: ",
            "Comments:",
            "viewed ",
            " times",
            " likes",
            "阅读",
            "阅读量：",
            "浏览次数",
            "評論 ",
            "次",
            "人",
            "赞",
            "点赞",
            "播放量",
            "条评论",
            "K ",
            "m",
            "万",
            "h ago",
            " mins ago",
            " (",
            "（",
            "）",
        ])
        .prop_map(String::from),
        "[ -~]{0,3}",
        "[ \u{3000}\u{a0}é一、”“]{0,2}",
        "[a-z0-9_.@<>/\\]\\[()w:]{0,8}",
        mixed_text().prop_map(|text| text.chars().take(8).collect()),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// The documented rules as regular expressions: at each place the first rule that holds.
fn parts_one_by_one(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut at) = (Vec::<Range<usize>>::new(), 0);
    while at < text.len() {
        let from = parts.last().map_or(0, |part| part.end);
        match part_at(text, at, from) {
            Some(part) => {
                at = part.end;
                parts.push(part);
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    let mut left = text.to_string();
    parts.iter().rev().for_each(|part| left.replace_range(part.clone(), ""));
    if left.chars().any(char::is_alphanumeric) { parts } else { Vec::new() }
}

fn part_at(text: &str, at: usize, from: usize) -> Option<Range<usize>> {
    macro_rules! expression {
        ($expression:expr) => {{
            static EXPRESSION: LazyLock<Regex> =
                LazyLock::new(|| Regex::new(&$expression).unwrap());
            &*EXPRESSION
        }};
    }
    const STOP: &str = r#"\s<>"')\]}\x{2000}-\x{206f}\x{2e80}-\x{10ffff}"#;
    const BLANK: &str = r"[ \t\r\n\x0c]";
    let (before, here) = (&text[..at], &text[at..]);
    let begins_word = !expression!(r"[A-Za-z0-9_]$").is_match(before);
    if begins_word
        && let Some(address) =
            expression!(format!(r"^(?i-u:(?:https?|ftp)://|www\.)[^{STOP}]*[^{STOP}.,;:!?]"))
                .find(here)
    {
        return Some(at..at + address.end());
    }
    let domain = expression!(r"^@[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}").find(here);
    let name = expression!(r"[A-Za-z0-9._%+-]+$").find(&text[from..at]);
    if let (Some(domain), Some(name)) = (domain, name) {
        return Some(from + name.start()..at + domain.end());
    }
    const OF_TARGET: &str =
        r#"[^ \t\r\n\x0c()<>\[\]{}|\\^"*`\x{2000}-\x{206f}\x{3000}-\x{303f}\x{ff00}-\x{ffef}]"#;
    let target = expression!(format!(
        r#"^\(((?:{OF_TARGET}|\({OF_TARGET}*\))+)(?:{BLANK}+"[^"]*")?{BLANK}*\)"#
    ));
    if before.ends_with(']')
        && let Some(target) = target.captures(here)
        && target[1].contains(['/', '#', '@'])
    {
        return Some(at..at + target[0].len());
    }
    if let Some(comment) = expression!(r"^<!--(?s:.*?)-->").find(here) {
        return Some(at..at + comment.end());
    }
    let tag = expression!(format!(
        r"^<(/?)([A-Za-z0-9]+)(?:{BLANK}*/?{BLANK}*|({BLANK}+[A-Za-z0-9_:@.-][A-Za-z0-9_:@. \t\r\n\x0c-]*=[^<>]*))>"
    ));
    if let Some(tag) = tag.captures(here) {
        let (name, lower) = (&tag[2], tag[2].to_lowercase());
        let bare = tag[1].is_empty() && tag.get(3).is_none();
        let is_known =
            tags::ELEMENTS.iter().chain(&tags::LONG_ELEMENTS).any(|element| *element == lower);
        let is_tag = match bare {
            _ if name != lower && name != name.to_uppercase() => false,
            false => is_known || tags::WITH_ATTRIBUTES.contains(&lower.as_str()),
            true => is_known && (name == lower || name == "BR" || name.len() >= 5),
        };
        return is_tag.then_some(at..at + tag[0].len());
    }
    if !begins_word {
        return None;
    }
    if let Some(word) = expression!(r"^[A-Za-z0-9_]+").find(here) {
        let (word, next) = here.split_at(word.end());
        let has = |is: fn(char) -> bool| word.contains(is);
        let is_code =
            word.len() >= 12 && has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_alphabetic());
        if is_code && !next.starts_with('@') {
            return Some(at..at + word.len());
        }
    }
    let number = expression!(r"^[0-9]+([.,][0-9]+)*").find(here)?;
    if expression!(r"[0-9][.,]$").is_match(before) {
        return None;
    }
    let (end, after) = (at + number.end(), &here[number.end()..]);
    let ago = expression!(
        r"^((?:[ \t\u{a0}\u{3000}]+(?:(?i-u:second|minute|hour|day|week|month|year)((?i-u:s)?)|(?i-u:sec|min|hr)((?i-u:s?)))|[smhdwy])[ \t\u{a0}\u{3000}]+(?i-u:ago))([^A-Za-z0-9_]|$)"
    );
    let is_whole = |ago: &regex::Captures| {
        ago.get(2).is_none_or(|plural| !plural.is_empty() || number.as_str() == "1")
    };
    if let Some(ago) = ago.captures(after).filter(is_whole) {
        return Some(at..end + ago[1].len());
    }
    let chinese = expression!(
        r"^[ \t\u{a0}\u{3000}]*(秒|分钟|分鐘|个?小时|個?小時|天|周|週|个月|個月|年)前([^后後往来來期端半]|$)"
    );
    if let Some(time) = chinese.captures(after)
        && !before.ends_with('第')
        && (&time[1] != "年" || number.len() < 4)
    {
        return Some(at..end + after.find('前').unwrap() + '前'.len_utf8());
    }
    let multiplier = expression!(r"^(?:[万萬亿億]|([kKmM])(?:[^A-Za-z0-9_]|$))").captures(after);
    let multiplier = multiplier.map_or(0, |found| found.get(1).map_or(3, |letter| letter.len()));
    let (end, after) = (end + multiplier, &after[multiplier..]);
    if expression!(r"^[A-Za-z0-9_]").is_match(after) {
        return None;
    }
    const ENGLISH: &str = "(?i-u:views|comments|likes|reads|replies|retweets|upvotes|downloads)";
    const CHINESE: &str = "(?:浏览|瀏覽|阅读|閱讀|观看|觀看|播放|评论|評論|回复|回覆|点赞|點讚|收藏|转发|轉發|点击数|點擊數)";
    const B: &str = r"[ \t\u{a0}\u{3000}]";
    let is_english = expression!(format!(r"^{B}+{ENGLISH}([^A-Za-z0-9_]|$)")).is_match(after)
        && !before.ends_with('#');
    let is_chinese = expression!(format!(
        r"^{B}*[次人条條个個]?(?:{CHINESE}|赞|讚)([^\p{{Alphabetic}}\p{{N}}]|$)"
    ))
    .is_match(after)
        && !before.ends_with('第');
    let is_viewed = expression!(format!(r"(^|[^A-Za-z0-9_])(?i-u:viewed){B}+$")).is_match(before)
        && expression!(format!(r"^{B}+(?i-u:times)([^A-Za-z0-9_]|$)")).is_match(after);
    const BEFORE: &str = r"(?:^|[^A-Za-z0-9_])";
    const ENDING: &str = "(?:次数|次數|量|数|數)?";
    let is_marked = expression!(format!("(?:{BEFORE}{ENGLISH}|{CHINESE}{ENDING}){B}*[:：]{B}*$"))
        .is_match(before);
    let is_bare = expression!(format!("{CHINESE}{ENDING}{B}*$")).is_match(before);
    let in_brackets =
        expression!(format!(r"(?:{BEFORE}{ENGLISH}|{CHINESE}{ENDING}){B}*[(（]{B}*$"))
            .is_match(before)
            && expression!(format!(r"^{B}*[)）]")).is_match(after);
    let ends = expression!(format!(
        r"^{B}*(次|{ENGLISH}|{CHINESE}|[^\p{{Alphabetic}}\p{{N}} \t\u{{a0}}\u{{3000}}]|$)"
    ))
    .is_match(after);
    let is_behind = (is_marked || is_bare || in_brackets) && ends;
    (is_english || is_chinese || is_viewed || is_behind).then_some(at..end)
}

fn stripped(text: &str) -> String {
    strip(text).unwrap_or_else(|| text.to_string())
}

proptest! {
    #[test]
    fn the_parts_are_those_of_the_rules(text in marked_text()) {
        prop_assert_eq!(parts(&text), parts_one_by_one(&text), "{}", text);
    }
}

#[test]
fn what_is_no_text_is_stripped() {
    for (text, left) in [
        ("See http://example.com/a?b=c#d, or www.example.org.", "See  , or  ."),
        ("（见https://example.com/路）好", "（见 路）好"),
        ("ask bob.smith@mail.example.com!", "ask  !"),
        ("the [manual](https://x.org/a_(b) \"The manual\") says", "the [manual]  says"),
        ("[top](#top), [page](../page.html)", "[top] , [page] "),
        ("a<br/>b <p class=\"x\">c</p> <!-- no --> <b>d</b>", "a b  c     d "),
        ("id 550e8400e29b41d4a716 of 2020", "id   of 2020"),
        ("Posted 3 hours ago by me", "Posted   by me"),
        ("发布于 5 分钟前，很好", "发布于  ，很好"),
        ("1,234 views, 5 comments; viewed 17 times", "  views,   comments; viewed   times"),
        ("Views: 1,234 Comments: 5", "Views:   Comments:  "),
        ("浏览次数：123 评论 4", "浏览次数：  评论  "),
        ("阅读量5320", "阅读量 "),
        ("浏览37次", "浏览 次"),
        ("ann: 5 mins ago, 2 hrs ago, 1 min ago, 3h ago", "ann:  ,  ,  ,  "),
        (
            "1.2K views, 13k likes, 9 replies, Comments (12)",
            "  views,   likes,   replies, Comments ( )",
        ),
        ("阅读：1.2万 评论（34） 播放量 56", "阅读：  评论（ ） 播放量  "),
        ("1.2万次观看，34条评论，56人收藏，7 赞", " 次观看， 条评论， 人收藏，  赞"),
        ("2个小时前，点击数：12", " ，点击数： "),
    ] {
        assert_eq!(stripped(text), left);
    }
}

#[test]
fn what_is_text_stays() {
    for text in [
        "if a < b and c > d or x<y",
        "Vec<String> and List<T>, Record<object>, <b and c>",
        "Du Pont <DD>, <IBM>, <A> and <TD.TO> said; <reuters@x>",
        "callbacks[i](event.data) and names[key](a, b/c)",
        "characteristically 123456789012 of R2D2",
        "in 2020年前 and 第3天前往, 5年前后",
        "阅读3本书，浏览37万人次，阅读： 12个技巧",
        "第3次播放，12人评论说，3个赞成，5条收藏夹",
        "3hours ago, 12Kviews, 5 m ago, views (12 of them), 3h agony",
        "bought 200,000 shares; #999580  Comments",
        "3 days later, years ago, 292,000 week ago",
        "me @home, @2.0.1, a@b",
        "https://example.com",
        "<https://example.com> 3 days ago",
    ] {
        assert_eq!(stripped(text), text);
    }
}

#[test]
fn tags_and_targets_have_a_longest_length() {
    for (length, is_tag) in [(LONGEST, true), (LONGEST + 1, false)] {
        let tag = format!("<a x={}>", "y".repeat(length - 6));
        assert_eq!(parts(&format!("{tag}z")).len(), usize::from(is_tag));
    }
    let link = |length| format!("[z](/{})", "y".repeat(length - 1));
    assert_eq!((parts(&link(LONGEST)).len(), parts(&link(LONGEST + 1)).len()), (1, 0));
}

#[test]
fn names_are_sorted() {
    assert!(
        tags::ELEMENTS.is_sorted()
            && tags::LONG_ELEMENTS.is_sorted()
            && tags::WITH_ATTRIBUTES.is_sorted()
    );
}
