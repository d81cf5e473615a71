"""Texts made by filling in: templates, boilerplate of sites, tables, one-sentence news, code."""

import ast
import importlib
import inspect
import re
import textwrap
from collections import Counter

from .corpora import joiner, shingles
from .words import is_word, tokens

FRAMES = {
    "en": {
        "press release": """{city}, {date} -- {company} today announced that it has named {person} as its new {title}.|{person}, who
joins from {company}, will take up the post on {date} and report to {person}.|The company, based in {city}, had sales of {money} in
the last financial year, {percent} more than in the year before.|"We are delighted to welcome {person} to the team," said {person}, chairman of
{company}.|Analysts had expected revenue of {money} for the current quarter.|For further information please contact {person} at {phone}.|Shares
of {company} rose {percent} in early trading on {date}.|{company} employs {number} people in {city}, {city} and {city}.""",
        "court notice": """NOTICE is hereby given that the {city} District Court will hear case No. {number} on {date} at {time}.|In the matter
of {person}, plaintiff, against {company}, defendant.|The plaintiff claims damages in the amount of {money} together with interest at
{percent} from {date}.|All persons who have an interest in the matter must file their answer with the clerk in {city} within {number}
days.|Failure to appear will result in judgment by default for the relief demanded in the complaint.|Counsel for the plaintiff: {person},
{city}, telephone {phone}.|Given under my hand and seal of the court on {date}, {person}, clerk.""",
        "weather": """Weather for {city} on {date}: {word} with a high of {number} degrees and a low of {number} degrees.|Winds from the {word}
at {number} miles an hour, humidity {percent}.|The chance of rain is {percent} in the morning and {percent} in the evening.|Sunrise at
{time}, sunset at {time}.|Travelers between {city} and {city} should allow for delays of {number} minutes.|The record for the day is
{number} degrees, set in {number}.|The next forecast will be issued at {time}.""",
        "earnings": """{company} reported net income of {money} for the quarter ended {date}, compared with {money} a year earlier.|Revenue rose
{percent} to {money}, while operating costs were {money}.|Earnings per share were {number} cents against {number} cents.|The board declared a
dividend of {number} cents a share, payable on {date} to holders of record on {date}.|"The results reflect strong demand in {city}," said
chief executive {person}.|For the full year {company} expects revenue between {money} and {money}.|The shares closed at {number} in {city},
a change of {percent}.""",
        "product page": """Buy the {word} {word} {number} by {company} online.|Price: {money}, you save {percent}.|In stock: {number} items, ships
from {city} within {number} days.|Average rating {number} out of five from {number} customers.|Weight {number} grams, size {number} by
{number} by {number} millimeters.|Free returns within thirty days of purchase, warranty of {number} months.|Customers who bought this item
also bought the {word} {word} by {company}.|Reviewed by {person} on {date}: I would buy it again.""",
    },
    "zh": {
        "press release": """{date}，{company}在{city}宣布，任命{person}为公司{title}，任期自{date}起。|{person}此前任职于{company}，拥有{number}年行业经验。|公司
上一财年营业收入为{money}元，同比增长{percent}。|“我们热烈欢迎{person}加入团队。”{company}董事长{person}表示。|公司目前在{city}、{city}和{city}共有员工
{number}人。|如需了解更多信息，请联系{person}，电话{phone}。|受此消息影响，{company}股价当日上涨{percent}。""",
        "court notice": """{city}市人民法院公告（{number}号）|{person}：本院受理原告{company}诉你买卖合同纠纷一案，已审理终结。|因你下落不明，依照《中华人民共和国民事诉讼法》的规定，
向你公告送达民事判决书。|判决如下：被告于判决生效之日起{number}日内向原告支付货款{money}元及利息，利率为{percent}。|案件受理费{money}元，由被告{person}负担。|自本公告
之日起经过三十日即视为送达。如不服本判决，可在公告期满后十五日内向本院递交上诉状。|审判员{person}，书记员{person}，{date}。""",
        "weather": """{city}市气象台{date}{time}发布天气预报：今天白天{word}，最高气温{number}℃，最低气温{number}℃。|风向{word}，风力{number}级，相对湿度{percent}。|未来三天
{city}、{city}等地将有降水过程，累计雨量{number}毫米。|空气质量指数{number}，首要污染物为{word}。|请市民注意防范，合理安排出行，从{city}前往{city}的车辆请减速慢行。|下次
预报将于{time}发布，值班预报员{person}。""",
        "earnings": """{company}{date}发布财报，本季度实现净利润{money}元，去年同期为{money}元。|营业收入{money}元，同比增长{percent}，营业成本为{money}元。|每股收益
{number}元，拟每股派发现金红利{number}元。|公司首席执行官{person}表示，业绩增长主要得益于{city}市场的强劲需求。|公司预计全年营业收入在{money}元至{money}元之间。|截至{date}
收盘，{company}股价报{number}元，涨幅{percent}。""",
        "product page": """{company}{word}{word}{number}型，官方正品，现价{money}元，立省{percent}。|库存{number}件，由{city}仓发货，预计{number}天内送达。|商品评分{number}分，
共有{number}条评价。|净重{number}克，尺寸{number}×{number}×{number}毫米，质保{number}个月。|支持七天无理由退货，全国联保，假一赔十。|买家{person}于{date}评价：东西不错，还会再来。|
购买此商品的顾客还购买了{company}{word}。""",
    },
}

