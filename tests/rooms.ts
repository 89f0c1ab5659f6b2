import fs from 'node:fs'
import path from 'node:path'

// Checks that the rooms of every area in rooms.json import downwards: a file may import from its own room and from rooms
// on lower floors, never from another room on its own. Also fails for a folder or file that rooms.json does not list,
// and where the tree in ARCHITECTURE.md does not name the rooms in the same order.

type Floor = { readonly rooms: readonly string[]; readonly why: string }

const root = path.join(import.meta.dirname, '..')
const areas = JSON.parse(read('tests/rooms.json')) as Record<string, readonly Floor[]>
const tree = read('ARCHITECTURE.md').split('\n')

const source = /\.(ts|tsx|mjs|css)$/
/** Static, dynamic and type imports alike. */
const imported = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

function read(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8')
}

function filesOf(area: string): string[] {
  return fs
    .readdirSync(path.join(root, area), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => source.test(file) && !file.endsWith('.d.ts'))
}

/** The lines about an area in ARCHITECTURE.md's tree, without the area's own name. */
function described(area: string): string {
  const depth = (line: string) => line.search(/\S|$/)
  let start = -1
  for (const name of area.split('/')) {
    // Rooms of several areas may have the same name.
    const inside = start < 0 ? 0 : depth(tree[start] ?? '') + 2
    start = tree.findIndex(
      (line, at) => at > start && depth(line) === inside && line.trimStart().startsWith(`${name}/`),
    )
    if (start < 0) return ''
  }
  const end = tree.findIndex((line, at) => at > start && depth(line) <= depth(tree[start] ?? ''))
  return tree.slice(start, end).join('\n').replace(/\S+\//, '')
}

function problemsOf(area: string, floors: readonly Floor[]): string[] {
  const problems: string[] = []
  const floorOf = new Map(floors.flatMap(({ rooms }, floor) => rooms.map((room) => [room, floor] as const)))
  const found = new Set<string>()
  for (const file of filesOf(area)) {
    const [room = ''] = file.split('/')
    const floor = floorOf.get(room)
    if (floor === undefined) {
      problems.push(`${area}/${room} is not listed in tests/rooms.json`)
      continue
    }
    found.add(room)
    for (const [, specifier = ''] of read(`${area}/${file}`).matchAll(imported)) {
      const target = path.posix.join(area, path.posix.dirname(file), specifier)
      if (!target.startsWith(`${area}/`)) continue
      const [other = ''] = target.slice(area.length + 1).split('/')
      const below = floorOf.get(other)
      if (other === room || below === undefined || below > floor) continue
      problems.push(`${area}/${file} imports ${target}: ${room} is not above ${other}`)
    }
  }
  const text = described(area)
  let last = 0
  for (const { rooms } of floors) {
    const places = rooms.map((room) => {
      if (!found.has(room)) problems.push(`${area}/${room} is listed in tests/rooms.json and does not exist`)
      const place = text.search(
        new RegExp(`(?<![\\w/.-])${room.replace('.', '\\.')}${room.includes('.') ? '' : '/'}`),
      )
      if (place < last)
        problems.push(
          `${area}/${room} is missing from the tree in ARCHITECTURE.md, or not in the order of tests/rooms.json`,
        )
      return place
    })
    last = Math.max(last, ...places)
  }
  return problems
}

const problems = [...new Set(Object.entries(areas).flatMap(([area, floors]) => problemsOf(area, floors)))]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
