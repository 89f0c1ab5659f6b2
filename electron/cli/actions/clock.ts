import { z } from '../../../shared/zod.ts'
import { requestServer, requireParsed } from '../terminal/request-server.ts'
import type { PrintOptions } from '../terminal/server-options.ts'
import { printLine } from '../terminal/vault-options.ts'

const PATH = '/_coffer/clock'
const clock = z.object({ now: z.string() })

export async function showClock({ json, ...server }: PrintOptions): Promise<void> {
  const { now } = requireParsed(server, clock, await requestServer(server, 'GET', PATH))
  printLine(json ? JSON.stringify({ url: server.url, now }) : now)
}

export async function setClock(
  { json, ...server }: PrintOptions,
  change: { readonly now: string } | { readonly advance: number },
): Promise<void> {
  const { now } = requireParsed(server, clock, await requestServer(server, 'POST', PATH, change))
  const { url } = server
  printLine(json ? JSON.stringify({ url, now }) : `The clock of the in-memory vault at ${url} is now ${now}.`)
}
