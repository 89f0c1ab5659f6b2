import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { serveForConform, startAlteringProxy } from '../conform/serve-for-conform.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

const only = ['--only', 'token-updates']

/** Starts a Coffer. Returns the arguments that name it, and the number of its tokens. */
async function startServer() {
  const { url, dataDir, keys } = await serveForConform()
  const args = ['--url', url, '--key', keys.key, '--management', keys.management ?? '', '--data-dir', dataDir]
  const countTokens = async () => {
    const { out } = await runCommandLine('api', '/tokens', '--url', url, '--key', keys.key, '--json')
    return JSON.parse(out).body.pagination.total_items as number
  }
  const listLeft = () => fs.readdirSync(dataDir).filter((name) => name.startsWith('conform-'))
  return { url, keys, dataDir, args, countTokens, listLeft }
}

test('Q-01 conform writes its report as a page and as Markdown, and leaves nothing behind', async () => {
  const { args, url, keys, countTokens, listLeft } = await startServer()
  const folder = createTempFolder()
  for (const extension of ['.html', '.md']) {
    const file = path.join(folder, `report${extension}`)
    const { out, code } = await runCommandLine('conform', ...args, ...only, '--report', file)
    expect(code).toBe(0)
    expect(out).toMatch(/: of \d+ statements?, \d+ hold, 0 differ/)
    const report = fs.readFileSync(file, 'utf8')
    expect(report).toContain(new URL(url).host)
    expect(report).not.toContain(keys.key)
  }
  expect(await countTokens()).toBe(0)
  expect(listLeft()).toEqual([])
})

test('Q-01 conform reports a difference with both sides, without a key or an id, and exits with 1', async () => {
  const { url, keys, args } = await startServer()
  const altered = await startAlteringProxy(url, (answer) => {
    if (answer.status !== 415) return
    answer.status = 400
    answer.body = { title: '<b>', id: randomUUID(), key: keys.key }
  })
  const file = path.join(createTempFolder(), 'report.html')
  const { out, code } = await runCommandLine('conform', ...args, ...only, '--url', altered, '--report', file)
  expect(code).toBe(1)
  expect(out).toContain('Differs from the documents')
  expect(out).toMatch(/status\n\s+expected: 415\n\s+received: 400 {"title":"<b>","id":"<id>","key":"<key>"}/)
  expect(fs.readFileSync(file, 'utf8')).not.toContain('<b>')
})

test('Q-01 compare finds where two servers differ', async () => {
  const { url, keys, dataDir, args } = await startServer()
  const altered = await startAlteringProxy(url, (answer) => {
    if (answer.status === 400) answer.status = 422
  })
  const both = ['--url', url, '--url', altered, '--data-dir', dataDir]
  const withKeys = [
    '--key',
    `${keys.key},${keys.key}`,
    '--management',
    `${keys.management},${keys.management}`,
  ]
  const { out, code } = await runCommandLine('compare', ...both, ...withKeys, ...only)
  expect(code).toBe(1)
  expect(out).toContain(`${new URL(url).host}:`)
  expect(out).toMatch(/: 400\n.*: 422 /)
  const same = await runCommandLine('compare', ...args, '--url', url, '--key', keys.key, ...only)
  expect(same.out).toContain(' 0 differ')
  expect(same.code).toBe(0)
})

test('Q-01 conform sends nothing in a dry run, to production, or to another machine without a confirmation', async () => {
  const away = ['conform', '--url', 'https://api.example.com', ...only]
  const dry = await runCommandLine(...away, '--dry-run')
  expect(dry.out).toContain('POST /tokens')
  expect(dry.out).toContain('Nothing was sent.')
  expect((await runCommandLine(...away, '--key', 'key_test_us_pvt_a')).error).toBe(
    'Nothing was sent. To run this without a prompt, add --yes',
  )
  expect((await runCommandLine(...away, '--yes', '--key', 'key_prod_us_pvt_a')).error).toContain('production')
  expect((await runCommandLine(...away)).code).toBe(2)
  const unknown = await runCommandLine('conform', '--url', 'https://api.example.com', '--only', 'nowhere')
  expect(unknown.error).toContain('The areas are: ')
  expect(unknown.code).toBe(2)
  const insecure = await runCommandLine('conform', '--url', 'http://api.example.com', '--key', 'x', '--yes')
  expect(insecure.error).toContain('https')
})

test('a report that could not be written is refused before anything is sent', async () => {
  const folder = createTempFolder()
  for (const report of [folder, path.join(folder, 'none', 'report.html')]) {
    const { error, code } = await runCommandLine(
      'conform',
      ...['--url', 'https://api.example.com', '--yes', '--key', 'key_test_us_pvt_a', '--report', report],
    )
    expect(error).toBe(`--report: ${report} cannot be written. Name a file in a folder that exists.`)
    expect(code).toBe(2)
  }
})

test('conform names the key that the server does not accept', async () => {
  const { url, dataDir } = await startServer()
  const { error } = await runCommandLine('conform', '--url', url, '--key', 'wrong', '--data-dir', dataDir)
  expect(error).toContain('does not accept the private key')
})

/** Prepares a run against a server that withholds its answers to some requests about tokens until `resume`. */
async function prepareSlowRun(held: string) {
  const server = await startServer()
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const slow = await startAlteringProxy(server.url, async ({ method, path: where, status }) => {
    if (method !== held || !where.startsWith('/tokens') || status >= 300) return
    reached.resolve()
    await resumed.promise
  })
  const args = ['conform', ...server.args, '--url', slow, ...only]
  return { ...server, args, reached: reached.promise, resume: resumed.resolve }
}

test('Q-01 Ctrl-C deletes what the run has created, also what was being created', async () => {
  const { args, reached, resume, countTokens, listLeft } = await prepareSlowRun('POST')
  const run = startCoffer(args)
  await reached
  expect(await countTokens()).toBeGreaterThan(0)
  run.signal('SIGINT')
  resume()
  expect(await run.ended).toBe(130)
  expect(await countTokens()).toBe(0)
  expect(listLeft()).toEqual([])
})

test('Q-01 the next run deletes what a crash has left', async () => {
  const { args, url, keys, dataDir, reached, resume, listLeft } = await prepareSlowRun('GET')
  const run = startCoffer(args)
  await reached
  run.signal('SIGKILL')
  await run.ended
  resume()
  const [file = ''] = listLeft()
  const { paths } = JSON.parse(fs.readFileSync(path.join(dataDir, file), 'utf8'))
  const fetchStatuses = () =>
    Promise.all(
      (paths as string[])
        .filter((each) => each.startsWith('/tokens/'))
        .map(async (each) => (await fetch(url + each, { headers: { 'BT-API-KEY': keys.key } })).status),
    )
  expect(await fetchStatuses()).toContain(200)
  expect((await runCommandLine(...args)).code).toBe(0)
  expect(new Set(await fetchStatuses())).toEqual(new Set([404]))
  expect(listLeft()).toEqual([])
})
