// SECURITY: the styles that a page may apply in a frame: only these properties and selectors, and no value
// that loads a resource or ends its declaration.

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
const MAX_VALUE_LENGTH = 500

export type Declaration = { selector: string; property: string; value: string }

function toSafeValue(property: string, value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) {
    return unitless.has(property) || value === 0 ? String(value) : `${value}px`
  }
  if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH || unsafe.test(value)) return undefined
  // SECURITY: the font's default line height may depend on the value's characters, and the page can measure
  // the height of the frame.
  if (property === 'lineHeight' && !/^\s*[\d.]+\s*(?:px|em|rem|%|pt)?\s*$/.test(value)) return undefined
  return value
}

function toCssNames(property: string): readonly string[] {
  if (property === 'fontSmooth') return ['-webkit-font-smoothing', '-moz-osx-font-smoothing']
  return [property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)]
}

function toEntries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** The CSS declarations of an element's `style`, without any that are not allowed. */
export function createDeclarations(style: unknown, isButton: boolean): readonly Declaration[] {
  const variants = Object.entries(isButton ? { base: '.field' } : inputVariants)
  const properties = isButton ? buttonProperties : inputProperties
  const selectors = isButton ? buttonSelectors : inputSelectors
  const styleEntries = new Map(toEntries(style))

  function toDeclarations(selector: string, variant: unknown): Declaration[] {
    return toEntries(variant).flatMap(([property, value]) => {
      const safe = properties.has(property) ? toSafeValue(property, value) : undefined
      return safe === undefined
        ? []
        : toCssNames(property).map((name) => ({ selector, property: name, value: safe }))
    })
  }

  const base = new Map(toEntries(styleEntries.get('base')))
  return [
    // Icons have the colour of the text.
    ...(isButton ? [] : toDeclarations('.container', { color: base.get('color') })),
    ...toDeclarations('.container', styleEntries.get('container')),
    ...variants.flatMap(([variant, selector]) => [
      ...toDeclarations(selector, styleEntries.get(variant)),
      ...selectors.flatMap((inner) =>
        toDeclarations(selector + inner, new Map(toEntries(styleEntries.get(variant))).get(inner)),
      ),
    ]),
  ]
}

/** A length or colour from `copyIconStyles`, if it is safe. */
export function toSafeIconValue(value: unknown): string | undefined {
  return toSafeValue('fontSize', value)
}
