import { type Screen, screenNames } from './screens.ts'

/** A location in the window, such as `#/tokens/<id>?container=/pci/`. */
export type WindowRoute = {
  readonly screen: Screen
  /** The item open in the drawer, or a section of the screen. */
  readonly id: string | null
  readonly query: Readonly<Record<string, string>>
}

/** Parses a hash. An unknown hash leads to Home. */
export function parseRoute(hash: string): WindowRoute {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const [name = '', id = ''] = path.split('/')
  const screen = screenNames.find((each) => each === name) ?? 'home'
  return {
    screen,
    id: id === '' ? null : decodeSafely(id),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Formats a location as a hash, without empty query parameters. */
export function toHref(
  screen: Screen,
  id: string | null = null,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1])
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
  return `#/${screen}${id === null ? '' : `/${encodeURIComponent(id)}`}${search}`
}
