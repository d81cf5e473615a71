"""Forms to fill in: bulletins, notices, mails, by-laws, leaflets, lines of logs.

In a form `{kind}` is a slot. Slots of one numbered name, such as `{kind1}`, have the same filling.
`[one|other]` stands for two wordings. A line feed is a line feed of the text.
"""

import re

FORMS = {
    "daily_bulletin": {
        "en": [
            """[Good morning from|This is] the {city1} weather desk, {weekday}, {date}.
{city1} wakes to {sky} and {degrees} degrees; by mid afternoon the thermometer should reach \
{degrees}.
Wind {compass} at {small} knots, gusts to {number2d} over the {road}. Rain so far this month: \
{number2d} millimeters.
[Mariners are asked to check the harbor notice before leaving.|Skippers should read the harbor \
notice before they sail.]
Sun up {time}, sun down {time}. Tomorrow: {sky}, {degrees} degrees. Next bulletin at {time}.""",
            """Closing report of the {city1} exchange for {weekday}, {date}.
The main index ended at {points}, a move of {points_small} points; {number3d} shares rose and \
{number3d} fell.
Turnover came to {sum}. Among the busiest names were {company} at {price} and {company} at {price}.
[Dealers called the session quiet.|Traders spoke of a calm session.] The ten-year bond yielded \
{small}.{number2d} percent.
Gold was fixed at {points} and the local currency at {small}.{number3d} to the dollar.""",
            """Traffic watch {city1}, {weekday} {time}.
{road}: {number2d} minutes of delay at exit {number2d} after a breakdown, one lane closed.
{road}: roadworks near {city}, speed limit {tens}, allow {number2d} minutes more.
Bus line {number2d} is diverted until {time}; trams to {city} run every {small} minutes.
[Please leave the hard shoulder free for rescue vehicles.|Keep the hard shoulder clear for \
ambulances.] The next watch is at {time}.""",
        ],
        "zh": [
            """{city1}气象服务台{date}早间播报，[各位听众早上好|听众朋友们早]。
今天{city1}{sky}，清晨气温{degrees}度，午后最高可达{degrees}度，{compass}风{small}级，阵风{small}级。
本月累计降水{number2d}毫米，比常年{more}{number2d}毫米。{road}沿线能见度约{number3d}米。
[外出的朋友记得带好雨具。|出门的市民请随身带伞。]日出{time}，日落{time}。明天{sky}，{degrees}度。下次播报时间为{time}。""",
            """{city1}市场{date}收盘简报
主要指数收于{points}点，{updown}{points_small}点，{number3d}只个股上涨，{number3d}只下跌。
全天成交{sum}，{company}收报{price}，{company}收报{price}。
[交易员称当日交投清淡。|业内人士说全天买卖不活跃。]十年期国债收益率为{small}.{number2d}%，黄金报{points}元，美元汇率{small}.{number3d}。""",
            """{city1}路况快报（{date}{time}）
{road}{number2d}公里处发生追尾，占用一条车道，后方排队{small}公里，预计{number2d}分钟后恢复。
{road}{city}段施工，限速{tens}公里，请提前{number2d}分钟出发。{number3d}路公交车临时绕行至{time}。
[请勿占用应急车道。|应急车道请留给救援车辆。]下一次播报时间：{time}。""",
        ],
    },
    "dividend_notice": {
        "en": [
            "{company} [declares|announces] a quarterly payout of {cents} cents a share, payable {date}, record {date}.",
            "{company} board votes payment of {cents} cts per unit on {date} [to holders of|to owners on] {date}.",
            "Shareholders of {company} will [receive|get] {cents} cents a share on {date}; ex-dividend {date}.",
        ],
        "zh": [
            "{company}公告：[董事会通过|董事会审议通过]本年度分红方案，每十股派现{small}.{number2d}元，股权登记日为{date}，除息日为{date}，派息日为{date}。",
            "{company}[将于|定于]{date}向全体股东派发中期股息，每股{cents}分，登记截止日{date}，派息总额为{sum}，请各位股东留意到账情况。",
            "分红提示：{company}每股派息{cents}分（含税），[股东名册登记日|登记日]{date}，到账日{date}，未办理登记的股东请于{date}前补办手续。",
        ],
    },
    "welcome_ceremony": {
        "en": [
            """{host1} held a ceremony of welcome for {guest1}, the president of {country1}, on \
the east lawn this {part}.
A band played the anthems of both nations and {guest1} walked past the guard of honor.
[The two leaders then withdrew for talks.|Afterwards the two went inside to confer.]""",
            """An honor guard greeted {guest1}, prime minister of {country1}, as {guest1} stepped \
off the plane in {city} on {weekday}.
{host1} shook hands with the visitor, and children in white handed over flowers in the colors of \
{country1}.
[A state dinner follows tonight.|Tonight there will be a state dinner.]""",
        ],
        "zh": [
            """{date}{part}，{host1}在议会大厦东门外广场举行仪式，欢迎{country1}总统{guest1}对我国进行国事访问。
{guest1}抵达时，礼兵列队致敬。两国领导人登上检阅台，军乐团奏两国国歌，鸣礼炮二十一响。{guest1}在{host1}陪同下检阅仪仗队，并观看分列式。
[仪式结束后，双方举行了会谈。|欢迎仪式之后，两国领导人进行了会谈。]外交部长、国防部长、议会副议长以及{country1}驻我国大使等参加了欢迎仪式。少年儿童挥动两国国旗和鲜花，向来宾表示欢迎。
当晚，{host1}在议会大厦宴会厅为{guest1}一行举行欢迎宴会。""",
            """{country1}总理{guest1}{date}{part}抵达{city}，开始对我国进行正式访问。{host1}到机场迎接，并在贵宾厅同{guest1}作了简短交谈。
身着民族服装的青年向{guest1}献上花束，仪仗队在舷梯两侧列队，机场大楼上悬挂着我国和{country1}的国旗，停机坪上铺起了红地毯。
[访问期间，双方将签署多项合作文件。|双方将在访问期间签署若干合作文件。]{guest1}还将前往{city}参观企业和大学，出席工商界举行的早餐会，并在友好协会发表演讲。这是{guest1}就任以来第一次到访。""",
        ],
    },
    "order_mail": {
        "en": [
            """[Dear|Hello] {person1},
thank you for shopping with us. We have received your order {code1} of {date} and are packing it \
now.
{quantity} x {goods}, {price} each
{quantity} x {goods}, {price} each
Total with postage: {price}. The parcel goes to {street} {number2d}, {city}.
[You can follow it on our page with the number of the order.|The number of the order lets you \
track it on our site.]
Kind regards, your shop team""",
            """Order {code1} confirmed
Hi {person1}, [great news: your things are on their way.|good news, your items have left the \
warehouse.]
Item: {goods}, color {color}, quantity {quantity}
Paid: {price} by card ending in {number4d} on {date}
Carrier reference {code}, expected on {date}. Questions? Reply to this mail and name order \
{code1}.""",
        ],
        "zh": [
            """[尊敬的|亲爱的]{person1}：
感谢您的惠顾。您于{date}提交的订单{code1}我们已经收到，仓库正在配货。
{goods}　{quantity}件　单价{price}
{goods}　{quantity}件　单价{price}
合计（含运费）{price}，收货地址：{city}市{street}{number3d}号。
[您可凭订单号在网站上查询物流。|凭订单号即可在本站查看物流进度。]如有疑问，请拨打客服电话。""",
            """订单{code1}发货通知
{person1}您好，[您购买的商品已经出库。|您订购的商品已从仓库寄出。]
商品：{color}{goods}，数量{quantity}
已付：{price}（银行卡尾号{number4d}，{date}）
运单号{code}，预计{date}送达。需要退换请在签收后七日内注明订单号{code1}与我们联系。""",
        ],
    },
    "by_laws": {
        "en": [
            """Ordinance of the City of {city1} on Street Markets

Section {section1}. Purpose. This ordinance governs the holding of markets in the streets and \
squares of the City of {city1}. It protects
[the safety of visitors|visitors from harm], the free passage of the fire service and fair \
conditions among those who sell.
Section {section2}. Permit. Whoever wishes to sell goods at a market needs a permit of the \
licensing office. The application names the
applicant, the goods, the size of the stand and the days wanted. The office decides within \
{number2d} days. A permit may not be passed on to
another person and must be shown on request.
Section {section3}. Fees. For each day and each meter of frontage a fee of {price1} is due; stands \
that sell food pay {price2}. Fees are
paid before the stand is set up. Charitable societies registered in {city1} are exempt on \
application.
Section {section4}. Setting up. Stands may be set up from six in the morning and must be gone by \
eight in the evening. Vehicles leave the
square before opening time. Lanes of {small} meters are to be kept free in front of house \
entrances, hydrants and emergency exits.
Section {section5}. Cleanliness. [Every holder of a permit keeps the stand and its surroundings \
clean|Each stallholder sweeps the stand and the
ground around it] and takes all waste away at the end of the day. Waste water must not run into \
the drains of the street. Grease is collected
in closed containers.
Section {section6}. Music and advertising. Loudspeakers are forbidden. Live music needs the \
consent of the licensing office and ends at
seven in the evening. Signs may not reach beyond the front of the stand.
Section {section7}. Offenses. Whoever sells without a permit, keeps a lane blocked or disobeys an \
order of the market warden commits an
offense and is fined up to {price3}. In case of repetition the permit can be withdrawn for up to \
{small} years.
Section {section8}. Entry into force. This ordinance comes into force on the first day of the \
month that follows its publication in the
gazette of the City of {city1}. Earlier rules on markets cease to apply on that day.""",
        ],
        "zh": [
            """{city1}市户外集市管理办法

第{section1}条　为规范本市户外集市的举办，维护公共秩序和消费者权益，保障消防通道畅通，根据有关法律法规，结合{city1}市实际，制定本办法。
第{section2}条　本办法适用于{city1}市行政区域内街道、广场、公园等公共场所举办的定期或者临时集市。农产品批发市场、室内商场不适用本办法。
第{section3}条　市商务主管部门负责集市的统筹规划和监督管理。公安、城管、卫生、消防、市场监管等部门[按照各自职责做好相关工作|在各自职责范围内做好有关工作]。街道办事处协助
做好日常巡查，及时劝阻和报告违法行为。
第{section4}条　举办集市应当提前{number2d}日向商务主管部门提出申请，并提交举办方案、场地使用协议、安全应急预案、摊位平面图和经营者名册。商务主管部门应当自受理之日起{number2d}日内作出
决定。不予批准的，应当书面说明理由。
第{section5}条　摊位使用费按照每日每米{price1}收取，经营餐饮的按照每日每米{price2}收取，由举办者在开市前统一缴纳。残疾人、退役军人以及登记在册的公益组织可以申请减免。
第{section6}条　摊位设置不得占用盲道、消防通道和医院、学校出入口。相邻摊位之间应当留出{small}米以上的通道。车辆应当在开市前驶离，闭市后一小时内清场完毕。
第{section7}条　经营者应当持证经营，明码标价，使用合格的计量器具，不得销售假冒伪劣商品和国家禁止销售的物品。销售食品的，应当取得健康证明，采取防尘、防蝇措施，餐厨废弃物密闭存放。
第{section8}条　经营者应当保持摊位及周边环境整洁，垃圾随产随清，污水不得排入雨水管网。集市不得使用高音喇叭招揽顾客，[演出活动应当在晚上九点前结束|文艺演出最迟于晚上九点结束]。
第{section9}条　举办者应当建立摊位台账、投诉受理和先行赔付制度，在显著位置公布投诉电话，并在接到投诉之日起{small}个工作日内处理完毕。举办者不得将集市整体转包。
第{section10}条　违反本办法规定，未经批准擅自举办集市的，由城管部门责令改正，拒不改正的，处{price3}以下罚款。占用消防通道的，依照消防法律法规处罚。经营者一年内被处罚{small}次以上的，
举办者应当取消其摊位。
第{section11}条　有关部门工作人员在集市管理中滥用职权、玩忽职守、徇私舞弊的，依法给予处分；构成犯罪的，依法追究刑事责任。
第{section12}条　县、区人民政府可以根据本办法制定实施细则，报{city1}市人民政府备案。各类庙会、花市参照本办法执行。
第{section13}条　集市发生突发事件的，举办者应当立即启动应急预案，组织人员疏散，并向公安机关和商务主管部门报告。商务主管部门应当会同有关部门每年组织一次应急演练，检查电气线路、燃气设施和临时搭建物，
发现隐患的，责令限期整改，整改合格后方可继续开市。鼓励举办者投保公众责任保险，鼓励经营者使用环保包装，减少一次性用品。
第{section14}条　摊位的分配应当公开、公平。申请人多于摊位的，由举办者组织公开抽签，抽签过程接受街道办事处监督，结果在集市入口处公示。本地农户自产自销的农副产品、传统手工艺品和老字号商品，在同等条件下优先安排。
经营者不得转让、出租摊位或者擅自调换经营品种，连续三次无故缺席的，视为放弃摊位。
第{section15}条　集市内的用电线路应当由具有资质的人员敷设，并安装漏电保护装置，不得私拉乱接。使用明火或者液化石油气的摊位应当相对集中，与其他摊位保持安全距离，配备灭火器材，并指定专人看管。活禽、野生动物不得
进入集市交易，携带犬只的顾客应当使用牵引绳。
第{section16}条　市民对集市的选址、时间和管理有权提出意见。商务主管部门应当每年至少听取一次周边居民、经营者和消费者代表的意见，并将处理情况向社会公开。因集市造成交通拥堵或者噪声扰民，周边居民反映强烈的，
应当调整时间、缩小规模或者另行选址。
第{section17}条　本办法自公布之日起三十日后施行，有效期五年。此前{city1}市有关户外集市的规定与本办法不一致的，以本办法为准。""",
        ],
    },
    "drug_leaflet": {
        "en": [
            """{brand1} {dose1} film-coated tablets
What {brand1} is. Each tablet contains {dose1} of {substance1}. {substance1} belongs to the \
medicines that are used in {illness}.
Before you take it. Do not take {brand1} if you are allergic to {substance1} or to any other \
ingredient. Tell your doctor if you have a disease
of the liver or the kidneys, and name all other medicines that you take. [Do not drive until you \
know how the tablets affect you.|Drive only once
you know how you react to the tablets.]
How to take it. Adults take {small} tablets a day with a glass of water, never more than \
{number2d} tablets in a week. Children below {number2d} years
must not take {brand1}. If you forgot a tablet, do not take two at once.
Possible side effects. Up to {small} in a hundred patients had {effect}; {effect} was seen in rare \
cases. Ask your pharmacist about any effect that is
not listed here.
Storage. Keep out of the reach of children, below {tens} degrees, and use it within {number2d} \
months.""",
        ],
        "zh": [
            """{brand1}（{substance1}片）使用说明
【成分】本品每片含{substance1}{dose1}，辅料为淀粉、乳糖和硬脂酸镁。
【适应症】用于{illness}的治疗。
【用法用量】口服，成人一次{small}片，一日{small}次，饭后服用；每周用量不得超过{number2d}片。{number2d}岁以下儿童不宜使用{brand1}。漏服时不必补服。
【不良反应】约百分之{small}的患者出现{effect}，偶见{effect}，停药后多可自行消失。[如症状持续，请立即就医。|症状不退的，应当尽快去医院。]
【禁忌】对{substance1}过敏者禁用，严重肝肾功能不全者禁用，孕妇及哺乳期妇女慎用。
【注意事项】服药期间不得饮酒，不宜驾驶车辆或操作机器。与其他药物同时使用时请咨询医师或药师。请将本品放在儿童不能接触的地方。
【贮藏】遮光，密封，在{tens}度以下保存。【有效期】{number2d}个月。""",
        ],
    },
    "scanned_form": {
        "en": [
            """CLAIM FORM FOR DAMAGED LUGGAGE
Name of passenger: {person}    Flight: {code}    Date: {date}
Address: {street} {number2d}, {city}
Description of the piece: {color} {goods}    Weight in kilograms: {number2d}
Where was the damage found? {city} airport, at {time}
Value when new: {price}    Sum claimed: {price}
I declare that the statements above are complete and true and that no other insurer has paid for \
this damage.
Signature: {person}    Received by: {person}, desk {small}""",
            """RECEIPT OF DEPOSIT No. {number4d}
Received from {person} of {street} {number2d}, {city}, the sum of {price} as deposit for the rent \
of {goods}.
Rented from {date} to {date}. The deposit is paid back within ten days after the return, less the \
cost of repairs.
Fee for each day of delay: {price}. Keys handed over: {small}. Reading of the meter: {number4d}.
Both parties have read the terms on the back of this page and keep one copy each.
{city}, {date}    For the owner: {person}""",
        ],
        "zh": [
            """行李损坏赔偿申请表
旅客姓名：{person}　航班号：{code}　日期：{date}
通信地址：{city}市{street}{number3d}号　联系电话：{phone}
物品描述：{color}{goods}　重量（公斤）：{number2d}
发现损坏的地点和时间：{city}机场，{time}
购买价格：{price}　申请赔偿金额：{price}
本人声明以上所填内容完整真实，且未就同一损坏向其他保险机构申请赔偿。
申请人签名：{person}　受理人：{person}　柜台：{small}""",
            """押金收据（编号{number4d}）
今收到{city}市{street}{number3d}号{person}交来租赁{goods}押金{price}。
租期自{date}起至{date}止。押金在归还后十日内退还，扣除维修费用。逾期每日收取费用{price}。
移交钥匙{small}把，电表读数{number4d}。双方均已阅读背面条款，本收据一式两份，各执一份。
{city}，{date}　出租方经办人：{person}""",
        ],
    },
    "figure_spelled": {
        "en": [
            "The {city} night ferry sank with {spelled} people on board on {weekday}. Divers found {spelled} bodies, and {spelled} sailors are still missing.",
            "Room {spelled} of the {city1} museum shows {spelled} new paintings until {weekday}. Tickets cost {spelled} dollars, for children {spelled}.",
            "The council of {city1} hires {spelled} teachers and closes {spelled} schools. The vote was {spelled} to {spelled}.",
        ],
        "zh": [
            "{city1}号夜班渡轮沉没时船上共有{spelled}人，潜水员已找到{spelled}具遗体，另有{spelled}名船员下落不明，搜救工作仍在进行。",
            "{city1}博物馆第{spelled}展厅新展出{spelled}幅油画，门票{spelled}元，儿童{spelled}元，每位观众可凭票领取画册一本。",
            "{city1}市议会决定新聘教师{spelled}名，撤并小学{spelled}所，表决结果为{spelled}票赞成、{spelled}票反对。",
        ],
    },
}  # fmt: skip

