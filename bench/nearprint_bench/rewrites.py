"""Changes of a text that stays the same article: order, errors, script, width, wording."""

import re
from collections import Counter, defaultdict

from .corpora import HAN, joiner, sentences
from .words import is_word, tokens

# Characters that scanners confuse.
CONFUSED_HAN = (
    "己已巳 未末 土士 日曰目 天夫 人入八 大太犬 木本术 千干于 王玉主 刀力 处外 治冶 没设 侯候 拔拨 折拆 辨辩 "
    "田由甲申 午牛 见贝 今令 间问闻 右石 问同 民良 期斯 情清请 坏环 住往 经轻 活话 根报 报服 体休 历厉 传转 "
    "技枝 便使 析折 名各 竟竞 乌鸟 免兔 洒酒 哀衰 微徽 卷券 推堆 准淮 科料 圆园 国围 因困 西酉 农衣 仓仑 "
    "买卖 来米 业亚 车东 开并 无元 比此 北比 气乞 风凤 几凡 方万 文义 为办 办力 成或 我找 战站 这达 过迁 进近 "
    "了子 不木 中申 的约 是昰 在住 有育 和知 对时 时村 会合 可司 出击 分兮 生主 作怍 年午 发友 动劲 面而 "
    "法去 行衍 所听 长氏 如加 部郎 家豪 理埋 学字 市币 全金 地他 公么 心必 用甩 自白 工土 高亮 电申"
).split()
CONFUSED_LATIN = {
    "l": "1 I i t", "I": "l 1", "i": "l j 1", "O": "0 Q", "o": "0 c e a", "e": "c o", "c": "e o", "m": "rn nn", "rn": "m",
    "h": "b li", "b": "h 6", "a": "o s", "n": "u r ri", "u": "n v ii", "s": "5 a", "S": "5 8", "B": "8 R", "g": "q 9 y",
    "t": "f l", "f": "t r", "v": "y u", "y": "v", "d": "cl", "cl": "d", "w": "vv", "r": "n", "k": "lc", "D": "O", "G": "C 6",
    "C": "G", "E": "F B", "F": "P E", "P": "F", "0": "O o", "1": "l I", "5": "S", "8": "B", ",": ".", ".": ",",
}  # fmt: skip

SYNONYMS = {
    "en": """said stated|announced told informed company firm|corporation big large|huge small little|minor fall drop|decline
rise increase|climb rose climbed|increased fell dropped|declined buy purchase|acquire bought purchased|acquired begin start
began started end finish|conclude last previous|prior new fresh|recent about around|approximately also too|additionally
because since|as but however|yet many numerous|several show indicate|reveal shows indicates|reveals showed indicated
help assist|aid need require important significant|key problem issue|difficulty plan scheme|proposal plans intends|proposes
agreed consented agreement deal|accord growth expansion total overall|whole profit earnings|gain loss deficit high elevated
low reduced good fine|strong bad poor|weak make produce|create made produced|created give provide|offer gave provided
get obtain|receive got obtained keep retain|maintain kept retained sell market sold marketed price cost|rate market marketplace
government administration|authorities country nation|state countries nations officials authorities meeting session|gathering
talks negotiations|discussions report account|study reported disclosed|announced expected anticipated|forecast expect anticipate
group team|party area region|zone month period current present|existing likely probable major main|leading number amount|figure
people persons|individuals pay disburse paid disbursed work labor|operate use employ|utilize used employed|utilized
year twelvemonth today nowadays however nevertheless though although while whereas before prior|earlier after following
between among under below over above near close|nearby more additional less fewer only merely|just still yet even actually
quickly rapidly|fast slowly gradually nearly almost|virtually often frequently sometimes occasionally always constantly
can could will shall|would may might must should must need remain stay remained stayed continue proceed continued proceeded
support back|backing decision ruling|choice decided resolved offer bid|proposal shares stock|securities bank lender oil crude
war conflict attack assault|strike killed slain police officers president leader minister secretary spokesman representative
law statute|act court tribunal judge magistrate trade commerce exports shipments imports purchases industry sector
production output capacity capability demand need supply provision world globe international global|worldwide""",
    "zh": """表示称|指出|说 指出表示|强调 强调指出|重申 进行开展|实施 开展进行|推进 推进推动|促进 推动推进|促进 促进推动|推进
加强强化|增强 强化加强|增强 提高提升|增进 提升提高|增强 重要关键|主要|重大 重大重要|巨大 目前当前|现在|眼下 当前目前|现阶段
现在目前|如今|当下 因为由于|因 由于因为|因 但是不过|然而|可是 不过但是|然而 如果假如|倘若|要是 可以能够|能 能够可以|可
已经已|业已 使用采用|运用|用 利用运用|使用 需要须|要|得 问题难题|状况 方法办法|方式 方式方法|形式 帮助协助|助力 增加增长|上升
增长增加|上升|提高 下降减少|降低|下滑 减少下降|降低 开始启动|着手 结束完成|终止 完成完结|做完 实现达到|达成 获得取得|得到
取得获得|得到 发现找到|察觉 认为觉得|以为 介绍说明|讲述 显示表明|展示 表明显示|说明 包括包含|涵盖 包含包括|含有 非常十分|很|极其
十分非常|很|相当 很多许多|大量|众多 许多很多|众多 各种多种|各类 全部所有|全体 所有全部|一切 一些部分|若干 以及和|与|及 并且而且|且|同时
而且并且|同时 因此所以|故而|于是 所以因此|于是 为了为|旨在 通过经过|借助 根据依据|按照 按照依照|根据 关于有关|对于 对于对|关于 之后以后|随后
以后之后|此后 之前以前|此前 同时与此同时|并且 主要重点|首要 基本根本|大体 建设建造|打造 建立创建|设立 创建建立|新建 设置设定|配置 支持支撑|扶持
服务服侍|业务 企业公司|单位 公司企业|厂商 政府当局|官方 国家国|我国 群众百姓|民众 人们大家|民众 工作任务|事务 活动行动|运动 情况状况|情形
项目工程|计划 计划规划|方案 发展进展|前进 持续不断|继续 继续持续|接着 不断持续|一再 积极主动|踊跃 有效切实|管用 充分足够|全面 广泛普遍|广
快速迅速|高速 迅速快速|很快 共同一起|一道 首先第一|起初 最后最终|末了 应该应当|应|该 应当应该|须 必须务必|一定要 规定要求|条款 创造制造|缔造
努力奋力|尽力 希望期望|盼望 提供供给|给予 影响波及|作用 存在有|存有 变化改变|变动 作用功能|效用 选择挑选|选取 运行运转|执行 执行运行|施行
文件档案|档 命令指令 安装装设|部署 用户使用者|客户 系统体系|平台 软件程序|应用 程序软件|应用 功能作用|性能 简单容易|简便 容易简单|轻松 创作写作""",
}