SENTENCE_FRAMES = {
    "en": """The high in {city} today is {number} degrees.|{company} shares closed at {number} dollars on {date}.|{person} of {city} won the
race in {number} seconds.|An earthquake of magnitude {number} struck near {city} on {date}.|{company} will open a new store in {city} on
{date}.|{company} said its quarterly profit rose {percent} to {money}.|Flight {number} from {city} to {city} was delayed by {number}
minutes.|{person} was elected mayor of {city} with {percent} of the vote.|The price of a barrel of oil fell {percent} to {number}
dollars.|{company} hires {person} as {title}.|Police in {city} arrested {number} people on {date}.|The exchange rate of the {word} today
is {number}.""",
    "zh": """{city}市今日最高气温{number}度。|{company}股价今日收于{number}元，涨幅{percent}。|{city}发生{number}级地震，震源深度{number}千米。|{person}当选{city}市市长，得票率为
{percent}。|{company}宣布将在{city}投资{money}元建厂。|{city}至{city}的{number}次列车今日晚点{number}分钟。|{date}，{person}在{city}获得男子百米冠军。|{city}今日新增确诊病例{number}例。|
{company}第三季度净利润{money}元，同比增长{percent}。|{city}市{date}空气质量指数为{number}，首要污染物为{word}。|今日人民币对{word}汇率中间价报{number}元。|{company}任命{person}为{title}。""",
}