LOG_LINES = [
    "{stamp} INFO  [worker-{small}] billing.Invoice: invoice {number4d}{number3d} for account {hex} written in {number3d} ms, {number2d} rows",
    "{stamp} WARN  gateway upstream=10.{number2d}.{small}.{number3d} request={hex} status=50{small} retry={small} elapsed={number4d}ms path=/v1/carts",
    '10.{small}.{number2d}.{number3d} - - [{stamp}] "GET /catalog/{number4d}/photo-{number2d}.jpg HTTP/1.1" 200 {number4d}{number2d} "-" "fetcher/3.1"',
    "{stamp} scheduler: job nightly-export id={hex} took node n{number2d}, queue {number3d}, exit code 0, peak memory {number4d} kB",
]  # fmt: skip

# The two spellings of a figure that stand for `{x}` in the forms below.
TWO_WAYS = {
    "en": [
        ("9.7 mln", "9,700,000"), ("2.5 billion", "2,500 million"), ("12", "twelve"), ("30 percent", "30%"), ("half", "50 percent"),
        ("1.2 mln", "1,200,000"), ("seven", "7"), ("3/4", "three quarters"), ("4,000", "4000"), ("15 pct", "15 percent"), ("1,500", "1.5 thousand"),
    ],
    "zh": [
        ("970万", "9,700,000"), ("三成", "30%"), ("十二", "12"), ("25亿", "2,500,000,000"), ("一半", "50%"), ("1.2万", "12000"), ("七", "7"),
        ("四分之三", "75%"), ("4,000", "4000"), ("百分之八", "8%"), ("1500", "一千五百"),
    ],
}  # fmt: skip
TWO_WAYS_FORMS = {
    "en": [
        """The port authority of {city1} said on {weekday} that the new quay had taken {x} of the \
units expected for the season, a figure that
includes both empty and loaded boxes. A spokesman for {company} called the result encouraging and \
said the second crane would follow
once the builders have mended the road behind the warehouse.""",
        """A survey among readers of the {city1} library counted {x} in favor of longer evening \
hours. The librarian, {person}, promised to put the
matter before the board, but warned that lights, heating and staff all have to be paid for. The \
board meets again after the holidays.""",
    ],
    "zh": [
        "{city1}港务局{weekday}表示，新码头本季度的完成量为{x}，其中既包括空箱，也包括重箱。{company}的发言人对此表示满意，并说等施工单位把仓库后面的道路修好以后，第二台吊车就会运来安装。",
        "{city1}图书馆在读者中做了一次调查，希望延长晚间开放时间的占到{x}。馆长{person}答应把这件事提交理事会讨论，但也提醒大家，照明、取暖和人手都需要经费。理事会将在假期之后再次开会。",
    ],
}  # fmt: skip

