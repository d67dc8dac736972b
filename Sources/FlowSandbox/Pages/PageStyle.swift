internal import JOSE

/// The one style sheet of all pages; it follows the light or dark preference of the browser.
enum PageStyle {
    /// The source expression that allows exactly this style sheet (CSP Level 3 §2.3.1).
    static let source = "'sha256-\(Base64.encode(Digest.sha256(sheet.source.utf8)))'"

    static let sheet: HTML = """
        :root {
          color-scheme: light dark;
          --page: #eef1f5; --card: #ffffff; --text: #1b1f24; --muted: #56606b; --line: #cdd4dc;
          --accent: #0b57a4; --on-accent: #ffffff; --tint: #eaf2fb;
          --alert: #8f1d15; --alert-tint: #fdecea; --badge: #6a4a00; --badge-tint: #fff3d1;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #0e1217; --card: #181e26; --text: #e8ecf1; --muted: #a6b0bc; --line: #3a4552;
            --accent: #7cbcff; --on-accent: #06223f; --tint: #1b2a3b;
            --alert: #ffb9b1; --alert-tint: #3d1714; --badge: #ffdc8a; --badge-tint: #3a2d08;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          overflow-wrap: anywhere;
        }
        header, main, footer { max-width: 28rem; margin: 0 auto; }
        .wide header, .wide main, .wide footer { max-width: 46rem; }
        header { display: flex; align-items: center; justify-content: space-between; gap: 1rem;
          margin-bottom: 1rem; }
        header a { color: inherit; text-decoration: none; font-weight: 650; }
        .badge { background: var(--badge-tint); color: var(--badge); border-radius: 1rem;
          padding: .15rem .7rem; font-size: .8125rem; font-weight: 600; }
        main { background: var(--card); border: 1px solid var(--line); border-radius: .9rem;
          padding: 1.5rem; }
        h1 { margin: 0 0 .5rem; font-size: 1.45rem; line-height: 1.25; }
        h2 { margin: 1.5rem 0 .4rem; font-size: 1rem; }
        p { margin: .5rem 0; }
        .muted, footer { color: var(--muted); font-size: .9rem; }
        footer { padding: 1rem 1.5rem 0; }
        code { font-family: ui-monospace, "SF Mono", Consolas, "Noto Sans Mono", monospace; font-size: .9em; }
        a { color: var(--accent); }
        ul { margin: .4rem 0 0; padding-left: 1.25rem; }
        li { margin: .2rem 0; }
        fieldset { border: 0; margin: 1.5rem 0 0; padding: 0; min-width: 0; }
        legend, .label { display: block; padding: 0; margin: 0 0 .4rem; font-weight: 600; }
        .person { display: flex; align-items: center; gap: .75rem; padding: .6rem .75rem;
          border: 1px solid var(--line); border-radius: .6rem; margin-bottom: .5rem; cursor: pointer; }
        .person:has(:checked) { border-color: var(--accent); background: var(--tint);
          box-shadow: inset 0 0 0 1px var(--accent); }
        .person span { min-width: 0; }
        .person input { margin: 0; width: 1.1rem; height: 1.1rem; flex: none; accent-color: var(--accent); }
        .person small { display: block; color: var(--muted); font-size: .875rem; }
        .label { margin-top: 1.25rem; }
        input[type=password] { width: 100%; padding: .65rem .75rem; font: inherit; color: inherit;
          background: var(--card); border: 1px solid var(--muted); border-radius: .6rem; }
        .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
        button { flex: 1 1 8rem; min-height: 2.9rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
          border: 1px solid var(--accent); border-radius: .6rem; cursor: pointer;
          background: var(--accent); color: var(--on-accent); }
        button.second { background: transparent; color: var(--accent); }
        button:hover { filter: brightness(1.08); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .person:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
        .person input:focus-visible { outline: none; }
        [role=alert] { background: var(--alert-tint); color: var(--alert); border-left: 4px solid currentColor;
          border-radius: .3rem; padding: .6rem .8rem; margin: 1rem 0 0; }
        table { width: 100%; border-collapse: collapse; font-size: .925rem; }
        th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
          border-top: 1px solid var(--line); }
        th { font-weight: 600; width: 36%; }
        @media (max-width: 30rem) {
          body { padding-top: 1rem; }
          main { padding: 1.25rem 1.1rem; }
          th, td { display: block; width: auto; }
          td { border-top: 0; padding-top: 0; }
        }
        """
}
