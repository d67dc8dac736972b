/// How the page looks: calm, in light and dark, on paper, and where the window is narrow.
enum PageStyle {
    static let text = Markup.verbatim(
        """

        :root {
          --ground: #f4f6f9; --surface: #ffffff; --raised: #f8fafc; --line: #d9dfe8; --text: #18202b; --quiet: #52606f;
          --accent: #2456c5; --accent-soft: #e6edfb; --good: #17703a; --good-soft: #e2f4e8; --bad: #b0241b; --bad-soft: #fce9e7;
          --warn: #855400; --warn-soft: #fcf1da; --human: #d99a1c; --network: #2f6fe4; --hooks: #8a5cd0; --machine: #8b98a9;
          --shade: rgb(24 32 43 / .28);
          --sans: system-ui, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
          --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --ground: #0e131a; --surface: #161d27; --raised: #1b2430; --line: #2c3847; --text: #e4e9f0; --quiet: #9dabbd;
            --accent: #8db4ff; --accent-soft: #1c2f52; --good: #71d69b; --good-soft: #133222; --bad: #ff938b; --bad-soft: #431b1a;
            --warn: #f1c265; --warn-soft: #3a2c0e; --human: #e0a93a; --network: #5a95ff; --hooks: #b48cf2; --machine: #66758a;
            --shade: rgb(0 0 0 / .75);
          }
        }
        * { box-sizing: border-box; }
        html { color-scheme: light dark; scroll-behavior: smooth; scroll-padding-top: 4rem; }
        @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
        body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 var(--sans); }
        body > header, body > nav, main, footer { max-width: 72rem; margin-inline: auto; padding-inline: 1.5rem; }
        a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
        a:hover { text-decoration-thickness: 2px; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
        main:focus-visible { outline: none; }
        code, pre, .secret { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; unicode-bidi: isolate; }
        h1, h2, h3, h4 { line-height: 1.25; margin: 0; }
        h2 { font-size: 1.25rem; margin-bottom: 1rem; letter-spacing: -.01em; }
        .hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .quiet { color: var(--quiet); }
        .skip { position: absolute; left: 1rem; top: -4rem; background: var(--surface); padding: .5rem 1rem; border-radius: 6px; z-index: 3; }
        .skip:focus { top: .5rem; }

        body > header { padding-top: 2.5rem; }
        .verdict { display: flex; gap: 1.1rem; align-items: center; }
        .mark { flex: none; width: 3.4rem; height: 3.4rem; margin: 0; border-radius: 50%; display: grid; place-items: center; font-size: 1.7rem; font-weight: 700; }
        .good .mark { background: var(--good-soft); color: var(--good); }
        .bad .mark { background: var(--bad-soft); color: var(--bad); }
        .warn .mark { background: var(--warn-soft); color: var(--warn); }
        .plain .mark { background: var(--accent-soft); color: var(--accent); }
        h1 { font-size: 1.9rem; letter-spacing: -.02em; overflow-wrap: anywhere; }
        h1 .with { font-weight: 400; color: var(--quiet); }
        .result { margin: .25rem 0 0; font-size: 1.05rem; overflow-wrap: anywhere; }
        .notice { background: var(--accent-soft); border-radius: 8px; padding: .6rem .9rem; margin: 1.25rem 0 0; }
        .shares { margin-top: 1.75rem; }
        .shares svg { display: block; width: 100%; height: 12px; border-radius: 6px; }
        .shares ul { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; padding: 0; margin: .6rem 0 0; color: var(--quiet); }
        .shares strong { color: var(--text); font-weight: 600; }
        .dot { display: inline-block; width: .7em; height: .7em; border-radius: 3px; margin-right: .45em; }
        rect.human { fill: var(--human); } rect.network { fill: var(--network); } rect.hooks { fill: var(--hooks); } rect.machine { fill: var(--machine); } rect.bad { fill: var(--bad); }
        .dot.human { background: var(--human); } .dot.network { background: var(--network); } .dot.hooks { background: var(--hooks); } .dot.machine { background: var(--machine); }
        .tiles { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; padding: 0; margin: 1.5rem 0; }
        .tiles li { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: .7rem 1rem; }
        .tiles .number { display: block; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.2; }
        .tiles .label { color: var(--quiet); font-size: .9rem; }
        .tiles .bad .number { color: var(--bad); } .tiles .warn .number { color: var(--warn); }
        .facts { margin: 0; display: grid; gap: .3rem 1.5rem; }
        .facts div { display: grid; grid-template-columns: 7.5rem 1fr; gap: .75rem; }
        .facts dt { color: var(--quiet); }
        .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
        header .facts { grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); }
        header .facts div { grid-template-columns: 4.5rem 1fr; }

        body > nav { position: sticky; top: 0; z-index: 2; margin-top: 1.75rem; background: var(--ground); border-bottom: 1px solid var(--line); }
        nav ul { list-style: none; display: flex; gap: .25rem; padding: .5rem 0; margin: 0 -.6rem; overflow-x: auto; scrollbar-width: thin; }
        nav a { display: block; padding: .3rem .6rem; border-radius: 6px; text-decoration: none; white-space: nowrap; color: var(--text); font-size: .925rem; }
        nav a:hover { background: var(--accent-soft); }
        main { padding-block: .5rem 2rem; }
        section { margin-top: 2.25rem; }
        .panel { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 1.5rem; overflow-wrap: anywhere; }
        .panel > p:first-child { margin-top: 0; }
        .panel > :last-child { margin-bottom: 0; }
        .panel.bad { border-color: var(--bad); box-shadow: inset 5px 0 var(--bad); }
        .panel .headline { font-size: 1.15rem; font-weight: 650; color: var(--bad); }
        .panel .headline::first-letter { text-transform: uppercase; }
        .panel h3 { font-size: 1rem; margin: 1.1rem 0 .4rem; }
        .panel ol { margin: 0; padding-left: 1.4rem; }
        .panel li + li { margin-top: .2rem; }

        .timeline { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: .6rem 1rem; }
        .timeline ol { list-style: none; margin: 0; padding: 0; }
        .timeline li { display: grid; grid-template-columns: minmax(7rem, 11rem) 1fr minmax(5rem, 13rem); gap: 1rem; align-items: center; padding: .28rem 0; }
        .timeline a { color: inherit; text-decoration: none; overflow-wrap: anywhere; }
        .timeline a:hover { text-decoration: underline; }
        .timeline svg { display: block; width: 100%; height: 18px; }
        .timeline .track { fill: var(--line); }
        .timeline .length { font-variant-numeric: tabular-nums; font-size: .925rem; text-align: right; }

        .tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin-bottom: .9rem; }
        .tools[hidden] { display: none; }
        .tools label { display: flex; align-items: center; gap: .6rem; flex: 1 1 16rem; color: var(--quiet); }
        .tools input { flex: 1; min-width: 6rem; font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--quiet); border-radius: 8px; padding: .4rem .7rem; }
        .tools input::placeholder { color: var(--quiet); opacity: 1; }
        button { font: inherit; font-size: .925rem; color: var(--text); background: var(--surface); border: 1px solid var(--quiet); border-radius: 8px; padding: .4rem .8rem; cursor: pointer; }
        button:hover { background: var(--accent-soft); border-color: var(--accent); }
        .found { flex-basis: 100%; margin: 0; color: var(--quiet); font-size: .925rem; }
        .found:empty { display: none; }
        .cards { list-style: none; margin: 0; padding: 0; display: grid; gap: .6rem; }
        .cards > li[hidden] { display: none; }
        .cards > li { min-width: 0; }
        .card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; box-shadow: inset 4px 0 var(--machine); overflow: clip; }
        .card.good { box-shadow: inset 4px 0 var(--good); } .card.bad { box-shadow: inset 4px 0 var(--bad); }
        .card > summary { display: grid; grid-template-columns: 1.6rem minmax(7rem, 12rem) minmax(9rem, 15rem) 1fr auto; gap: .2rem 1rem; align-items: baseline; padding: .65rem 1rem; cursor: pointer; list-style: none; border-radius: 10px; outline-offset: -3px; }
        .card > summary::-webkit-details-marker { display: none; }
        .card > summary:hover { background: color-mix(in srgb, var(--accent) 7%, transparent); }
        .card > summary h3 { font-size: 1rem; overflow-wrap: anywhere; }
        .kind { font-weight: 400; color: var(--quiet); font-size: .9rem; }
        .ordinal { color: var(--quiet); font-variant-numeric: tabular-nums; text-align: right; }
        .way, .gist { overflow-wrap: anywhere; min-width: 0; }
        .gist { color: var(--quiet); font-size: .925rem; }
        .card .length { grid-column: -2; color: var(--quiet); font-variant-numeric: tabular-nums; font-size: .925rem; }
        .card[open] > summary { border-bottom: 1px solid var(--line); border-radius: 10px 10px 0 0; }
        .inside { padding: 1.1rem 1.25rem 1.25rem; }
        .inside h4 { font-size: 1rem; margin: 1.4rem 0 .5rem; overflow-wrap: anywhere; }
        .inside h4 + .quiet { margin: -.2rem 0 .5rem; }
        .sign { display: inline-block; width: 1.2em; font-weight: 700; color: var(--quiet); }
        .sign.good { color: var(--good); } .sign.bad { color: var(--bad); } .sign.warn { color: var(--warn); }
        .badge { display: inline-block; border-radius: 999px; padding: .05rem .6rem; font-size: .85rem; font-weight: 550; background: var(--raised); border: 1px solid var(--line); }
        .badge.good { background: var(--good-soft); color: var(--good); border-color: transparent; }
        .badge.bad { background: var(--bad-soft); color: var(--bad); border-color: transparent; }
        .badge.warn { background: var(--warn-soft); color: var(--warn); border-color: transparent; }
        .exchange { margin-top: 1.25rem; border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1rem; background: var(--raised); }
        .exchange h4 { margin: 0 0 .4rem; font-weight: 500; }
        .exchange .method { font-weight: 700; font-size: .85rem; letter-spacing: .03em; color: var(--accent); }
        .exchange p { margin: .3rem 0; overflow-wrap: anywhere; }
        .scroll {
          overflow-x: auto; margin: .7rem 0; border-radius: 8px; border: 1px solid var(--line); scrollbar-width: thin;
          /* A shadow at the side where there is more, which what lies there covers once it is reached. */
          background:
            linear-gradient(to right, var(--surface) 40%, transparent) left / 3rem 100% no-repeat local,
            linear-gradient(to left, var(--surface) 40%, transparent) right / 3rem 100% no-repeat local,
            linear-gradient(to right, var(--shade), transparent) left / 1.1rem 100% no-repeat scroll,
            linear-gradient(to left, var(--shade), transparent) right / 1.1rem 100% no-repeat scroll,
            var(--surface);
        }
        table { border-collapse: collapse; width: 100%; font-size: .925rem; }
        th, td { text-align: left; vertical-align: baseline; padding: .38rem .8rem; font-weight: 400; overflow-wrap: anywhere; }
        thead th { font-size: .85rem; font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--line); white-space: nowrap; }
        tbody tr + tr > * { border-top: 1px solid var(--line); }
        tbody th { font-family: var(--mono); font-size: .84rem; width: 17rem; min-width: 9rem; }
        .pair tbody th { width: 9rem; min-width: 6rem; }
        table.wide { table-layout: fixed; min-width: 42rem; }
        .wide th:nth-child(1) { width: 24%; } .wide th:nth-child(3) { width: 16%; } .wide th:nth-child(4) { width: 18%; }
        /* Many columns, each as wide as its words. */
        table.many { min-width: max-content; }
        .many th, .many td, .many code { overflow-wrap: break-word; }
        .many tbody th { width: auto; min-width: 0; }
        .many td { max-width: 22rem; }
        .cards + h3 { margin: 1.75rem 0 .6rem; }
        td:nth-child(3), td:nth-child(4) { color: var(--quiet); }
        .secret { display: inline-block; background: var(--accent-soft); color: var(--text); border-radius: 6px; padding: 0 .45em; }
        .secret .size, .secret .print { color: var(--quiet); margin-left: .5em; }
        .secret .print { color: var(--accent); }
        .secret.same { outline: 2px solid var(--accent); }
        .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 0 1rem; align-items: start; }
        .pair > * { min-width: 0; }
        .checks { list-style: none; margin: 0; padding: 0; font-size: .95rem; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(27rem, 100%), 1fr)); gap: 0 1.5rem; }
        .checks > li.bad { grid-column: 1 / -1; background: var(--bad-soft); border-radius: 6px; padding-right: .6rem; }
        .checks > li { padding: .2rem 0 .2rem 1.6em; text-indent: -1.6em; overflow-wrap: anywhere; }
        .checks .sign { text-indent: 0; width: 1.6em; }
        .checks .name { font-weight: 550; }
        .checks .detail { color: var(--text); }
        .checks .rule { color: var(--quiet); font-size: .9em; }
        .checks ul { text-indent: 0; }
        .more { margin-top: .6rem; }
        .more > summary { cursor: pointer; color: var(--accent); width: fit-content; border-radius: 4px; }
        .how > .facts { margin: .5rem 0 0; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); gap: .6rem; }
        .how .facts > div { grid-template-columns: 3.5rem 1fr; }
        .looks, .reasons { list-style: none; margin: 0; padding: 0; }
        .looks > li { display: grid; grid-template-columns: 1.2em minmax(0, 1fr) auto; column-gap: .3rem; align-items: baseline; }
        .looks .reasons { grid-column: 2 / -1; padding: .1rem 0 .35rem 1.2rem; border-left: 2px solid var(--line); margin-left: .3rem; }
        .looks .reason { display: inline-block; min-width: 6.5rem; }
        .looks .came { display: inline-block; margin-left: .5rem; }
        .how .place, .how .reasons { font-size: .925em; }
        .copy { position: relative; }
        .copy button { position: absolute; top: .5rem; right: .5rem; padding: .2rem .6rem; }
        pre { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; margin: .6rem 0 0; line-height: 1.5; }
        pre code { overflow-wrap: normal; }

        .picture { overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; }
        .picture svg { display: block; margin-inline: auto; font: 12px var(--sans); }
        .sequence .band { fill: var(--raised); } .sequence .band.odd { fill: transparent; }
        .sequence text, .states text { fill: var(--text); }
        .sequence text.step { fill: var(--quiet); font-weight: 600; }
        .sequence .life { stroke: var(--machine); stroke-dasharray: 2 4; }
        .sequence rect.box { fill: var(--surface); stroke: var(--machine); }
        .sequence rect.box.flowrun { fill: var(--accent-soft); stroke: var(--accent); }
        .sequence rect.box.person { fill: var(--warn-soft); stroke: var(--human); }
        .sequence text.box { font-weight: 600; }
        .sequence .call, .sequence .reply { stroke: var(--text); stroke-width: 1.3; }
        .sequence .reply { stroke-dasharray: 5 4; }
        .sequence .tip { fill: var(--text); } .sequence .cross { stroke: var(--text); stroke-width: 1.6; fill: none; }
        .sequence line.bad, .sequence path.cross.bad { stroke: var(--bad); }
        .sequence path.tip.bad, .sequence text.bad { fill: var(--bad); }
        .sequence rect.note { fill: var(--good-soft); } .sequence text.note { fill: var(--good); }
        .sequence rect.note.bad { fill: var(--bad-soft); } .sequence text.note.bad { fill: var(--bad); }
        .states rect { fill: var(--raised); stroke: var(--line); }
        .states rect.lit { fill: var(--good-soft); stroke: var(--good); stroke-width: 1.6; }
        .states rect.lit.bad { fill: var(--bad-soft); stroke: var(--bad); }
        .states text { font-weight: 550; } .states text.step, .states text.end { fill: var(--quiet); }
        .states text.lit { fill: var(--text); } .states text.visits { font-weight: 400; fill: var(--good); } .states text.visits.bad { fill: var(--bad); }
        .states path.way { fill: none; stroke: var(--line); stroke-width: 1.3; } .states path.tip { fill: var(--machine); }
        .states path.way { stroke: var(--machine); } .states path.way.bad { stroke-dasharray: 4 4; }
        .states text.way { font-weight: 400; font-size: 11px; fill: var(--quiet); paint-order: stroke; stroke: var(--surface); stroke-width: 3px; }
        .states path.way.lit { stroke: var(--good); stroke-width: 2.4; } .states path.tip.lit { fill: var(--good); }
        .states path.way.lit.bad { stroke: var(--bad); } .states path.tip.lit.bad { fill: var(--bad); }
        .states .taken { fill: var(--good); font-weight: 600; } .states .taken.bad { fill: var(--bad); }
        .states .beginning { fill: var(--good); }

        .source { overflow: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: .6rem 0; }
        .source table { width: auto; min-width: 100%; font-size: .9rem; }
        .source .more { margin: .3rem 0 .3rem 1rem; }
        .source .more table { margin-left: -1rem; }
        .source td { padding: 0 .5rem; height: 1.45rem; border: 0; white-space: pre; line-height: 1.6; }
        .source tbody tr + tr > * { border: 0; }
        .source .line { width: 3.5rem; min-width: 3.5rem; text-align: right; color: var(--quiet); font-family: var(--mono); font-size: .8rem; user-select: none; }
        .source .marks { width: 3.5rem; min-width: 3.5rem; text-align: center; font-size: .8rem; }
        .source td:nth-child(3) { color: inherit; }
        .source code { overflow-wrap: normal; }
        .source .lit.good td { background: var(--good-soft); } .source .lit.bad td { background: var(--bad-soft); }
        .source .lit.good td:first-child { box-shadow: inset 4px 0 var(--good); } .source .lit.bad td:first-child { box-shadow: inset 4px 0 var(--bad); }
        .source .key { color: var(--accent); } .source .comment { color: var(--quiet); font-style: italic; }
        .source tr:target td { background: var(--accent-soft); }
        footer { border-top: 1px solid var(--line); padding-block: 1.25rem 2.5rem; color: var(--quiet); font-size: .925rem; }
        footer p { margin: .2rem 0; }
        kbd { font: .85em var(--mono); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 .35em; background: var(--surface); color: var(--text); }

        @media (max-width: 46rem) {
          body > header, body > nav, main, footer { padding-inline: 1rem; }
          body > header { padding-top: 1.5rem; }
          h1 { font-size: 1.45rem; }
          .mark { width: 2.6rem; height: 2.6rem; font-size: 1.3rem; }
          .tiles { grid-template-columns: repeat(2, 1fr); }
          header .facts { grid-template-columns: 1fr; }
          .facts div, header .facts div { grid-template-columns: 1fr; gap: 0; }
          .facts dt { font-size: .85rem; }
          .timeline li { grid-template-columns: 1fr auto; gap: .15rem 1rem; }
          .timeline svg { grid-column: 1 / -1; grid-row: 2; }
          .card > summary { grid-template-columns: 1.2rem 1fr auto; padding-right: .8rem; }
          .card > summary .way, .card > summary .gist { grid-column: 2 / -1; }
          .card .length { grid-row: 1; grid-column: 3; }
          .inside { padding: .9rem; }
          .panel { padding: 1rem; }
          tbody th { width: 45%; min-width: 7rem; }
          table.wide { min-width: 36rem; }
          .many tbody th { width: auto; min-width: 0; }
          .exchange { padding: .7rem; }
          .how .facts > div { grid-template-columns: 1fr; }
          .looks > li { grid-template-columns: 1.2em minmax(0, 1fr); }
          .looks .place { grid-column: 2; }
        }
        @media print {
          :root { --ground: #fff; --surface: #fff; --raised: #f6f7f9; }
          body { font-size: 10pt; }
          body > nav, .skip, .tools, .keys, .copy button { display: none; }
          body > header, main, footer { max-width: none; padding-inline: 0; }
          section { break-before: auto; }
          h2, h2 + p, h3, h4 { break-after: avoid; }
          .tiles li, .checks > li, tr, .timeline li { break-inside: avoid; }
          .scroll, .picture, .source, pre { overflow: visible; }
          .scroll { background: none; }
          table { font-size: 9pt; }
          table.wide, table.many { min-width: 0; }
          thead th, tbody th, table code { font-size: 8pt; }
          .wide th:nth-child(1) { width: 22%; } .wide th:nth-child(3) { width: 18%; } .wide th:nth-child(4) { width: 20%; }
          .many { font-size: 8pt; }
          .many th, .many td { overflow-wrap: anywhere; padding-inline: .4rem; }
          .picture svg { max-width: 100%; height: auto; }
          pre { white-space: pre-wrap; }
          .source td { white-space: pre-wrap; }
          .how > .facts { border: 0; padding: 0; background: none; }
          details.card::details-content, details.how::details-content { content-visibility: visible; height: auto; }
          a { color: inherit; }
        }

        """)
}
