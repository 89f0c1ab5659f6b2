/** The style sheet of the 3D Secure pages, light and dark. */
export const style = `
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --dim: #5b6573; --line: #e3e6ea; --soft: #f3f5f7; --accent: #0b7285;
  --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #dde1e6; --dim: #9aa4b2; --line: #2c3138; --soft: #1f2329;
  --accent: #3bc9db; --on-accent: #0b1416 } }
* { box-sizing: border-box }
html, body { height: 100% }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 30rem; margin: 0 auto; padding: 24px 20px }
h1 { margin: 0 0 4px; font-size: 19px }
p { margin: 0 0 14px }
.note { color: var(--dim); font-size: 13.5px }
.stand-in { margin-top: 20px; padding-top: 12px; border-top: 1px solid var(--line) }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 14px 0; padding: 12px 14px; background: var(--soft); border-radius: 8px }
dt { color: var(--dim) }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
form { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 }
button, a.button { padding: 9px 16px; color: var(--text); background: var(--back); border: 1px solid var(--dim); border-radius: 8px; font: inherit; text-decoration: none; cursor: pointer }
button.first, a.first { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
body.relay, body.relay iframe { width: 100%; height: 100%; overflow: hidden; border: 0; display: block }
`
