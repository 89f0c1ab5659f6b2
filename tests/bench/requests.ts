import type { Keys, Sample } from './vault.ts'
import { cardNumber } from './vault.ts'

type Request = {
  readonly key: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

/** One request, as bytes. */
export function wire({ key, method, path, body }: Request, port: number): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const type =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSVC-API-KEY: ${key}\r\n${type}\r\n${text}`
}

/** Requests that get the samples, in random order. */
export function gets(samples: readonly Sample[], key: string, port: number): string[] {
  return shuffled(samples).map(({ id }) => wire({ key, method: 'GET', path: `/tokens/${id}` }, port))
}

export type NewCard = {
  type: string
  data: { number: string; expiration_month: number; expiration_year: number }
}

/** Small card tokens, each with a different number. */
export function newCards(count: number): NewCard[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'card',
    data: { number: cardNumber(50_000_000 + at), expiration_month: 12, expiration_year: 2030 },
  }))
}

export function creates({ mask }: Keys, port: number): string[] {
  return newCards(1000).map((body) => wire({ key: mask, method: 'POST', path: '/tokens', body }, port))
}

/** Requests for every way to list or search in the API, by their name in the output. */
export function lists(
  samples: readonly Sample[],
  { mask: key }: Keys,
  port: number,
): Record<string, string[]> {
  const some = shuffled(samples).slice(0, 100)
  const each = (request: (sample: Sample) => Omit<Request, 'key'>) =>
    some.map((sample) => wire({ key, ...request(sample) }, port))
  const listed = (query: (sample: Sample) => string) =>
    each((sample) => ({ method: 'GET', path: `/v2/tokens?size=20&${query(sample)}` }))
  return {
    'list, first page': listed(() => ''),
    'list by container': listed(() => 'container=/pci/'),
    'list by type': listed(() => 'type=card'),
    'list by fingerprint': listed(({ fingerprint }) => `fingerprint=${fingerprint}`),
    'list by metadata': listed(({ order }) => `metadata.order=${order}`),
    'search by data': each(({ number }) => ({
      method: 'POST',
      path: '/v2/tokens/search',
      body: { query: `data:${number}` },
    })),
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item, at) => ({ item, place: (at * 7919) % 10_007 }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