CITIES = {
    "en": """London Paris Berlin Madrid Rome Vienna Oslo Lisbon Dublin Warsaw Prague Athens Cairo Nairobi Lagos Tokyo Osaka Seoul
Sydney Perth Auckland Toronto Montreal Vancouver Chicago Boston Denver Dallas Houston Seattle Portland Phoenix Atlanta Miami
Detroit Cleveland Memphis Nashville Omaha Tulsa Lima Bogota Santiago Quito Havana Delhi Mumbai Chennai Karachi Lahore""",
    "zh": """北京 上海 天津 重庆 石家庄 太原 沈阳 长春 哈尔滨 南京 杭州 合肥 福州 南昌 济南 郑州 武汉 长沙 广州 南宁 海口 成都 贵阳 昆明 西安 兰州 西宁 银川 乌鲁木齐 拉萨
大连 青岛 宁波 厦门 深圳 苏州 无锡 常州 温州 烟台 洛阳 宜昌 株洲 桂林 绵阳 遵义 大理 宝鸡 天水 喀什 保定 唐山 包头 鞍山 吉林 徐州""",
}
PERSONS = {
    "en": (
        "James Mary Robert Linda John Susan David Karen Peter Nancy Paul Laura Mark Helen George Ruth Frank Alice Henry Grace Oscar".split(),
        "Smith Jones Miller Davis Garcia Wilson Moore Taylor Thomas Lee Clark Lewis Walker Hall Young King Wright Hill Green Baker".split(),
    ),
    "zh": (
        list("王李张刘陈杨黄赵周吴徐孙马朱胡郭何林罗高梁郑谢宋唐许邓韩冯曹"),
        list("伟芳娜敏静丽强磊军洋勇艳杰涛明超秀霞平刚桂英华文博宇轩晨"),
    ),
}
COMPANIES = {
    "en": (
        "Apex Borel Cintra Delmont Estrel Fairview Galden Harwick Inland Jarrow Kestrel Lumen Mercer Norwood Orion Pelham Quarry "
        "Redfern Sterling Tamarack Upton Vantage Westmark Yardley Zenith".split(),
        "Industries Holdings Systems Energy Foods Bank Partners Motors Chemical Airlines Pharma Steel Retail Media".split(),
    ),
    "zh": ("华信 东方 中瑞 远大 金山 恒通 天成 博远 新宇 海龙 四方 长河 明德 科锐 百川 宏图 泰和 瑞丰 安捷 正阳".split(),
           "科技 集团 银行 食品 能源 汽车 医药 电子 地产 传媒 钢铁 物流 证券 重工".split()),
}  # fmt: skip
TITLES = {
    "en": "chief executive|finance director|head of research|general counsel|vice president|sales manager".split(
        "|"
    ),
    "zh": "首席执行官 财务总监 总经理 副总裁 技术总监 董事会秘书".split(),
}


class Filler:
    """Draws the fillings of the slots of a frame."""

    def __init__(self, language, vocabulary, rng):
        self.language, self.vocabulary, self.rng = language, vocabulary, rng

    def slot(self, name):
        rng, language = self.rng, self.language
        if name == "city":
            return rng.choice(CITIES[language].split())
        if name == "person":
            first, last = PERSONS[language]
            if language == "zh":
                return rng.choice(first) + "".join(rng.sample(last, rng.randint(1, 2)))
            return f"{rng.choice(first)} {rng.choice(last)}"
        if name == "company":
            first, last = COMPANIES[language]
            if language == "zh":
                return (
                    rng.choice(CITIES["zh"].split()) * rng.randint(0, 1)
                    + rng.choice(first)
                    + rng.choice(last)
                )
            return f"{rng.choice(first)} {rng.choice(last)}"
        if name == "title":
            return rng.choice(TITLES[language])
        if name == "number":
            return str(
                rng.choice(
                    [
                        rng.randint(2, 99),
                        rng.randint(100, 9999),
                        round(rng.uniform(1, 100), rng.randint(1, 2)),
                    ]
                )
            )
        if name == "percent":
            return f"{round(rng.uniform(0.1, 90), rng.randint(0, 1))}" + (
                "%" if language == "zh" else rng.choice([" percent", "%"])
            )
        if name == "money":
            if language == "zh":
                return f"{round(rng.uniform(1, 900), rng.randint(0, 2))}" + rng.choice(["万", "亿"])
            return rng.choice(
                [
                    f"{round(rng.uniform(1, 900), 1)} million dollars",
                    f"${rng.randint(1000, 999999):,}",
                ]
            )
        if name == "phone":
            return f"{rng.randint(100, 999)}-{rng.randint(1000, 9999)}-{rng.randint(100, 9999)}"
        if name == "time":
            return f"{rng.randint(0, 23)}:{rng.randint(0, 59):02}"
        if name == "date":
            if language == "zh":
                return f"{rng.randint(1, 12)}月{rng.randint(1, 28)}日"
            return f"{rng.choice('January March April June July August October November'.split())} {rng.randint(1, 28)}"
        return self.vocabulary.like(rng.choice(self.vocabulary.ranked[50:3000]), rng)

    def fill(self, frame):
        """The filled frame, and the number of characters in its slots."""
        slots = []

        def put(match):
            slots.append(self.slot(match.group(1)))
            return slots[-1]

        return re.sub(r"\{(\w+)\}", put, frame), sum(map(len, slots))


