type Line = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }

export type Plot = {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly lines: readonly Line[]
}

const [WIDTH, HEIGHT] = [760, 400]
const box = { left: 64, right: 180, top: 44, bottom: 48 }
// Medium tones, readable on white and on black.
const colours = ['#2f81f7', '#d4762c', '#1a9c5b', '#a371f7', '#d6409f', '#8a8d1f', '#0e9aa7']
const GREY = '#808891'

/** Renders a line chart as SVG, both axes logarithmic, without a background. */
export function renderPlot({ title, x, y, lines }: Plot): string {
  const all = lines.flatMap((line) => line.points)
  const across = createScale(
    all.map(([value]) => value),
    box.left,
    WIDTH - box.right,
  )
  const up = createScale(
    all.map(([, value]) => value),
    HEIGHT - box.bottom,
    box.top,
  )
  const parts = [
    renderText(box.left, 22, title, `font-size="15" font-weight="600"`),
    renderText(box.left, HEIGHT - 10, x),
    renderText(box.left, 38, y, 'font-size="11"'),
    ...up.ticks.map(
      (tick) =>
        renderGridLine(box.left, up.at(tick), WIDTH - box.right, up.at(tick)) +
        renderText(box.left - 8, up.at(tick) + 4, formatTick(tick), 'text-anchor="end"'),
    ),
    ...across.ticks.map((tick) =>
      renderText(across.at(tick), HEIGHT - box.bottom + 20, formatTick(tick), 'text-anchor="middle"'),
    ),
    ...lines.map((line, index) =>
      renderLine(line, colours[index % colours.length] ?? GREY, across.at, up.at),
    ),
    ...renderLabels(lines, up.at),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="${GREY}" role="img" aria-label="${title}">\n${parts.join('\n')}\n</svg>\n`
}

type Scale = { readonly ticks: readonly number[]; at(value: number): number }

function createScale(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const first = 10 ** Math.floor(Math.log10(low))
  const ticks: number[] = []
  for (let decade = first; decade <= high * 10; decade *= 10) ticks.push(decade, 2 * decade, 5 * decade)
  const bottom = ticks.findLast((tick) => tick <= low) ?? first
  const top = ticks.find((tick) => tick >= high) ?? high
  const span = Math.log(top / bottom) || 1
  return {
    ticks: ticks.filter((tick) => tick >= bottom && tick <= top),
    at: (value) => Math.round(10 * (from + (Math.log(value / bottom) / span) * (to - from))) / 10,
  }
}

function renderLine(
  { points }: Line,
  colour: string,
  across: (x: number) => number,
  up: (y: number) => number,
): string {
  const places = points.map(([x, y]) => [across(x), up(y)] as const)
  const path = places.map((place) => place.join(',')).join(' ')
  const dots = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3"/>`).join('')
  return `<g fill="${colour}"><polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}</g>`
}

/** Places the names at the ends of the lines, moved apart where they would overlap. */
function renderLabels(lines: readonly Line[], up: (y: number) => number): string[] {
  const ends = lines
    .map((line, index) => ({
      name: line.name,
      colour: colours[index % colours.length] ?? GREY,
      place: up(line.points.at(-1)?.[1] ?? 1),
    }))
    .sort((a, b) => a.place - b.place)
  let free = 0
  return ends.map(({ name, colour, place }) => {
    free = Math.max(place + 4, free + 15)
    return `<text x="${WIDTH - box.right + 10}" y="${free}" fill="${colour}">${name}</text>`
  })
}

function renderGridLine(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${GREY}" stroke-opacity="0.25"/>`
}

function renderText(x: number, y: number, content: string, rest = ''): string {
  return `<text x="${x}" y="${y}"${rest && ` ${rest}`}>${content}</text>`
}

function formatTick(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`
  if (value >= 1000) return `${value / 1000} k`
  return String(Number(value.toPrecision(3)))
}
