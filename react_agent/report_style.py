"""Report style: how a report looks, in light and dark, on a wide and a narrow screen, and on paper."""

STYLE = """
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif;
  --line: light-dark(#d9dce1, #3a3f47); --card: light-dark(#fff, #1b1e23); --page: light-dark(#f5f6f8, #121418);
  --text: light-dark(#1c2127, #e3e6ea); --soft: light-dark(#5a6472, #9aa4b1); --code: light-dark(#f0f2f5, #23272e);
  --good: light-dark(#176b2c, #6fd08a); --bad: light-dark(#a3161a, #ff8b8b); --open: light-dark(#8a5a00, #f0bd5e); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--text); }
header, section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: 1rem 1.25rem; margin: 0 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 0 0 .6rem; }
h3 { font-size: .95rem; margin: 1.1rem 0 .3rem; color: var(--soft); }
p { margin: .3rem 0; } .sum { font-size: 1.15rem; } .why { font-weight: 600; overflow-wrap: anywhere; }
ul { margin: .4rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.chips { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; }
.chips li { border: 1px solid currentColor; border-radius: 2rem; padding: .1rem .8rem; }
.badge { font-size: .85rem; font-weight: 600; white-space: nowrap; }
.equivalent_on_suite.badge, .chips .equivalent_on_suite { color: var(--good); }
.different.badge, .chips .different { color: var(--bad); }
.badge, .chips li { color: var(--open); }
.entry { border-left: .35rem solid var(--open); }
.entry.equivalent_on_suite { border-left-color: var(--good); } .entry.different { border-left-color: var(--bad); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.value, pre, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .85rem; }
td.value { overflow-wrap: anywhere; min-width: 6rem; } tr.differs td { background: light-dark(#fdecec, #3a2022); }
pre { overflow: auto; max-height: 32rem; margin: .3rem 0; padding: .75rem; background: var(--code);
  border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1rem; }
.pair > div { min-width: 0; } summary { cursor: pointer; padding: .2rem 0; } meter { width: 7rem; }
a { color: inherit; } footer { color: var(--soft); font-size: .85rem; }
@media (max-width: 40rem) { header, section { padding: .8rem; } th, td { padding: .3rem .4rem; } }
@media print { body { background: none; max-width: none; } section { break-inside: avoid; } pre { max-height: none; } }
"""
"""One sheet for the page; colours follow the reader's own setting."""
