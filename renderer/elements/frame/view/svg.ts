const namespace = 'http://www.w3.org/2000/svg'

type Shape = readonly [tag: string, attributes: Readonly<Record<string, string | number>>, text?: string]

export function createSvg(viewBox: string, shapes: readonly Shape[]): SVGElement {
  const drawn = document.createElementNS(namespace, 'svg')
  drawn.setAttribute('viewBox', viewBox)
  drawn.setAttribute('aria-hidden', 'true')
  for (const [tag, attributes, text = ''] of shapes) {
    const shape = document.createElementNS(namespace, tag)
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, String(value))
    shape.textContent = text
    drawn.append(shape)
  }
  return drawn
}