def one_line(text, language):
    return re.sub(r"\n", joiner(language), text)


def written_template(filler, members, share, length, kind, foreign):
    """The texts of a family on one of the frames above.

    All members share the sentences of the frame and some real ones. Slots and real sentences of each
    member's own make up SHARE of its text. FOREIGN gives a fresh real sentence.
    """
    rng, language = filler.rng, filler.language
    frames = [one_line(f, language) for f in FRAMES[language][kind].split("|")]
    fixed = [(f, True) for f in frames]
    drawn = [filler.fill(f) for f in frames]
    literal = sum(len(t) - n for t, n in drawn)
    slots = sum(n for _, n in drawn)
    while literal < (1 - share) * length or (literal + slots) * share < slots:
        sentence = foreign()
        fixed.insert(rng.randrange(1, len(fixed) + 1), (sentence, False))
        literal += len(sentence)
    own = max(0, (share * literal - (1 - share) * slots) / (1 - share))
    gaps = max(1, round(own / rng.choice([40, 80, 160, 320]))) if own > 20 else 0
    places = [rng.randrange(1, len(fixed) + 1) for _ in range(gaps)]
    texts = []
    for _ in range(members):
        parts = []
        for i, (frame, is_frame) in enumerate(fixed):
            parts.append(filler.fill(frame)[0] if is_frame else frame)
            for _ in range(places.count(i + 1)):
                piece = foreign()
                while len(piece) < 0.7 * own / gaps:
                    piece += joiner(language) + foreign()
                parts.append(
                    piece if len(piece) < 1.5 * own / gaps else clip(piece, own / gaps, language)
                )
        texts.append(laid_out(parts, language))
    return texts


def clip(text, length, language):
    """The beginning of the text, with the end of a sentence."""
    cut = text[: max(8, int(length))]
    if language == "en":
        return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(",;:") + "."
    return cut.rstrip("，、；：。") + "。"


def laid_out(parts, language):
    """The sentences in lines of two at most; only their number decides the places of the breaks."""
    return "\n".join(joiner(language).join(parts[i : i + 2]) for i in range(0, len(parts), 2))


def article_template(parts, members, share, whole, filler, foreign):
    """The texts of a family on a real text, given as sentences.

    Members differ in words, runs of words and numbers all over the text, and in whole sentences,
    which are WHOLE of the difference.
    """
    rng, language = filler.rng, filler.language
    total = sum(map(len, parts))
    order = list(range(len(parts)))
    rng.shuffle(order)
    replaced, sentence_slots, together = 0, set(), rng.choice([1, 1, 2, 4])
    for i in (k for start in order for k in range(start, min(len(parts), start + together))):
        if replaced + len(parts[i]) / 2 >= whole * share * total:
            break
        if i not in sentence_slots:
            sentence_slots.add(i)
            replaced += len(parts[i])
    cut = {i: tokens(p, language) for i, p in enumerate(parts) if i not in sentence_slots}
    places = [(i, k) for i, pieces in cut.items() for k, t in enumerate(pieces) if is_word(t)]
    rng.shuffle(places)
    places.sort(key=lambda at: not cut[at[0]][at[1]][0].isdigit())  # numbers first, then words
    word_slots, run = set(), rng.choice([1, 1, 2, 3])
    for i, k in places:
        if replaced >= share * total:
            break
        for at in range(k, min(len(cut[i]), k + 2 * run - 1 if language == "en" else k + run)):
            if is_word(cut[i][at]) and (i, at) not in word_slots:
                word_slots.add((i, at))
                replaced += len(cut[i][at])
    texts = []
    for _ in range(members):
        out = []
        for i, part in enumerate(parts):
            if i in sentence_slots:
                piece = foreign()
                while len(piece) < 0.7 * len(part):
                    piece += joiner(language) + foreign()
                out.append(
                    piece if len(piece) < 1.4 * len(part) else clip(piece, len(part), language)
                )
            else:
                out.append(
                    "".join(
                        other_word(t, filler) if (i, k) in word_slots else t
                        for k, t in enumerate(cut[i])
                    )
                )
        texts.append(laid_out(out, language))
    return texts


