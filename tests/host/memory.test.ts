import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runWithEnv } from '../cli/in-process.ts'
import { builtCli, startCoffer } from '../cli/run-coffer.ts'
import { createTempFolder } from '../vault.ts'
import { countInMemory } from './process-memory.ts'

const LINES = 3000

/** Why the memory of a process cannot be read on this system, as a suffix of the test's name. */
const why =
  process.platform === 'linux' ? '' : ' (skipped: only Linux shows the memory of a process in /proc)'

const createCanary = (what: string) => `canary-${what}-${randomBytes(12).toString('hex')}`

test.runIf(why === '')(
  `X-70 after a lock the memory of the process contains no plaintext${why}`,
  async () => {
    const dataDir = path.join(createTempFolder(), 'data')
    const texts = {
      passphrase: createCanary('passphrase'),
      token: createCanary('token'),
      document: createCanary('document'),
      configuration: createCanary('configuration'),
    }
    const place = ['--data-dir', dataDir]
    const made = await runWithEnv({ COFFER_PASSPHRASE: texts.passphrase }, 'init', '--json', ...place)
    const { keys } = JSON.parse(made.out)
    const coffer = startCoffer(['serve', '--port', '0', '--console', '--json', ...place], {}, builtCli)
    const { url, console: link } = await coffer.json()

    const { origin, hash } = new URL(link)
    const postToConsole = (name: string, body: object, more = {}) =>
      fetch(`${origin}/_coffer/console/${name}`, {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/json', ...more },
        body: JSON.stringify(body),
      })
    const launched = await postToConsole('launch', { token: hash.slice('#launch='.length) })
    const cookie = (launched.headers.get('set-cookie') ?? '').split(';', 1)[0] as string
    const callCommand = async (name: string, input: object = {}) => {
      const reply = (await (await postToConsole('call', { name, input }, { Cookie: cookie })).json()) as {
        ok: boolean
      }
      expect([name, reply.ok]).toEqual([name, true])
    }
    await callCommand('host.unlock', { name: 'default', with: { passphrase: texts.passphrase } })

    const requestJson = async (method: string, route: string, key: string, body?: object) => {
      const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
      const response = await fetch(url + route, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      expect([route, response.status < 300]).toEqual([route, true])
      return (await response.json()) as { id: string }
    }
    const { id } = await requestJson('POST', '/tokens', keys.private, { type: 'token', data: texts.token })
    for (let turn = 0; turn < 10; turn++) await requestJson('GET', `/tokens/${id}`, keys.private)
    await requestJson('POST', '/detokenize', keys.private, { all: `{{ ${id} }}` })
    await callCommand('tokens.reveal', { id })
    await requestJson('POST', '/proxies', keys.management, {
      name: 'one',
      destination_url: 'https://echo.coffer.test',
      configuration: { SECRET: texts.configuration },
    })
    const form = new FormData()
    form.set('document', new Blob([`${texts.document}\n`.repeat(LINES)], { type: 'text/plain' }), 'lines.txt')
    const upload = { method: 'POST', headers: { 'BT-API-KEY': keys.private }, body: form }
    const document = (await (await fetch(`${url}/documents`, upload)).json()) as { id: string }
    const read = { headers: { 'BT-API-KEY': keys.private } }
    for (let turn = 0; turn < 3; turn++)
      expect(
        (await (await fetch(`${url}/documents/${document.id}/data`, read)).text()).length,
      ).toBeGreaterThan(LINES)

    const wanted = {
      ...texts,
      'private key': keys.private,
      'management key': keys.management,
      cookie: cookie.slice(cookie.indexOf('=') + 1),
    }
    const before = countInMemory(coffer.pid, wanted)
    expect(Object.values(before).filter((count) => count > 0).length).toBeGreaterThan(4)
    await callCommand('host.lock')
    const none = Object.fromEntries(Object.keys(wanted).map((name) => [name, 0]))
    await expect.poll(() => countInMemory(coffer.pid, wanted), { interval: 250 }).toEqual(none)
  },
)