def synonym_table(language):
    """The synonyms of each word.

    The English list has groups of `word alternatives`; a Chinese item is a two-character word and its
    alternatives.
    """
    table = {}
    items = SYNONYMS[language].split()
    if language == "zh":
        for item in items:
            table[item[:2]] = item[2:].split("|")
    else:
        for word, others in zip(items[::2], items[1::2]):
            table[word] = others.split("|")
    return table


class Vocabulary:
    """The words and characters of a corpus by frequency, from which replacements are drawn."""

    def __init__(self, texts, language):
        self.language = language
        self.synonyms = synonym_table(language)
        counts, characters = Counter(), Counter()
        for text in texts:
            for token in tokens(text, language):
                if (
                    is_word(token)
                    and not token[0].isdigit()
                    and (language != "zh" or HAN.match(token))
                ):
                    counts[token if language == "zh" else token.lower()] += 1
            if language == "zh":
                characters.update(HAN.findall(text))
        self.ranked = [w for w, n in counts.most_common() if n > 1]
        self.rank = {w: i for i, w in enumerate(self.ranked)}
        self.by_character = defaultdict(list)
        for word in self.ranked:
            if language == "zh" and len(word) == 2:
                for c in set(word):
                    self.by_character[c].append(word)
        self.characters = list(characters)
        self.character_weights = list(characters.values())
        self.near = {}
        ordered = sorted(c for c, n in characters.items() if n > 1)
        for i, c in enumerate(ordered):
            self.near[c] = [
                o for o in ordered[max(0, i - 6) : i + 7] if o != c and abs(ord(o) - ord(c)) < 30
            ]
        for group in CONFUSED_HAN:
            for c in group:
                self.near[c] = [o for o in group if o != c] * 3 + self.near.get(c, [])

    def any_word(self, rng):
        return self.ranked[min(len(self.ranked) - 1, int(len(self.ranked) ** rng.random()))]

    def like(self, word, rng):
        """Another word of about the same frequency."""
        rank = self.rank.get(word if self.language == "zh" else word.lower(), len(self.ranked) // 2)
        low, high = rank // 2, max(rank * 2, 40)
        other = self.ranked[min(len(self.ranked) - 1, rng.randint(low, high))]
        return cased(other, word)

    def synonym(self, word, rng):
        """A synonym, or else a word that shares a character, or else None."""
        known = self.synonyms.get(word if self.language == "zh" else word.lower())
        if known:
            return cased(rng.choice(known), word)
        if self.language == "zh" and len(word) == 2:
            others = [w for w in self.by_character.get(rng.choice(word), ()) if w != word]
            if others:
                return rng.choice(others[:60])
        return None


def cased(other, word):
    if word[:1].isupper() and not other[:1].isupper():
        return other[:1].upper() + other[1:]
    return other


def reorder(paragraphs, rng):
    """The paragraphs in another order, and the kind of reordering."""
    how = rng.choice(["shuffle", "shuffle", "rotate", "reverse", "halves", "one moved"])
    parts = list(paragraphs)
    if how == "rotate":
        at = rng.randint(1, len(parts) - 1)
        parts = parts[at:] + parts[:at]
    elif how == "reverse":
        parts.reverse()
    elif how == "halves":
        at = len(parts) // 2
        parts = parts[at:] + parts[:at]
    elif how == "one moved":
        part = parts.pop(rng.randrange(len(parts)))
        parts.insert(rng.randrange(len(parts) + 1), part)
    while parts == list(paragraphs):
        rng.shuffle(parts)
        how = "shuffle"
    return parts, how


def misread(text, rate, confusion, vocabulary, rng, spaces=True):
    """The text with RATE of its characters wrong; CONFUSION of these are look-alikes."""
    out, i = [], 0
    while i < len(text):
        c = text[i]
        if rng.random() >= rate or c == "\n":
            out.append(c)
            i += 1
            continue
        pair = text[i : i + 2]
        if HAN.match(c):
            near = vocabulary.near.get(c)
            wrong = c
            while wrong == c:
                if near and rng.random() < confusion:
                    wrong = rng.choice(near)
                else:
                    wrong = rng.choices(vocabulary.characters, vocabulary.character_weights)[0]
            out.append(wrong)
        elif c == " ":
            if not spaces:
                out.append(c)
        elif pair in CONFUSED_LATIN and rng.random() < confusion:
            out.append(CONFUSED_LATIN[pair])
            i += 1
        elif c in CONFUSED_LATIN and rng.random() < confusion:
            out.append(rng.choice(CONFUSED_LATIN[c].split()))
        elif spaces and rng.random() < 0.08:
            out.append(c + " ")
        elif c.isdigit():
            out.append(rng.choice("0123456789".replace(c, "")))
        elif c.isalpha():
            letter = rng.choice("abcdefghijklmnopqrstuvwxyz".replace(c.lower(), ""))
            out.append(letter.upper() if c.isupper() else letter)
        else:
            out.append(rng.choice(".,;:'-"))
        i += 1
    return "".join(out)


def reword(text, rate, synonyms, small, vocabulary, rng):
    """The text with RATE of its words changed, sentence by sentence.

    SMALL of the changes insert or delete a word. The others replace one, SYNONYMS of them by a
    synonym if one is known. Numbers stay, because other numbers change the meaning.
    """
    language = vocabulary.language
    out = []
    for line in text.split("\n"):
        parts = []
        for sentence in sentences(line, language) or [line]:
            pieces = tokens(sentence, language)
            places = [
                i for i, t in enumerate(pieces) if is_word(t) and not any(c.isdigit() for c in t)
            ]
            exact = rate * len(places)
            count = int(exact) + (rng.random() < exact - int(exact))
            rng.shuffle(places)
            for i in places[:count]:
                word = pieces[i]
                if rng.random() < small:
                    if rng.random() < 0.5:
                        pieces[i] = ""
                    else:
                        pieces[i] = word + joiner(language) + vocabulary.any_word(rng)
                    continue
                other = vocabulary.synonym(word, rng) if rng.random() < synonyms else None
                pieces[i] = other or vocabulary.like(word, rng)
            changed = "".join(pieces)
            parts.append(changed if language == "zh" else " ".join(changed.split()))
        out.append(joiner(language).join(parts))
    return "\n".join(out)


def wide(text, what, rng):
    """The text with full-width forms of `all`, `letters`, `digits` or `marks`; blanks stay."""
    kinds = {
        "all": lambda c: True,
        "letters": str.isalpha,
        "digits": str.isdigit,
        "marks": lambda c: not c.isalnum(),
    }
    chosen = kinds[what]
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and chosen(c) else c for c in text)


