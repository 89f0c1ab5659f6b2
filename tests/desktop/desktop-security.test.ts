import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readJson } from '../../shared/json.ts'
import { isThorough } from '../thorough.ts'
import { waitFor } from '../wait-for.ts'
import { isElectron, launchDesktop } from './start-desktop.ts'

const inMemory = { name: 'demo', protection: { memory: true } } as const

let folder: string
let desktop: ReturnType<typeof launchDesktop>

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  desktop = launchDesktop(path.join(folder, 'data'))
})
afterAll(async () => {
  await desktop.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('X-36 IPC', () => {
  test('X-36 IPC responds only to the window’s main frame', async () => {
    const { runScript, window } = desktop
    await window.host.createVault(inMemory)
    const call = JSON.stringify(JSON.stringify({ name: 'host.lock', input: {} }))
    const fromFrame = await runScript(`(async () => {
      const frame = document.createElement('iframe')
      document.body.append(frame)
      return frame.contentWindow.__invoke('coffer:call', [${call}]).then(JSON.parse)
    })()`)
    expect(fromFrame).toMatchObject({ ok: false, problem: { status: 403 } })
    expect((await window.host.status()).vault).not.toBeNull()
  })

  test('X-36 IPC rejects calls from another window', async () => {
    const { runStep, window } = desktop
    const lock = JSON.stringify(JSON.stringify({ name: 'host.lock', input: {} }))
    expect(
      await runStep('runInSibling', `__invoke('coffer:call', [${lock}]).then(JSON.parse)`),
    ).toMatchObject({
      ok: false,
      problem: { status: 403 },
    })
    expect((await window.host.status()).vault).not.toBeNull()
  })

  test('X-36 IPC handles calls on one channel only, and accepts only JSON text', async () => {
    const { runScript } = desktop
    const invokeChannel = (channel: string, text: unknown) =>
      runScript(`__invoke(${JSON.stringify(channel)}, [${JSON.stringify(text)}]).then(JSON.parse, String)`)
    const status = JSON.stringify({ name: 'host.status', input: {} })
    expect(await invokeChannel('coffer:call', status)).toMatchObject({ ok: true })
    expect(await invokeChannel('coffer:event', status)).toContain('No handler')
    expect(await invokeChannel('coffer:other', status)).toContain('No handler')
    expect(await invokeChannel('coffer:call', { name: 'host.status' })).toMatchObject({
      problem: { status: 400 },
    })
    expect(await invokeChannel('coffer:call', 'host.status')).toMatchObject({ problem: { status: 400 } })
  })

  test('X-36 IPC rejects calls that are too large or contain prototype keys', async () => {
    const { runScript } = desktop
    // Sending a message of 100 MB would take seconds.
    const mebibytes = isThorough ? 100 : 17
    const large = await runScript(
      `window.vault.call('x'.repeat(${mebibytes} * 1024 * 1024)).then(JSON.parse)`,
    )
    expect(large).toMatchObject({ ok: false, problem: { status: 413 } })
    const proto = JSON.stringify('{"name":"host.status","input":{"__proto__":{"polluted":true}}}')
    expect(await runScript(`__invoke('coffer:call', [${proto}]).then(JSON.parse)`)).toMatchObject({
      problem: { status: 400 },
    })
    const deep = JSON.stringify(`{"name":"host.status","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    expect(await runScript(`__invoke('coffer:call', [${deep}]).then(JSON.parse)`)).toMatchObject({
      problem: { status: 400 },
    })
  })
})

test('A-14 IPC passes numbers between window and vault as written', async () => {
  const { window } = desktop
  const data = '{"price":19.90,"big":123456789012345678901,"list":[1.0,-0]}'
  const { id } = await window.tokens.create({ type: 'token', data: readJson(data) })
  expect(JSON.stringify((await window.tokens.reveal({ id })).data)).toBe(data)
})

test('a damaged window position is ignored', { tags: 'thorough' }, async () => {
  const dataDir = path.join(folder, 'place')
  fs.mkdirSync(path.join(dataDir, '.window'), { recursive: true })
  const bounds = { x: 0, y: 0, width: 2_000_000_000, height: 2_000_000_000 }
  fs.writeFileSync(path.join(dataDir, '.window', 'window.json'), JSON.stringify({ bounds, maximized: false }))
  const { runStep, stop } = launchDesktop(dataDir)
  try {
    expect(await runStep('getWindowOptions')).toMatchObject({ rest: { width: 1180, height: 760 } })
  } finally {
    await stop()
  }
})

/**
 * The window preferences that Electron's security checklist requires, each with its number in that list. Each must be
 * set explicitly and not left to Electron's default.
 */
const requiredPreferences: readonly [wall: string, preference: string, closed: boolean | undefined][] = [
  ['2: a page has no Node', 'nodeIntegration', false],
  ['2: nor have its workers', 'nodeIntegrationInWorker', false],
  ['2: nor have its frames', 'nodeIntegrationInSubFrames', false],
  ['3: a page cannot reach into the preload', 'contextIsolation', true],
  ['4: the process of a page is in a sandbox', 'sandbox', true],
  ['6: a page reads its own origin alone', 'webSecurity', true],
  ['8: nothing unencrypted in a secure page', 'allowRunningInsecureContent', false],
  ['9: nothing unfinished of Chromium', 'experimentalFeatures', false],
  ['10: no feature of Blink turned on by name', 'enableBlinkFeatures', undefined],
  ['11: no page within the page', 'webviewTag', false],
  ['13: what is dropped is not opened', 'navigateOnDragDrop', false],
  ['beyond the list: what is typed is not looked up', 'spellcheck', false],
  ['beyond the list: a packaged vault has no console', 'devTools', false],
]

describe('X-37 the window', () => {
  test('X-37 the window opens no other window, and only listed links externally', async () => {
    const { runScript, runStep, window } = desktop
    expect(await runScript(`String(window.open('https://evil.test/'))`)).toBeDefined()
    expect(await runScript(`String(window.open('file:///etc/passwd'))`)).toBeDefined()
    const listener = await window.host.listenerOn({ port: 0 })
    if (listener.state !== 'on') throw new Error('refused')
    await runScript(`void window.open('${listener.url}/openapi.json?x')`)
    await runScript(`void window.open('${listener.url}/docs/')`)
    const allowed = [`${listener.url}/openapi.json`, `${listener.url}/docs`]
    for (const url of allowed) await runScript(`void window.open('${url}')`)
    await waitFor(async () => expect(await runStep('listOpenedLinks')).toEqual(allowed))
  })

  test('X-37 the window blocks navigation and network requests', async () => {
    const { runScript, runStep } = desktop
    await runScript(`location.href = 'https://evil.test/'`)
    await waitFor(async () => expect(await runStep('listBlockedUrls')).toContain('https://evil.test/'))
    expect(await runScript('location.hostname')).toBe('app.coffer.test')
    for (const url of [
      'https://evil.test/',
      'http://127.0.0.1:4747/tokens',
      'file:///etc/passwd',
      'app://other/',
    ]) {
      expect([url, await runStep('isCancelled', url)]).toEqual([url, true])
    }
    expect(await runStep('isCancelled', 'app://coffer/assets/x.js')).toBe(false)
  })

  test('X-37 the window ignores dropped files and foreign downloads', async () => {
    const { runScript, runStep } = desktop
    const file = path.join(folder, 'dropped.html')
    fs.writeFileSync(file, '<h1>not Coffer</h1>')
    await runScript('window.stayed = true')
    await runStep('dropFile', file)
    await runStep('pressKey', 'Escape')
    expect(await runScript('[location.hostname, window.stayed]')).toEqual(['app.coffer.test', true])
    expect(await runStep('canDownload', 'https://evil.test/x.exe')).toBe(false)
    expect(await runStep('canDownload', 'blob:app://coffer/1')).toBe(true)
  })

  test('X-37 the window cannot read files outside its folder', async () => {
    const { runScript } = desktop
    const paths = [
      '/../main/index.js',
      '/..%2fmain%2findex.js',
      '/%2e%2e/main/index.js',
      '/assets/..%5c..%5cmain',
    ]
    for (const each of paths) {
      expect([each, await runScript(`fetch('${each}').then((answer) => answer.status)`)]).toEqual([each, 404])
    }
    expect(await runScript(`fetch('/', { method: 'POST' }).then((answer) => answer.status)`)).toBe(404)
  })

  test('X-37 the window has no access to Node or devices', async () => {
    const { runStep, runScript } = desktop
    expect(await runStep('getWindowOptions')).toMatchObject({
      partition: 'window',
      spellChecker: false,
      proxy: { proxyRules: expect.stringContaining('127.0.0.1'), proxyBypassRules: '<-loopback>' },
      webRtc: 'disable_non_proxied_udp',
    })
    const { preferences } = (await runStep('getWindowOptions')) as { preferences: Record<string, unknown> }
    const open = requiredPreferences.filter(([, preference, closed]) => preferences[preference] !== closed)
    expect(open).toEqual([])
    // Any other preference may weaken the window, so it must be in the list.
    const listed = ['preload', ...requiredPreferences.map(([, preference]) => preference)]
    expect(Object.keys(preferences).filter((name) => !listed.includes(name))).toEqual([])
    expect(await runStep('listCalls')).toContain('enableSandbox')
    expect(await runStep('getSchemes')).toEqual([
      { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
    ])
    expect(await runScript('typeof require + typeof process')).toBe('undefinedundefined')
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'usb',
      'openExternal',
    ]) {
      expect([permission, await runStep('listGrants', permission, 'app://coffer/')]).toEqual([
        permission,
        [false, false, false],
      ])
    }
    expect(await runStep('canRecordScreen')).toBe(false)
    expect(await runStep('listGrants', 'clipboard-sanitized-write', 'app://coffer/')).toEqual([
      true,
      true,
      false,
    ])
    expect(await runStep('listGrants', 'clipboard-sanitized-write', 'https://evil.test/')).toEqual([
      false,
      false,
      false,
    ])
  })
})

test('X-38 the content security policy blocks inline, evaluated and remote scripts', async () => {
  const { runScript } = desktop
  const violations = await runScript(`(async () => {
    const seen = []
    addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
    const inline = document.createElement('script')
    inline.textContent = 'window.inlineRan = true'
    document.body.append(inline)
    const remote = document.createElement('script')
    remote.src = 'https://evil.test/x.js'
    document.body.append(remote)
    const image = new Image()
    image.src = 'https://evil.test/x.png'
    await fetch('https://evil.test/').catch(() => {})
    // In a timeout, because the policy does not apply while a debugger evaluates code.
    const evaluated = await new Promise((resolve) => setTimeout(() => {
      try { resolve(new Function('return true')()) } catch { resolve(false) }
    }))
    document.body.insertAdjacentHTML('beforeend', '<button id="attack" onclick="window.inlineRan = true"></button>')
    document.getElementById('attack').click()
    // The browser reports each blocked kind. If one is not blocked, the test times out.
    const kinds = ['connect-src', 'img-src', 'script-src', 'script-src-attr', 'script-src-elem']
    await new Promise((resolve) => {
      const look = () => kinds.every((kind) => seen.includes(kind)) && resolve()
      addEventListener('securitypolicyviolation', look)
      look()
    })
    return { seen: [...new Set(seen)].sort(), ran: 'inlineRan' in window || evaluated }
  })()`)
  expect(violations).toEqual({
    seen: ['connect-src', 'img-src', 'script-src', 'script-src-attr', 'script-src-elem'],
    ran: false,
  })
})

// After this test, the program quits without asking.
const windows = isElectron ? ' (skipped: only Windows tells of it, and then ends)' : ''
test.skipIf(isElectron)(
  `the end of a user’s session locks the vault and clears the clipboard${windows}`,
  async () => {
    const { runStep, window } = desktop
    for (const end of [() => runStep('endSession'), () => runStep('emitPowerEvent', 'shutdown')]) {
      await window.host.createVault(inMemory)
      await window.host.copySecret({ text: 'secret' })
      await end()
      expect((await window.host.status()).vault).toBeNull()
      await waitFor(async () => expect(await runStep('readClipboard')).toBe(''))
    }
  },
)

// This must be the last test, because the window stays on the other page.
test('X-36 IPC rejects calls from the window once it shows another page', async () => {
  const { runStep, runScript } = desktop
  await runStep('leavePage')
  const lock = JSON.stringify(JSON.stringify({ name: 'host.lock', input: {} }))
  expect(await runScript(`__invoke('coffer:call', [${lock}]).then(JSON.parse)`)).toMatchObject({
    ok: false,
    problem: { status: 403 },
  })
})
