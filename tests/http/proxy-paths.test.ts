import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasDotSegment } from '../../electron/host/proxies/dot-segments.ts'
import { startDestination } from '../outbound/destination.ts'
import { getRunCount } from '../thorough.ts'
import { fetchRawStatus } from './raw-request.ts'
import { startProxy } from './start-proxy.ts'

const base = '/tenants/7'

/** Percent-decodes like a server that reads bytes, including overlong forms of ASCII. */
function decodePath(path: string): string {
  const bytes = path.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  const createPattern = (lead: string) => new RegExp(`${lead}([\\x80-\\xbf])`, 'g')
  return bytes
    .replace(createPattern('\xc0'), (_, last) => String.fromCharCode(last.charCodeAt(0) & 0x3f))
    .replace(createPattern('\xc1'), (_, last) => String.fromCharCode((last.charCodeAt(0) & 0x3f) | 0x40))
    .replace(createPattern('\xe0\x80'), (_, last) => String.fromCharCode(last.charCodeAt(0) & 0x3f))
}

/** Resolves `.` and `..` in a path, and merges slashes as nginx does. */
function normalizePath(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

type PathReading = (path: string) => string

const decodings: Record<string, PathReading> = {
  'not at all': (path) => path,
  once: decodePath,
  twice: (path) => decodePath(decodePath(path)),
  'three times': (path) => decodePath(decodePath(decodePath(path))),
}
const readings: Record<string, PathReading> = {
  'as it is': (path) => path,
  'with \\ as /': (path) => path.replaceAll('\\', '/'),
  'without parameters of segments': (path) => path.replace(/;[^/]*/g, ''),
  'up to a zero byte': (path) => path.split('\0', 1)[0] as string,
  'without tabs and line ends': (path) => path.replace(/[\t\r\n]/g, '').replaceAll('\\', '/'),
  'up to a line end': (path) => path.split(/[\r\n]/, 1)[0] as string,
  'up to a query': (path) => path.split(/[?#]/, 1)[0] as string,
  'with spaces dropped': (path) => path.replace(/ +(?=\/|$)/g, ''),
}

/** Yields the paths that different kinds of server would serve, and the one that a browser would request. */
function* seenAt(path: string): Generator<[string, string]> {
  for (const [decoding, decodes] of Object.entries(decodings)) {
    for (const [reading, reads] of Object.entries(readings)) {
      yield [`decoded ${decoding}, ${reading}`, normalizePath(reads(decodes(base + path)))]
    }
    const address = `http://host${decodes(base + path).replace(/[?#]/g, '/')}`
    if (URL.canParse(address)) yield [`an address decoded ${decoding}`, new URL(address).pathname]
  }
}

const pieces = ['.', '..', '/', '\\', '%2e', '%2E', '%2f', '%2F', '%5c', '%252f', '%252e', '%25252e']
const rare = [';', '%3b', '%3f', '%23', '%09', '%0a', '%0d', '%00', '%20', '%c0%af', '%c0%ae', '%c1%9c']
const words = ['a', '8', 'v1.2', '%e0%80%af', '%', '%2', '%25', 'admin', ' ']

test('X-69 G-04 no server resolves an accepted path outside its base', () => {
  const path = fc
    .array(fc.constantFrom(...pieces, ...pieces, ...rare, ...words), { minLength: 1, maxLength: 8 })
    .map((all) => `/${all.join('')}`)
  fc.assert(
    fc.property(path, (each) => {
      fc.pre(!hasDotSegment(each))
      for (const [server, at] of seenAt(each)) {
        if (at !== base && !at.startsWith(`${base}/`)) throw new Error(`${each} is ${at} when ${server}`)
      }
    }),
    getRunCount(100_000),
  )
})

test('X-69 every encoding of a path outside the base gets 400', async () => {
  const { listener, key, createProxy } = await startProxy()
  const requested: string[] = []
  const { url } = await startDestination((request, response) => {
    requested.push(request.url ?? '')
    response.end()
  })
  const { key: proxy } = await createProxy({ destination_url: url + base })
  const fetchStatus = async (path: string) => {
    const head = `Host: 127.0.0.1:${listener.port}\r\nBT-API-KEY: ${key}\r\nBT-PROXY-KEY: ${proxy}\r\n`
    const bytes = `GET /proxy/${path} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
    return fetchRawStatus(listener.port, bytes)
  }
  const refused = [
    '../admin',
    '..%2F..%2Fadmin',
    '..%2f8',
    'a%2f..%2f..%2f8',
    '..%5c8',
    '%2e%2e%2f8',
    '%252e%252e%252f8',
    '..%252f8',
    '..%25252f8',
    '..;/8',
    '..%3b/8',
    '..%09/8',
    '.%0a./8',
    '..%00/8',
    '..%00x',
    '..%c0%af8',
    '%c0%ae%c0%ae/8',
    '..%u002f8',
    '%EF%BC%8E%EF%BC%8E%EF%BC%8F8',
    '..%20/8',
    'a%2f.',
    `%${'25'.repeat(6)}41`,
  ]
  for (const path of refused) expect([path, await fetchStatus(path)]).toEqual([path, '400'])
  expect(requested).toEqual([])
  const passed = [
    'a%2fb',
    'a%252fb',
    '..a/b..',
    'v1.2/x...y',
    'a%5cb',
    '%7B%22a%22%7D',
    'caf%C3%A9',
    'a;v=1.2',
    '100%25',
  ]
  for (const path of passed) expect([path, await fetchStatus(path)]).toEqual([path, '200'])
  expect(requested).toEqual(passed.map((path) => `${base}/${path}`))
})

test('X-69 R-03 checking the longest path takes little time', () => {
  const before = process.cpuUsage()
  for (let times = 0; times < 10; times++) hasDotSegment(`/%${'25'.repeat(8000)}`)
  for (let times = 0; times < 10; times++) hasDotSegment(`/${'%2561.'.repeat(2700)}`)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 20_000).toBeLessThan(20)
})
