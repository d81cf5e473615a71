//! The common part of the benches: texts made from a seed, and the time of a measurement.
//!
//! Documents are of words drawn by Zipf's law, in sentences and paragraphs. English ones are made
//! of syllables; Chinese ones are frequent words, and here and there two characters that no
//! dictionary has as a word.

#![allow(dead_code)]

use std::time::Duration;

use criterion::Criterion;
use nearprint_core::features::{Term, term};
use nearprint_core::normalize::{Normalizer, append_alphanumeric};
use nearprint_core::random::Random;
use nearprint_core::segment::Segmenter;

/// The settings of a measurement: long enough to see differences of some hundredths.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .without_plots()
}

/// The language of the texts.
#[derive(Debug, Clone, Copy)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    pub const BOTH: [Language; 2] = [Language::English, Language::Chinese];

    pub fn name(self) -> &'static str {
        match self {
            Language::English => "english",
            Language::Chinese => "chinese",
        }
    }

    /// `count` documents of 100 to 500 words each.
    pub fn documents(self, count: usize) -> Vec<String> {
        let mut random = Random::new(1);
        let vocabulary = self.vocabulary();
        let mut document = |_| self.document(&vocabulary, 100 + random.below(401), &mut random);
        (0..count).map(&mut document).collect()
    }

    /// `count` texts of 6 to 12 words each.
    pub fn sentences(self, count: usize) -> Vec<String> {
        let mut random = Random::new(2);
        let vocabulary = self.vocabulary();
        let mut sentence = |_| self.document(&vocabulary, 6 + random.below(7), &mut random);
        (0..count).map(&mut sentence).collect()
    }

    /// The letters and digits of `count` documents, as features and comparisons take them.
    pub fn alphanumeric_texts(self, count: usize) -> Vec<String> {
        let normalizer = Normalizer::new(Default::default());
        let alphanumeric = |text: &String| {
            let mut alphanumeric = String::new();
            append_alphanumeric(&normalizer.normalize(text), &mut alphanumeric);
            alphanumeric
        };
        self.documents(count).iter().map(alphanumeric).collect()
    }

    fn vocabulary(self) -> Vec<String> {
        match self {
            Language::English => (0..20_000).map(english_word).collect(),
            Language::Chinese => chinese_words(),
        }
    }

    fn document(self, vocabulary: &[String], words: u64, random: &mut Random) -> String {
        let mut text = String::new();
        let mut left_in_sentence = 0;
        for word in 0..words {
            let begins = left_in_sentence == 0;
            if begins {
                left_in_sentence = 6 + random.below(15);
            }
            let chosen = &vocabulary[zipf(vocabulary.len(), random)];
            match (self, begins) {
                (Language::English, true) => {
                    text.push(chosen.as_bytes()[0].to_ascii_uppercase().into());
                    text.push_str(&chosen[1..]);
                }
                _ => text.push_str(chosen),
            }
            left_in_sentence -= 1;
            let ends = left_in_sentence == 0 || word + 1 == words;
            text.push_str(match (self, ends, random.below(8)) {
                (Language::English, true, 0) => ".\n\n",
                (Language::English, true, _) => ". ",
                (Language::English, false, 0) => ", ",
                (Language::English, false, _) => " ",
                (Language::Chinese, true, 0) => "。\n",
                (Language::Chinese, true, _) => "。",
                (Language::Chinese, false, 0) => "，",
                (Language::Chinese, false, _) => "",
            });
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// The terms of each text.
pub fn terms(texts: &[String]) -> Vec<Vec<Term>> {
    let segmenter = Segmenter::new(Default::default());
    let terms_of = |text: &String| {
        let mut terms = Vec::new();
        segmenter.tokens(text, &mut |token| terms.push(term(token)));
        terms
    };
    texts.iter().map(terms_of).collect()
}

/// The bytes of all texts.
pub fn bytes(texts: &[String]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}

/// The text with every `step`-th character replaced by the one before it.
pub fn edited(text: &str, step: usize) -> String {
    let before = std::iter::once('x').chain(text.chars());
    let change = |(at, (own, before))| if at % step == step - 1 { before } else { own };
    text.chars().zip(before).enumerate().map(change).collect()
}

/// A number below `count`: n has a share of about 1 / (n + 1).
fn zipf(count: usize, random: &mut Random) -> usize {
    let uniform = random.next() as f64 / u64::MAX as f64;
    ((count as f64).powf(uniform) as usize - 1).min(count - 1)
}

/// The word of a number. Some words are figures, and frequent ones, of low numbers, are short.
fn english_word(number: u64) -> String {
    const ONSETS: [&str; 24] = [
        "", "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr",
        "pr", "ch", "sh", "th", "gr", "br",
    ];
    const VOWELS: [&str; 10] = ["a", "e", "i", "o", "u", "ea", "ou", "ai", "io", "y"];
    const CODAS: [&str; 20] = [
        "", "", "", "n", "r", "s", "t", "l", "d", "m", "nd", "nt", "ng", "st", "rs", "ck", "ll",
        "rd", "ly", "ns",
    ];
    let mut random = Random::stream(3, number);
    if number % 50 == 49 {
        return random.below(2_100).to_string();
    }
    let mut any = |of: &[&'static str]| of[random.below(of.len() as u64) as usize];
    let syllables = 1 + (number + 1).ilog(20).min(3);
    let word = |_| format!("{}{}{}", any(&ONSETS), any(&VOWELS), any(&CODAS));
    (0..syllables).map(word).collect()
}

fn chinese_words() -> Vec<String> {
    let frequent = "的 在 是 了 和 有 我们 这 不 他 一个 人 上 中 大 到 说 为 也 就 年 对 要 中国 发展 地 可以 工作 与 问题 \
        国家 经济 社会 没有 他们 进行 以及 自己 公司 时候 市场 企业 可能 因为 如果 已经 技术 系统 通过 使用 需要 但是 \
        文件 用户 数据 方法 时间 不是 这些 什么 开始 现在 主要 服务 管理 建设 城市 生活 世界 政府 部门 人民 教育 学生 \
        老师 学校 学习 研究 科学 文化 历史 电影 音乐 新闻 记者 报道 昨天 今天 明天 上午 下午 晚上 北京 上海 广州 天气 \
        温度 春天 夏天 秋天 冬天 山区 河流 海洋 森林 动物 植物 水果 蔬菜 粮食 农民 农村 农业 工业 工厂 工人 机器 汽车 \
        火车 飞机 道路 桥梁 建筑 房屋 设计 计划 项目 合同 法律 规定 条例 权利 责任 义务 安全 健康 医院 医生 病人 药物 \
        治疗 预防 检查 结果 原因 影响 关系 方向 目标 任务 会议 讨论 决定 意见 建议 支持 反对 认为 希望 相信 知道 理解 \
        解释 说明 表示 指出 提出 提高 增加 减少 降低 改变 改善 保持 继续 完成 成功 失败 经验 教训 能力 水平 质量 数量 \
        价格 成本 利润 收入 支出 投资 银行 货币 贸易 出口 进口 商品 产品 消费者 互联网 计算机 软件 硬件 程序 代码 网络 \
        信息 图书馆 博物馆 公园 广场 街道 商店 饭店 朋友 家庭 父母 孩子 兄弟 故事 小说 诗歌 语言 文字 文章 段落 句子 \
        词语 意义 思想 感情 精神 力量 勇气 智慧 幸福 快乐 痛苦 困难 危险 机会 挑战 未来 梦想 2008 10 30 GB Linux";
    const RARE: [char; 24] = [
        '璟', '泓', '筠', '皓', '翀', '芮', '霁', '琰', '曦', '懿', '珩', '黛', '羿', '钰', '铄',
        '淼', '昕', '宥', '苒', '煜', '祺', '澍', '砚', '祎',
    ];
    let rare = RARE.iter().flat_map(|one| RARE.iter().map(move |other| format!("{one}{other}")));
    frequent.split_whitespace().map(str::to_string).chain(rare).collect()
}
