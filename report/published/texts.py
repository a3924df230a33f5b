"""Every sentence that the published chapters say themselves, by name and language. The claims' own sentences stand in
data/published/claims.toml."""

from __future__ import annotations

from typing import Any

LANGUAGES = ("en", "zh")

_TEXTS: dict[str, tuple[str, str]] = {
    "reproduced": ("reproduced", "已复现"),
    "not reproduced": ("not reproduced", "未复现"),
    "not measurable here": ("not measurable here", "本机无法测量"),
    # chapters
    "title": ("Published claims", "已发表的论断"),
    "question": ("Which claims of published reports hold on this machine?", "已发表报告中的哪些论断在本机成立？"),
    "chapter": ("Published: {title}", "已发表：{title}"),
    "source": ("data/published/{source}.csv", "data/published/{source}.csv"),
    "counts": ("Of {count} published claims {reproduced} are reproduced here, {not_reproduced} are not, and {not_here} cannot be "
               "measured from these records.",
               "共 {count} 条已发表的论断：{reproduced} 条在本机复现，{not_reproduced} 条未复现，{not_here} 条无法从现有记录测量。"),
    "nothing": ("None of the {count} published claims can be judged from these records: `gemmlab run {experiments}` measures "
                "what they need.",
                "现有记录无法判断 {count} 条已发表论断中的任何一条：`gemmlab run {experiments}` 可测得所需数据。"),
    "rule": ("A directional claim is reproduced where the 95 % interval of its ratio lies wholly on its side of 1, one of a "
             "little difference where it lies within 0.90 to 1.10, a count where it lies within 10 % of the published figure. The "
             "size stands beside it and decides nothing: other machines, other sizes.",
             "方向性论断：比值的 95 % 区间完全落在 1 的相应一侧即为复现；“差别不大”的论断：区间落在 0.90 至 1.10 之内；计数：与发表值相差不超过 10 %。"
             "数值大小只并列给出，不作判据：机器不同，大小自然不同。"),
    "claim": ("{statement} ({figure}: {published}) – {verdict}, {measured}. {why}",
              "{statement}（{figure}：{published}）——{verdict}，{measured}。{why}"),
    "claim, no figure": ("{statement} – {verdict}. {why}", "{statement}——{verdict}。{why}"),
    "unnamed figure": ("published", "发表值"),
    # verdict table
    "verdicts": ("The claims one by one", "逐条论断"),
    "verdict heads": ("Claim|Figure|Verdict", "论断|数值|结论"),
    "verdict columns": ("published|measured here", "发表值|本机测得"),
    "verdict caption": ("Brackets hold the 95 % interval. {rule} The reasons stand with each source below, and in verdicts.csv.",
                        "方括号内为 95 % 区间。{rule}理由见下文各来源，亦见 verdicts.csv。"),
    # published beside measured
    "table title": ("Table {table} of {source}, beside {machine}", "{source} 表 {table}，对照 {machine}"),
    "table heads": ("Implementation|Device|Shape|Ours", "实现|设备|形状|本套件"),
    "table columns": ("{metric}, published|here|here / published", "{metric}，发表值|本机测得|本机/发表"),
    "table caption": ("Published figures are of other machines. Brackets hold the 95 % confidence interval of the median, or of "
                      "the ratio. A – has its reason in the note.",
                      "发表值来自其他机器。方括号内为中位数或比值的 95 % 置信区间。“–”的原因见注。"),
    "intensity title": ("Arithmetic intensity by tile width, on {machine}", "不同分块宽度的计算强度，{machine}"),
    "intensity heads": ("Implementation|Shape", "实现|形状"),
    "intensity columns": ("predicted, FLOP a byte asked for|counted, asked for|counted at L2|counted at DRAM",
                          "预测：每请求一字节的浮点运算|计数：按请求|计数：经 L2|计数：经 DRAM"),
    "intensity caption": ("Predicted: the naive kernel reads 8 bytes for 2 operations, a tile of width T uses each float T times. "
                          "Counted by ncu over one call: bytes asked for are a warp's load requests times its lanes times 4 "
                          "bytes; L2 and DRAM count reads and writes. A –: not counted (`gemmlab profile gpu_ladder`).",
                          "预测：朴素核函数每 2 次运算读 8 字节，宽度为 T 的分块把每个数用 T 次。由 ncu 对一次调用计数：请求字节 = warp 读取请求数 × "
                          "通道数 × 4 字节；L2 与 DRAM 计读与写。“–”：未计数（`gemmlab profile gpu_ladder`）。"),
    "access title": ("Strided and contiguous access, on {machine}", "跨步与连续访问，{machine}"),
    "access heads": ("Contiguous|Strided|Shape", "连续|跨步|形状"),
    "access columns": ("sectors a load, contiguous|sectors a load, strided|time, strided / contiguous",
                       "连续：每次读取扇区数|跨步：每次读取扇区数|时间：跨步/连续"),
    "access caption": ("Sectors of 32 bytes a warp's load request, counted by ncu: 4 hold the 32 floats that a warp wants. The "
                       "time ratio is of interleaved rounds.",
                       "ncu 计得的每次 warp 读取请求的 32 字节扇区数：一个 warp 所需的 32 个数占 4 个扇区。时间比取自交错轮次。"),
    # reasons
    "machine": ("No counter, phase or finding of these points is recorded; measured on {machine}.",
                "记录中没有这些点的计数器、阶段或诊断；测于 {machine}。"),
    "no_gpu": ("These records hold no GPU: run {experiments} on a machine with one.",
               "记录中没有 GPU：请在有 GPU 的机器上运行 {experiments}。"),
    "no_torch": ("PyTorch was not measured here: tests/gpu/independent_timer.py does so, beside `gemmlab run timer_check`.",
                 "本机未测 PyTorch：可用 tests/gpu/independent_timer.py 配合 `gemmlab run timer_check` 测量。"),
    "not_measured": ("Not yet measured: {what} at this shape (`gemmlab run {experiments}`).",
                     "尚未测量：该形状下的 {what}（`gemmlab run {experiments}`）。"),
    "not_counted": ("Not yet counted: {what} (`gemmlab profile {experiments}`).",
                    "尚未计数：{what}（`gemmlab profile {experiments}`）。"),
    "counter_missing": ("The counter {counter} is not in the records (`gemmlab profile {experiments}` counts it).",
                        "记录中没有计数器 {counter}（`gemmlab profile {experiments}` 可计得）。"),
    "left_out": ("{label} has no number that may be shown: {why}.", "{label} 没有可以采用的数值：{why}。"),
    "no_phases": ("{label} does not record the phases of its first call.", "{label} 没有记录首次调用的各阶段。"),
    "no_interval": ("Too few samples for an interval.", "样本太少，得不出区间。"),
    "unmapped": ("map.csv names nothing of ours for it", "map.csv 中没有对应的实现"),
    "no_baseline": ("no baseline: {why}", "没有基准：{why}"),
    "also_fails": ("It does not hold throughout: {over} over {under} is {value} at {shape}.",
                   "并非处处成立：{shape} 时 {over} 对 {under} 为 {value}。"),
    "not_largest": ("It is not the largest: {over} over {under} is {value}.",
                    "它并非最大的一项：{over} 对 {under} 为 {value}。"),
    "rough": ("With {over} and {under} samples there is no interval: its ends are the nearest and the farthest samples' ratio, a "
              "quarter wider.",
              "样本只有 {over} 与 {under} 个，得不出区间：两端取最近与最远样本之比，再各放宽四分之一。"),
    "near_miss": ("The difference is small here too, but its interval does not lie within 0.90 to 1.10.",
                  "本机差别也不大，但区间没有落在 0.90 至 1.10 之内。"),
    "undecided": ("The interval holds 1, so that these records decide for neither side.",
                  "区间包含 1，现有记录无法判定方向。"),
    "within_noise": ("It stays within what the same code under two labels came apart by ({noise}).",
                     "差别仍在同一代码两次测量之差（{noise}）之内。"),
    "disturbed": ("Other work took its cores while it was measured.", "测量时有其他任务占用核心。"),
    # beside the claims
    "tolerance": ("A check by an absolute tolerance of 1e-5 would call {failing} of {count} right GPU products at K = {k} wrong: "
                  "{label} differs from the exact product by {eta} of the 16 units of 2⁻²⁴·|A||B| that any order of summation "
                  "may reach, which is about {error}.",
                  "若以绝对误差 1e-5 判断，K = {k} 时 {count} 个正确的 GPU 乘积中有 {failing} 个会被误判为错：{label} 与精确乘积相差 {eta} 个 "
                  "2⁻²⁴·|A||B| 单位（任何求和次序都可达 16 个），即约 {error}。"),
}


def say(key: str, language: str = "en", **values: Any) -> str:
    """The text of that name."""
    return _TEXTS[key][LANGUAGES.index(language)].format(**values)


def names(key: str, language: str = "en", **values: Any) -> tuple[str, ...]:
    """The text of that name as a list: its parts are separated by "|"."""
    return tuple(say(key, language, **values).split("|"))