LISTS = {
    "en": {
        "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
        "sky": "thin fog|heavy showers|a clear sky|broken cloud|light snow|drizzle|thunder in the hills|hazy sunshine".split("|"),
        "compass": "north south east west northeast northwest southeast southwest".split(),
        "road": [f"{kind} {number}" for kind in ("Route", "Highway", "Ring") for number in (3, 8, 14, 27, 41, 66, 90)],
        "country": "Norland|Ruritania|the Kingdom of Tarmel|Ostrava Republic|Benhali|Costa Verde|the Federation of Lakes|Zubara|Kesh|Palau Timur".split("|"),
        "guest": [
            f"{first} {last}"
            for first in "Adela Kwame Ingrid Rafael Tomasz Leila Sione Marta".split()
            for last in "Novotny Osei Halvorsen Quintana Zielinski Haddad Tupou Oliveira".split()
        ],
        "host": "President Arlen Voss|Chancellor Maud Ekberg|Premier Julian Thorpe|President Celeste Arnaud".split("|"),
        "part": "morning|afternoon|evening".split("|"),
        "goods": """oak bookshelf|travel kettle|rain jacket|desk lamp|garden hose|wool blanket|pocket knife|coffee mill|yoga mat|hiking boots|bicycle pump|
bread tin|camping stove|picture frame|leather suitcase|water filter|wall clock|chess set|folding chair|sewing kit""".replace("\n", "").split("|"),
        "color": "red blue green gray black white brown yellow".split(),
        "street": "Mill Lane|Station Road|Harbor Street|Church Walk|Elm Avenue|Quarry Hill|Bridge Street|Orchard Way".split("|"),
        "illness": "high blood pressure|migraine|bacterial infections of the throat|seasonal allergies|gout|anxiety|heartburn|joint pain".split("|"),
        "effect": "headache|dizziness|a dry mouth|skin rash|nausea|tiredness|a fast pulse|blurred sight".split("|"),
        "spelled": "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty sixty".split(),
    },
    "zh": {
        "weekday": "周一 周二 周三 周四 周五 周六 周日".split(),
        "sky": "多云转阴 小雨 大雾 晴间多云 雷阵雨 小雪 晴 阴有阵雨".split(),
        "compass": "东 南 西 北 东北 西北 东南 西南".split(),
        "road": "环城高速 滨河大道 北山隧道 机场高速 南湖路 沿江快速路 城西高架 东港大桥 学府路 迎宾大道".split(),
        "country": "诺尔兰 鲁里坦尼亚 塔梅尔王国 贝哈里 科斯塔维德 湖泊联邦 祖巴拉 克什共和国 东帕劳 奥斯特拉".split(),
        "guest": [
            f"{first}·{last}"
            for first in "阿德拉 夸梅 英格丽德 拉斐尔 托马斯 莱拉 肖恩 玛尔塔".split()
            for last in "诺沃特尼 奥塞伊 哈尔沃森 金塔纳 杰林斯基 哈达德 图普 奥利韦拉".split()
        ],
        "host": "国家主席沈若川 总统陆怀远 总理闻敬之 元首葛长风".split(),
        "part": "上午 下午 傍晚".split(),
        "goods": "橡木书架 旅行水壶 防雨外套 阅读台灯 花园软管 羊毛毯 折叠小刀 手摇磨豆机 瑜伽垫 登山鞋 自行车气筒 面包模具 野营炉 相框 真皮行李箱 净水器 挂钟 国际象棋 折叠椅 针线盒".split(),
        "color": "红色 蓝色 绿色 灰色 黑色 白色 棕色 黄色".split(),
        "street": "磨坊巷 站前路 港湾街 教堂路 榆树大街 石场坡 桥头街 果园路".split(),
        "illness": "高血压 偏头痛 细菌性咽炎 季节性过敏 痛风 焦虑症 胃酸过多 关节疼痛".split(),
        "effect": "头痛 头晕 口干 皮疹 恶心 乏力 心跳加快 视物模糊".split(),
        "more": "偏多 偏少".split(),
        "updown": "上涨 下跌".split(),
        "spelled": "两 三 四 五 六 七 八 九 十 十一 十二 十五 二十 三十 四十 六十".split(),
    },
}  # fmt: skip
BRANDS = {
    "en": ("Vel Cor Ami Zor Tru Pax Lum Den".split(), "anta ivex ozil umin eral adyn".split()),
    "zh": (list("舒康乐宁安泰益清"), list("达平片通立欣克素")),
}
SUBSTANCES = {
    "en": (
        "ter clo val mi zo ra be fen".split(),
        "bru do pi lo xa ta me ni".split(),
        "tine pril zole mide xin statin lol".split(),
    ),
    "zh": (list("特氯缬咪佐雷苯芬"), list("布多匹洛沙他美尼"), list("汀利唑胺星平洛")),
}

