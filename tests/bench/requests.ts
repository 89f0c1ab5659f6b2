import type { BenchKeys, TokenSample } from './vault.ts'
import { toCardNumber } from './vault.ts'

type BenchRequest = {
  readonly key: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

/** One request, as bytes. */
export function formatRequest({ key, method, path, body }: BenchRequest, port: number): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const type =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSVC-API-KEY: ${key}\r\n${type}\r\n${text}`
}

/** Requests that get the samples, in random order. */
export function buildGets(samples: readonly TokenSample[], key: string, port: number): string[] {
  return shuffleItems(samples).map(({ id }) =>
    formatRequest({ key, method: 'GET', path: `/tokens/${id}` }, port),
  )
}

export type NewCard = {
  type: string
  data: { number: string; expiration_month: number; expiration_year: number }
}

/** Small card tokens, each with a different number. */
export function buildCards(count: number): NewCard[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'card',
    data: { number: toCardNumber(50_000_000 + at), expiration_month: 12, expiration_year: 2030 },
  }))
}

export function buildCreates({ mask }: BenchKeys, port: number): string[] {
  return buildCards(1000).map((body) =>
    formatRequest({ key: mask, method: 'POST', path: '/tokens', body }, port),
  )
}

/** Requests for every way to list or search in the API, by their name in the output. */
export function buildLists(
  samples: readonly TokenSample[],
  { mask: key }: BenchKeys,
  port: number,
): Record<string, string[]> {
  const some = shuffleItems(samples).slice(0, 100)
  const buildForSamples = (request: (sample: TokenSample) => Omit<BenchRequest, 'key'>) =>
    some.map((sample) => formatRequest({ key, ...request(sample) }, port))
  const buildListRequests = (query: (sample: TokenSample) => string) =>
    buildForSamples((sample) => ({ method: 'GET', path: `/v2/tokens?size=20&${query(sample)}` }))
  return {
    'list, first page': buildListRequests(() => ''),
    'list by container': buildListRequests(() => 'container=/pci/'),
    'list by type': buildListRequests(() => 'type=card'),
    'list by fingerprint': buildListRequests(({ fingerprint }) => `fingerprint=${fingerprint}`),
    'list by metadata': buildListRequests(({ order }) => `metadata.order=${order}`),
    'search by data': buildForSamples(({ number }) => ({
      method: 'POST',
      path: '/v2/tokens/search',
      body: { query: `data:${number}` },
    })),
  }
}

function shuffleItems<T>(items: readonly T[]): T[] {
  return items
    .map((item, at) => ({ item, place: (at * 7919) % 10_007 }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
