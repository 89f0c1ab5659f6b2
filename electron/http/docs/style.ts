/** The style sheet of the reference page, light and dark. */
export const style = `
:root { color-scheme: light dark; --back: #fff; --side: #f7f8f9; --text: #1b1f24; --dim: #667080; --line: #e3e6ea;
  --code: #f3f5f7; --accent: #0b7285; --get: #0b7285; --post: #2b8a3e; --put: #b35c00; --patch: #b35c00; --delete: #c92a2a; }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --side: #1b1e23; --text: #dde1e6; --dim: #929cab;
  --line: #2c3138; --code: #1f2329; --accent: #3bc9db; --get: #3bc9db; --post: #69db7c; --put: #ffc078; --patch: #ffc078;
  --delete: #ff8787; } }
* { box-sizing: border-box }
html { scroll-padding-top: 16px }
body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.55 system-ui, sans-serif }
code, pre, .path, .method { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12.5px }
a { color: inherit }
a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.frame { display: grid; grid-template-columns: 300px minmax(0, 1fr); min-height: 100vh }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 20px 14px; background: var(--side); border-right: 1px solid var(--line) }
nav h1 { margin: 0 6px 12px; font-size: 16px }
nav input { width: 100%; margin-bottom: 12px; padding: 7px 10px; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; font: inherit }
nav h2 { margin: 16px 6px 4px; color: var(--dim); font-size: 11px; letter-spacing: .06em; text-transform: uppercase }
nav a { display: flex; gap: 8px; padding: 3px 6px; border-radius: 6px; text-decoration: none; white-space: nowrap; overflow: hidden }
nav a:hover { background: var(--line) }
nav a .path { overflow: hidden; text-overflow: ellipsis }
nav a[hidden], nav section[hidden], article[hidden] { display: none }
.method { flex: none; width: 48px; font-weight: 600; font-size: 11px; line-height: 19px }
.GET { color: var(--get) } .POST { color: var(--post) } .PUT { color: var(--put) } .PATCH { color: var(--patch) } .DELETE { color: var(--delete) }
main { max-width: 960px; padding: 28px 40px 80px }
main > p { max-width: 70ch }
article { padding: 22px 0; border-top: 1px solid var(--line) }
article h3 { margin: 0 0 6px; font-size: 16px }
.call { display: flex; gap: 6px; align-items: baseline }
.call .path { font-size: 13.5px }
.note { margin: 4px 0 12px; color: var(--dim) }
.chip { margin-left: 8px; padding: 1px 8px; border: 1px solid var(--put); border-radius: 10px; color: var(--put); font-size: 11px }
table { width: 100%; margin: 6px 0 14px; border-collapse: collapse }
th { color: var(--dim); font-weight: 500; text-align: left }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top }
td:first-child { width: 28%; white-space: nowrap }
.must { color: var(--delete) }
.code { position: relative }
pre { margin: 6px 0 14px; padding: 12px 14px; overflow: auto; background: var(--code); border-radius: 6px }
.code button { position: absolute; top: 8px; right: 8px; padding: 2px 10px; color: var(--dim); background: var(--back); border: 1px solid var(--line); border-radius: 6px; font: inherit; font-size: 12px; cursor: pointer }
summary { color: var(--dim); cursor: pointer }
@media (max-width: 820px) { .frame { display: block } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line) } main { padding: 20px } }
`