def other_word(token, filler):
    """A replacement of the same kind: a number, a name, or a word."""
    rng = filler.rng
    if any(c.isdigit() for c in token):
        return other_number(token, rng)
    if token[:1].isupper():
        return rng.choice(
            [
                filler.slot("person").split()[-1],
                filler.slot("city"),
                filler.slot("company").split()[0],
            ]
        )
    return filler.vocabulary.like(token, rng)


def other_number(text, rng):
    """The text with its digits replaced by random ones."""
    return "".join(
        rng.choice("123456789" if i == 0 else "0123456789") if c.isdigit() else c
        for i, c in enumerate(text)
    )


MENU = {
    "en": """Home|News|World|Business|Markets|Sports|Weather|Opinion|Video|Photos|Travel|Health|Science|Technology|Culture|Books|Jobs|
Cars|Real Estate|Classifieds|Archive|Contact|About us|Advertise|Subscribe|Newsletter|Sign in|Register|My account|Help|Site map|Search|
Mobile|RSS|Podcasts|Events|Letters|Local|Politics|Education|Food|Fashion|Games|Shop|Privacy|Terms of use|Careers|Press""",
    "zh": """首页|新闻|国内|国际|财经|股票|基金|体育|娱乐|科技|数码|汽车|房产|家居|教育|健康|旅游|时尚|女性|育儿|军事|历史|读书|博客|论坛|微博|视频|图片|专题|评论|地方|
招聘|游戏|彩票|天气|邮箱|地图|搜索|登录|注册|帮助|网站地图|联系我们|关于我们|广告服务|法律声明|诚聘英才|手机版|客户端|设为首页|加入收藏""",
}
NOTICES = {
    "en": """Copyright {year} {site}. All rights reserved.|No part of this page may be reproduced without the permission of {site}.|Follow
{site} on social media for the latest updates.|{site} is published by {company}, {city}.|Call our newsroom at {phone}.|Subscribe to
{site} for only {money} a year.|Sign up for the daily newsletter of {site}.|Send us your comments: editor {person}.|You are reading
{site}, the voice of {city} since {number}.|This site uses cookies; by using {site} you accept our terms.|Was this article helpful?
{number} readers said yes.|Last updated {date} {time}.|Print this page|Send to a friend|Share this story|Advertisement: {company},
{city}, telephone {phone}.|Top stories in {city}|Recommended for you|Most read this week""",
    "zh": """版权所有{year}{site}，未经授权不得转载。|{site}由{company}主办，地址：{city}市。|客服热线：{phone}，工作时间：每天{time}开始。|凡注明来源为{site}的作品，均为本网原创，
转载请注明出处。|本网站部分内容来自网络，如有侵权请与{site}联系删除。|关注{site}微信公众号，获取更多资讯。|欢迎下载{site}客户端，随时随地看新闻。|违法和不良信息举报电话：{phone}|备案号：{number}号|
责任编辑：{person}|分享到朋友圈|打印本页|关闭窗口|相关阅读|热门推荐|本周排行|广告：{company}，电话{phone}。|免责声明：本文仅代表作者个人观点，与{site}无关。|您的位置：首页 > 频道 > 正文""",
}


