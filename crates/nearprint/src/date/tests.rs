use super::*;

const NOON: i128 = 1_795_521_600 * SECOND;

fn text(text: &str) -> Option<i128> {
    moment(&FieldValue::Text(text.to_string()))
}

#[test]
fn every_form_of_one_moment_is_that_moment() {
    for date in [
        "2026-11-24T12:00:00Z",
        "2026-11-24t12:00:00z",
        "2026-11-24T12:00Z",
        "2026-11-24T12",
        "2026-11-24T1200",
        "2026-11-24T20:00:00+08:00",
        "2026-11-24 20:00:00 +0800",
        "2026-11-24 20:00:00+08",
        "2026-11-24 01:30-10:30",
        "2026-11-25T00:00:00.000+12:00",
        "2026-11-23T24:00:00-12:00",
        "2026-11-24 12:00:00",
        "2026-11-24 12:00:00 UTC",
        "2026/11/24 12:0:0",
        "20261124T120000Z",
        "20261124T12:00",
        "20261124120000",
        "Tue, 24 Nov 2026 12:00:00 GMT",
        "Mon, 24 Nov 2026 12:00:00 UTC",
        "24 Nov 2026 12:00:00",
        "Tue, 24 Nov 2026 07:00:00 EST",
        "24 Nov 26 06:00 CST",
        "Tue, 24 Nov 2026 20:00:00 +0800 (China Standard Time)",
        "Tue Nov 24 2026 20:00:00 GMT+0800 (CST)",
        "Tuesday, 24-Nov-26 12:00:00 GMT",
        "24-NOV-2026 12:00",
        "Tue Nov 24 12:00:00 2026",
        "Tue Nov 24 07:00:00 EST 2026",
        "Nov 24, 2026 12:00",
        "Nov. 24, 2026, 12:00:00 PM",
        "November 24th 2026 at 12:00 p.m.",
        "November 24, 2026 7:00 AM EST",
        "2026 Nov 24 12:00",
        "2026-11-24 12:00 pm",
        "2026-11-24 08:00 PM +0800",
        "2026-11-24 20:00 UTC+8",
        "2026-11-24 07:00−05:00",
        " Tue, 24 Nov 2026 13:00:00 +0100 ",
        "2026年11月24日12时",
        "2026年11月24日20时+08:00",
        "2026年11月24日 12:00",
        "2026 年 11 月 24 日 12 时 00 分 0 秒",
        "２０２６年１１月２４日　１２：００",
        "2026-11-24 12点00分",
        "2026年11月24日 星期二 12:00",
        "2026年11月24日（周二）上午12时0分-12:00",
        "2026年11月24日下午8點＋08:00",
        "2026/11/24 下午 12:00:00",
        "二〇二六年十一月二十四日十二时",
        "1795521600",
        "1795521600.0",
        "1795521600000",
    ] {
        assert_eq!(text(date), Some(NOON), "{date}");
    }
    for number in [1_795_521_600, 1_795_521_600_000, 1_795_521_600_000_000, NOON] {
        assert_eq!(moment(&FieldValue::Integer(number)), Some(NOON), "{number}");
    }
    assert_eq!(moment(&FieldValue::Time(1_795_521_600_000_000)), Some(NOON));
}

#[test]
fn days_months_and_years_begin_at_midnight() {
    let new_year = Some(1_704_067_200 * SECOND);
    for date in [
        "2024-01-01",
        "2024-1-1",
        "2024/1/1",
        "2024.1.1",
        "20240101",
        "2024年1月1日",
        "2024年1月1号",
        "2024-01",
        "2024/1",
        "2024年1月",
        "2024",
        "2024年",
        "２０２４",
        "二〇二四年一月一日",
        "二○二四年",
        "Jan 1, 2024",
        "January 1 2024",
        "1st January 2024",
        "Monday, 1 Jan 2024",
        "Jan 2024",
    ] {
        assert_eq!(text(date), new_year, "{date}");
    }
    for value in [FieldValue::Integer(2024), FieldValue::Number(20_240_101.0)] {
        assert_eq!(moment(&value), new_year, "{value:?}");
    }
    assert!(text("2024年2月1日") < text("2024年10月1日"));
    assert_eq!(moment(&FieldValue::Time(86_400_000_000)), Some(DAY));
}