RANGES = {
    "section": (1, 99),
    "small": (2, 9),
    "cents": (3, 97),
    "degrees": (-9, 38),
    "quantity": (1, 12),
    "tens": (3, 9),
}


def drawn(kind, language, filler, rng):
    """A random filling for a slot of this kind."""
    if kind in LISTS[language]:
        return rng.choice(LISTS[language][kind])
    if kind in ("brand", "substance"):
        return "".join(map(rng.choice, (BRANDS if kind == "brand" else SUBSTANCES)[language]))
    if kind.startswith("number") and kind != "number":  # number3d: three digits
        return str(rng.randint(10 ** (int(kind[6]) - 1), 10 ** int(kind[6]) - 1))
    if kind == "dose":
        return f"{rng.choice([5, 10, 20, 25, 40, 50, 75, 100, 250, 500])} mg"
    if kind in RANGES:
        return str(rng.randint(*RANGES[kind]) * (10 if kind == "tens" else 1))
    if kind in ("points", "points_small"):
        return f"{rng.uniform(2, 90) if kind == 'points_small' else rng.uniform(1100, 24000):,.2f}"
    if kind in ("price", "sum"):
        return amount(kind, language, rng)
    if kind == "code":
        return (
            "".join(rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=2))
            + "-"
            + str(rng.randint(100000, 999999))
        )
    if kind == "hex":
        return "".join(rng.choices("0123456789abcdef", k=12))
    if kind == "stamp":
        day = f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        return f"{day}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}.{rng.randint(0, 999):03}Z"
    assert kind in ("city", "person", "company", "phone", "time", "date"), kind
    return filler.slot(kind)


