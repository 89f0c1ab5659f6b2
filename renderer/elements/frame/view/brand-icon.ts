import { createSvg } from './svg.ts'

/** The colour and the label of each brand's icon. The icons show the brands' names instead of their trademarks. */
const brandMarks: { readonly [brand: string]: readonly [colour: string, label: string] } = {
  visa: ['#1a1f71', 'VISA'],
  mastercard: ['#b3400f', 'MC'],
  'american-express': ['#0b5fa5', 'AMEX'],
  'diners-club': ['#004a97', 'DC'],
  discover: ['#a8480a', 'DISC'],
  jcb: ['#0b4ea2', 'JCB'],
  unionpay: ['#00447c', 'UP'],
  maestro: ['#0a6aa1', 'MAE'],
  elo: ['#000', 'elo'],
  mir: ['#0f754e', 'MIR'],
  hiper: ['#a8480a', 'HI'],
  hipercard: ['#b3131b', 'HC'],
}

/** Font sizes that fit the card, by the number of letters. */
const sizes: { readonly [letters: number]: number } = { 2: 11, 3: 10, 4: 7.5 }

/** Draws a small card of this brand. */
export function createBrandIcon(brand: string, label: string): SVGElement {
  const [colour, short] = brandMarks[brand] ?? ['#767676', '']
  const size = sizes[short.length] ?? 7.5
  const text = {
    x: 14,
    y: 10 + size * 0.36,
    'text-anchor': 'middle',
    'font-size': size,
    'font-weight': 700,
    'font-family': 'system-ui,sans-serif',
    fill: '#fff',
  }
  const icon = createSvg('0 0 28 20', [
    // The border keeps a dark card visible on a dark page.
    ['rect', { x: 0.5, y: 0.5, width: 27, height: 19, rx: 3, fill: colour, stroke: '#8886' }],
    short === ''
      ? ['rect', { y: 4, width: 28, height: 4, fill: '#fff', opacity: 0.6 }]
      : ['text', text, short],
  ])
  icon.setAttribute('class', 'icon')
  if (label !== '') {
    icon.removeAttribute('aria-hidden')
    icon.setAttribute('role', 'img')
    icon.setAttribute('aria-label', label)
  }
  return icon
}