class Site:
    """The boilerplate of one web site: equal lines around every article."""

    def __init__(self, filler, titles, foreign):
        self.filler, self.foreign = filler, foreign
        rng, language = filler.rng, filler.language
        self.name = (
            f"{filler.slot('city')}{rng.choice(['Times', ' Daily', ' Online', ' Post', ' Herald'])}"
        )
        if language == "zh":
            self.name = filler.slot("city") + rng.choice(
                ["在线", "新闻网", "日报网", "之窗", "热线", "信息港"]
            )
        self.titles = titles
        # The shares of menus, notices, headlines of other articles and running text.
        self.mix = [rng.random(), rng.random(), rng.random(), rng.random()]
        self.between = rng.choice([" | ", " ", " > ", "  ", "\n"])
        self.top, self.bottom = [], []
        self.split = rng.uniform(0.2, 0.8)  # the header's share

    def line(self):
        filler = self.filler
        rng, language = filler.rng, filler.language
        kind = rng.choices(["menu", "notice", "title", "text"], self.mix)[0]
        if kind == "menu":
            menu = [m.strip() for m in one_line(MENU[language], language).split("|")]
            return self.between.join(rng.sample(menu, rng.randint(4, 14)))
        if kind == "title":
            return rng.choice(self.titles)
        if kind == "text":
            return self.foreign()
        notices = [n for n in one_line(NOTICES[language], language).split("|") if n.strip()]
        notice = rng.choice(notices).strip().replace("{site}", self.name)
        return filler.fill(notice.replace("{year}", str(rng.randint(1998, 2024))))[0]

    def around(self, text, share):
        """The text between lines of the site, which make up SHARE of the whole."""
        length = share / (1 - share) * len(text)
        top = self.lines(self.top, self.split * length)
        bottom = self.lines(self.bottom, (1 - self.split) * length)
        return "\n".join(top + [text] + bottom)

    def lines(self, known, length):
        while sum(map(len, known)) < length:
            known.append(self.line())
        out = []
        for line in known:
            if length < 4:
                break
            out.append(line if len(line) <= length * 1.3 else line[: int(length)])
            length -= len(out[-1])
        return out


def table(filler, labels):
    """The head and the rows of a random table; the first cell of a row is text."""
    rng = filler.rng
    columns, count = rng.randint(2, 8), rng.randint(6, 40)
    digits = rng.randint(1, 5)
    decimals = rng.choice([0, 0, 1, 2])
    names = rng.sample(labels, min(count, len(labels)))
    head = [filler.slot("word")] + [
        filler.slot(rng.choice(["word", "number", "date"])) for _ in range(columns)
    ]
    return head, [[n] + [figure(digits, decimals, rng) for _ in range(columns)] for n in names]


def figure(digits, decimals, rng):
    value = rng.randint(10 ** (digits - 1), 10**digits - 1)
    return f"{value}.{rng.randint(0, 10**decimals - 1):0{decimals}}" if decimals else str(value)


def laid_out_table(head, rows, separator):
    return "\n".join(separator.join(row) for row in [head] + rows)


def altered_table(rows, share, rng):
    """The rows with other figures in SHARE of the cells, at least in one."""
    rows = [list(r) for r in rows]
    cells = [(i, k) for i, row in enumerate(rows) for k in range(1, len(row))]
    rng.shuffle(cells)
    for i, k in cells[: max(1, round(share * len(cells)))]:
        old = rows[i][k]
        while rows[i][k] == old:
            rows[i][k] = other_number(old, rng)
    return rows