def amount(kind, language, rng):
    if kind == "price":
        return f"{rng.randint(5, 900)}.{rng.randint(0, 9)}0" + (
            "元" if language == "zh" else " dollars"
        )
    return f"{rng.randint(2, 90)}.{rng.randint(1, 9)}" + (
        "亿元" if language == "zh" else " billion"
    )


class Instance:
    """A form filled in once: a list of fixed pieces, fillings and pairs of wordings."""

    PARTS = re.compile(r"\{(\w+)\}|\[([^|\]]*)\|([^\]]*)\]")

    def __init__(self, form, filler, given=None):
        """Fills the form; GIVEN has fillings of slots whose names end in a number."""
        self.rng, self.pieces, self.slots, at = filler.rng, [], [], 0
        known = dict(given or {})
        for found in self.PARTS.finditer(form):
            self.pieces.append([form[at : found.start()]])
            at = found.end()
            if found[1] is None:
                self.pieces.append([found[2], found[3]])
            else:
                kind = found[1].rstrip("0123456789")
                if kind == found[1] or found[1] not in known:
                    known[found[1]] = drawn(kind, filler.language, filler, self.rng)
                self.slots.append(known[found[1]])
                self.pieces.append((self.slots[-1],))
        self.pieces.append([form[at:]])

    def text(self):
        return "".join(piece[0] for piece in self.pieces)

    def differs(self, other, share):
        """True if at least this share of the slots has another filling."""
        return sum(a != b for a, b in zip(self.slots, other.slots)) >= share * len(self.slots)

    def resent(self, language):
        """The text with a small edit outside of the slots, and the kind of the edit."""
        pieces = [list(piece) for piece in self.pieces]
        hows = ["typo", "white space"]
        hows += ["other words"] * (2 * any(len(piece) == 2 for piece in pieces))
        hows += ["line break"] * any("\n" in piece[0] for piece in pieces)
        how = self.rng.choice(hows)
        fixed = [i for i, piece in enumerate(self.pieces) if isinstance(piece, list)]
        if how == "other words":
            self.rng.choice([piece for piece in pieces if len(piece) == 2]).reverse()
        elif how == "white space":
            at = self.rng.choice([i for i in fixed if re.search(r"[ ，,、。\n]", pieces[i][0])])
            pieces[at][0] = re.sub(r"([ ，,、。\n])", r"\1 ", pieces[at][0])
        elif how == "line break":
            at = self.rng.choice([i for i in fixed if "\n" in pieces[i][0]])
            pieces[at][0] = pieces[at][0].replace("\n", "" if language == "zh" else " ", 1)
        else:
            at = self.rng.choice(
                [
                    i
                    for i in fixed
                    if len(re.findall(r"[^\W\d]", NUMERALS.sub("0", pieces[i][0]))) > 3
                ]
            )
            pieces[at][0] = typo(pieces[at][0], self.rng)
        return "".join(piece[0] for piece in pieces), how


NUMERALS = re.compile(
    "[零一二两三四五六七八九十百千万亿半]|"
    + "|".join(rf"\b{word}\b" for word in LISTS["en"]["spelled"])
)


def typo(text, rng):
    """The text with two neighboring letters exchanged or one doubled, but not in spelled figures."""
    blanked = NUMERALS.sub(lambda found: "0" * len(found[0]), text)
    at = rng.choice([m.start() for m in re.finditer(r"(?=[^\W\d][^\W\d])", blanked)])
    if text[at] == text[at + 1] or rng.random() < 0.3:
        return text[:at] + text[at] + text[at:]
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
