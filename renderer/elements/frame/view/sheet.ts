import { createDeclarations } from '../style.ts'

// The line height is a number: a font's default may depend on the typed characters, and the page can measure
// the height of the frame.
const own = `
html,body{margin:0;background:transparent;overflow:hidden}
.container{display:flex;flex-wrap:wrap;gap:8px 16px;box-sizing:border-box;font:16px/1.25 system-ui,sans-serif}
.row{display:flex;align-items:center;flex:1 1 100%;gap:8px;min-width:0}
.card .row{flex:0 1 6em}
.card .row.number{flex:1 1 12em}
@media(max-width:399px){.card .row{flex-grow:1}.card .row.number{flex-basis:100%}}
.field{box-sizing:border-box;flex:1;min-width:0;width:100%;margin:0;padding:0;border:0;outline:0;background:transparent;
color:inherit;font:inherit;text-overflow:ellipsis}
button.field{flex:none;width:auto;padding:4px 12px;border:1px solid;border-radius:4px;cursor:pointer}
button.field:disabled{cursor:default;opacity:.6}
.field::placeholder{color:color-mix(in srgb,currentColor 62%,transparent);opacity:1}
.field:disabled{color:color-mix(in srgb,currentColor 60%,transparent)}
.icon,.copy svg{flex:none;width:1.75em;height:1.25em}
.copy{flex:none;display:inline-flex;margin:0;padding:2px;border:0;background:none;color:inherit;cursor:pointer}
.copy svg{width:1.25em}
.networks{flex:none;max-width:9em;font:inherit;font-size:.8em}
button:focus-visible,select:focus-visible{outline:2px solid;outline-offset:-2px}
.note{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none}
@media(forced-colors:active){.field:focus{outline:2px solid Highlight;outline-offset:-2px}.field.invalid{text-decoration:underline wavy}}
`

/** Adds the frame's own style sheet, and one for the page's styles. Returns a function that sets the page's styles. */
export function styleFrame(isButton: boolean): (style: unknown) => void {
  const base = new CSSStyleSheet()
  base.replaceSync(own)
  return (style) => {
    const sheet = new CSSStyleSheet()
    for (const { selector, property, value } of createDeclarations(style, isButton)) {
      const rule = sheet.cssRules[sheet.insertRule(`${selector}{}`, sheet.cssRules.length)]
      // SECURITY: set by property name, so that a value cannot break out of its declaration.
      if (rule instanceof CSSStyleRule) rule.style.setProperty(property, value)
    }
    document.adoptedStyleSheets = [base, sheet]
  }
}