MODULES = """argparse ast asyncio.base_events asyncio.streams asyncio.tasks base64 bdb calendar cgi cmd codecs collections configparser
copy csv ctypes.util datetime dataclasses decimal difflib dis doctest email.message email.utils email.headerregistry enum filecmp
fileinput fractions ftplib functools gettext glob gzip heapq html.parser http.client http.cookiejar http.server imaplib inspect
ipaddress json.decoder json.encoder locale logging logging.config logging.handlers lzma mailbox mimetypes multiprocessing.pool
multiprocessing.managers nntplib optparse os pathlib pdb pickle pickletools platform plistlib poplib pprint profile pstats pydoc
queue random re._parser re._compiler sched shelve shlex shutil smtplib socket socketserver ssl statistics string subprocess sunau
symtable sysconfig tarfile telnetlib tempfile textwrap threading timeit tokenize trace traceback turtle typing unittest.case
unittest.loader unittest.mock urllib.parse urllib.request urllib.robotparser uuid warnings wave weakref webbrowser
xml.dom.minidom xml.etree.ElementTree xmlrpc.client zipfile""".split()


def functions(shortest=12, longest=120):
    """Functions of Python's standard library by module.

    None shares more than a quarter of its shingles with an earlier one.
    """
    found, seen = {}, {}
    for name in MODULES:
        try:
            source = inspect.getsource(importlib.import_module(name))
        except Exception:  # a module that this Python lacks
            continue
        tree = ast.parse(source)
        lines = source.split("\n")
        for node in ast.walk(tree):
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and shortest <= node.end_lineno - node.lineno <= longest
            ):
                body = textwrap.dedent("\n".join(lines[node.lineno - 1 : node.end_lineno]))
                own = shingles(body, 9)
                shared = Counter(earlier for s in own for earlier in seen.get(s, ()))
                if max(shared.values(), default=0) <= 0.25 * len(own):
                    for s in own:
                        seen.setdefault(s, []).append((name, node.name, node.lineno))
                    found.setdefault(name, []).append((node.name, body))
    return found


def commented(code, comments, rng, count):
    """The code with COUNT comment lines inserted."""
    lines = code.split("\n")
    places = sorted(rng.sample(range(1, len(lines)), min(count, len(lines) - 1)), reverse=True)
    for at in places:
        indent = re.match(r"\s*", lines[at]).group()
        lines.insert(at, f"{indent}# {rng.choice(comments)}")
    return "\n".join(lines)


def reformatted(code, rng):
    """The code with other blanks, line breaks and quotes, and equal tokens."""
    ways = rng.sample(
        ["indent", "operators", "quotes", "blank lines", "commas", "crlf"], rng.randint(2, 4)
    )
    if "indent" in ways:
        new = rng.choice(["  ", "\t", "        "])
        code = re.sub(r"^( {4})+", lambda m: new * (len(m.group()) // 4), code, flags=re.M)
    if "operators" in ways:
        code = re.sub(r" ([=+\-*/<>]=?|==|!=) ", lambda m: m.group(1), code)
    if "quotes" in ways:
        code = re.sub(r"'([^'\"\n]*)'", r'"\1"', code)
    if "blank lines" in ways:
        code = (
            re.sub(r"\n\s*\n", "\n", code) if rng.random() < 0.5 else re.sub(r":\n", ":\n\n", code)
        )
    if "commas" in ways:
        code = re.sub(r", ", lambda m: rng.choice([", ", ",", ",\n        "]), code)
    if "crlf" in ways:
        code = code.replace("\n", "\r\n")
    return code, ways


def other_comment(code, comments, rng):
    """The code with one comment line inserted, changed or deleted."""
    lines = code.split("\n")
    places = [i for i, line in enumerate(lines) if re.match(r"\s*#", line)]
    if places and rng.random() < 0.7:
        at = rng.choice(places)
        indent = re.match(r"\s*", lines[at]).group()
        if rng.random() < 0.25:
            del lines[at]
        else:
            lines[at] = f"{indent}# {rng.choice(comments)}"
        return "\n".join(lines)
    return commented(code, comments, rng, 1)