#[test]
fn fractions_of_seconds_count() {
    let quarter = Some(NOON + SECOND / 4);
    for date in ["2026-11-24T12:00:00.25Z", "2026-11-24 12:00:00,250", "1795521600.25"] {
        assert_eq!(text(date), quarter, "{date}");
    }
    assert_eq!(moment(&FieldValue::Number(1_795_521_600.25)), quarter);
    assert_eq!(moment(&FieldValue::Number(-100_000_000.5)), text("-100000000.5"));
    assert_eq!(text("2026-11-24T12:00:00.0000000019Z"), Some(NOON + 1));
}

#[test]
fn other_values_are_no_dates() {
    for other in [
        "",
        " ",
        "-",
        "soon",
        "9",
        "202401",
        "2024-13-01",
        "2024-02-30",
        "20241301",
        "24-1-1",
        "31.1.2026",
        "2024.02",
        "1-2-3-4",
        "2024-1-1T25:00",
        "2024-1-1T10:60",
        "2024-1-1 x",
        "2024-1-1T10:00+",
        "2024-1-1T10:00:00.x",
        "10:30",
        "2024-1/1",
        "20241301000000",
        "99999999999999999999999",
        "-2024-1-1",
        "2024-1-1T10:00+99:00",
        "03/04/2024",
        "5 May",
        "May 24",
        "Feb 3 2024x",
        "Feb 30, 2024",
        "Feb 3, 24",
        "24-Feb-01",
        "Feb Mar 3 2024",
        "Feb 3, 2024 (updated)",
        "Feb 2024 10:30",
        "Feb 3, 2024 13:30 AM",
        "Feb 3, 2024 0:30 PM",
        "Thu Feb  1 10:30:00 CST 2024",
        "2024-02-01 10:30:00 CST",
        "2024-02-01 10:30Z+08:00",
        "2024-02-01 pm",
        "Thu, 01 Feb 2024 10:30:00 XYZ",
        "九",
        "2024年二十月一日",
        "é024-1-1",
        "20é0101T10",
        "2024-1-1T1é3000",
        "2024-1-1 aé12",
        "2024-1-1T103",
    ] {
        assert_eq!(text(other), None, "{other}");
    }
    assert_eq!(text(&format!("2024-1-1{}", " ".repeat(200) + "10:00")), None);
    for other in [
        FieldValue::Number(f64::INFINITY),
        FieldValue::Number(0.5),
        FieldValue::Integer(0),
        FieldValue::Integer(i128::MIN),
        FieldValue::Boolean(true),
    ] {
        assert_eq!(moment(&other), None, "{other:?}");
    }
}

#[test]
fn halves_of_a_day_and_days_of_other_centuries_are_read() {
    for (date, other) in [
        ("Feb 3, 2024 12:30 AM", "2024-02-03 00:30"),
        ("Feb 3, 2024 11:30 am", "2024-02-03 11:30"),
        ("2024年2月3日 上午10时30分", "2024-02-03 10:30"),
        ("2024年2月3日下午3:05", "2024-02-03 15:05"),
        ("2024年2月3日 下午15:05", "2024-02-03 15:05"),
        ("2024年2月3日 凌晨2点", "2024-02-03 02:00"),
        ("2024年2月3日早上8:05", "2024-02-03 08:05"),
        ("2024年2月3日 晚上8点", "2024-02-03 20:00"),
        ("2024年2月3日 晚上20:15", "2024-02-03 20:15"),
        ("二〇二四年二月十三日", "2024-02-13"),
        ("二〇二四年十月三十一日", "2024-10-31"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sun, 20 Jul 1969 20:17:40 GMT", "1969-07-20 20:17:40"),
        ("Sept. 3, 1950", "1950-09-03"),
    ] {
        assert_eq!(text(date), text(other), "{date}");
        assert!(text(date).is_some(), "{date}");
    }
    assert_eq!(text("2024年2月3日 晚上12点"), None);
    assert!(text("1969-12-31") < Some(0) && text("July 20, 1969") < text("19690721"));
}