def narrow(text):
    """The text with half-width letters, digits and marks, Chinese marks included."""
    text = "".join(chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in text)
    return text.translate(str.maketrans("。、“”‘’【】", ".,\"\"''[]"))


def replace_part(text, start, share, vocabulary, rng, how, foreign):
    """The text with SHARE of it edited from START (a share) on.

    `sentences` puts FOREIGN sentences there, `words` replaces three words of four.
    """
    language = vocabulary.language
    low = int(start * len(text))
    high = min(len(text), int((start + share) * len(text)))
    if language == "en":  # keeps words whole
        while 0 < low < len(text) and text[low - 1] not in " \n":
            low += 1
        while high < len(text) and text[high] not in " \n":
            high += 1
    if how == "sentences":
        new = ""
        while len(new) < high - low:
            new += rng.choice(foreign) + joiner(language)
        new = new[: high - low]
        if language == "en" and high < len(text):
            new = new.rsplit(" ", 1)[0] if " " in new else new
    else:
        pieces = tokens(text[low:high], language)
        new = "".join(
            vocabulary.like(t, rng) if is_word(t) and rng.random() < 0.75 else t for t in pieces
        )
    return text[:low] + new + text[high:]


def sentence_end(text, share):
    """The end of a sentence that is nearest to SHARE of the text."""
    want = share * len(text)
    ends = [m.end() for m in re.finditer(r"[。！？\n]|[.!?](?=\s)", text)] or [int(want)]
    return min(ends, key=lambda end: abs(end - want))
