// SECURITY: what a page's style may set in a frame: these properties of these selectors, and no value that loads
// anything or ends its declaration.

const inputProperties = new Set(
  `backgroundColor color fontFamily fontSize fontSmooth fontStyle fontVariant fontWeight letterSpacing lineHeight
  padding textAlign textDecoration textShadow textTransform`.split(/\s+/),
)
const buttonProperties = new Set(
  `alignItems backgroundColor border borderBottom borderLeft borderRight borderTop borderColor borderRadius borderStyle
  borderWidth boxShadow color cursor display fontFamily fontSize fontWeight gap height maxHeight minHeight width maxWidth
  minWidth justifyContent letterSpacing lineHeight margin opacity outline padding textAlign textTransform transform
  transition`.split(/\s+/),
)
const unitless = new Set(['fontWeight', 'lineHeight', 'opacity'])
const inputSelectors = [':hover', ':focus', ':read-only', '::placeholder', '::selection', ':disabled']
const buttonSelectors = [':hover', ':focus', ':active']
const inputVariants = {
  base: '.field',
  complete: '.field.complete',
  invalid: '.field.invalid',
  empty: '.field.empty',
}

const unsafe = /[;{}<>@\\]|(?:url|image|image-set|cross-fade|element|src|attr|var|env|expression)\s*\(/i
const longestValue = 500

export type Declaration = { selector: string; property: string; value: string }

function safeValue(property: string, given: unknown): string | undefined {
  if (typeof given === 'number' && Number.isFinite(given)) {
    return unitless.has(property) || given === 0 ? String(given) : `${given}px`
  }
  if (typeof given !== 'string' || given.length > longestValue || unsafe.test(given)) return undefined
  // SECURITY: a line height of the font's own may depend on which characters the value has, and the page sees how high
  // the frame is.
  if (property === 'lineHeight' && !/^\s*[\d.]+\s*(?:px|em|rem|%|pt)?\s*$/.test(given)) return undefined
  return given
}

function namesOf(property: string): readonly string[] {
  if (property === 'fontSmooth') return ['-webkit-font-smoothing', '-moz-osx-font-smoothing']
  return [property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)]
}

function entriesOf(given: unknown): [string, unknown][] {
  return typeof given === 'object' && given !== null ? Object.entries(given) : []
}

/** The declarations of an element's `style`; what is not allowed is left out. */
export function declarationsOf(style: unknown, isButton: boolean): readonly Declaration[] {
  const variants = Object.entries(isButton ? { base: '.field' } : inputVariants)
  const properties = isButton ? buttonProperties : inputProperties
  const selectors = isButton ? buttonSelectors : inputSelectors
  const given = new Map(entriesOf(style))

  function declared(selector: string, variant: unknown): Declaration[] {
    return entriesOf(variant).flatMap(([property, value]) => {
      const safe = properties.has(property) ? safeValue(property, value) : undefined
      return safe === undefined
        ? []
        : namesOf(property).map((name) => ({ selector, property: name, value: safe }))
    })
  }

  const base = new Map(entriesOf(given.get('base')))
  return [
    // Icons have the colour of the text.
    ...(isButton ? [] : declared('.container', { color: base.get('color') })),
    ...declared('.container', given.get('container')),
    ...variants.flatMap(([variant, selector]) => [
      ...declared(selector, given.get(variant)),
      ...selectors.flatMap((inner) =>
        declared(selector + inner, new Map(entriesOf(given.get(variant))).get(inner)),
      ),
    ]),
  ]
}

/** A length or colour of `copyIconStyles`, if it is safe. */
export function iconValue(given: unknown): string | undefined {
  return safeValue('fontSize', given)
}
