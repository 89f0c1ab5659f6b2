import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { extractAll, extractFile, listPackage } from '@electron/asar'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { bundles, packagesOf } from '../../scripts/third-party-notices.mjs'
import { fuseWire } from './fuse-wire.ts'
import { launchDesktop } from './start-desktop.ts'

// These tests build a complete package, so they need a long timeout.
vi.setConfig({ hookTimeout: 120_000 })

const root = path.join(import.meta.dirname, '..', '..')
const why = process.platform === 'linux' ? '' : ' (skipped: other systems lay the program out differently)'

test('X-39 the packer config lists builds, unpacked files, fuses and sandbox', () => {
  const config = parse(fs.readFileSync(path.join(root, 'electron-builder.yml'), 'utf8'))
  expect(config.files.filter((each: string) => /^[^!]/.test(each))).toEqual([
    ...['elements', 'main', 'preload', 'reactors', 'renderer'].map((folder) => `out/${folder}/**`),
    'resources/as-hosted/*',
    'resources/icons/256x256.png',
    'resources/tray*.png',
    'package.json',
  ])
  expect(config.files).toContain('!**/*.{map,ts,mts,cts,flow}')
  expect(config).toMatchObject({
    asar: true,
    asarUnpack: ['**/*.node', 'out/reactors/**'],
    beforePack: './resources/before-pack.mjs',
    afterPack: './resources/after-pack.mjs',
    appImage: { executableArgs: [] },
    linux: { syncDesktopName: true },
    extraMetadata: { desktopName: 'coffer.desktop' },
  })
  for (const hook of [config.beforePack, config.afterPack])
    expect(fs.existsSync(path.join(root, hook))).toBe(true)
})

describe.skipIf(process.platform !== 'linux')(`the package for Linux${why}`, { tags: 'thorough' }, () => {
  let folder: string
  let resources: string
  /** The files from which the AppImage and the deb are built. */
  let created: string

  // electron-builder packs the program. Only the files of Electron are replaced by fake ones.
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
    const electron = path.join(folder, 'electron')
    fs.mkdirSync(electron)
    for (const file of ['LICENSE', 'LICENSES.chromium.html']) fs.writeFileSync(path.join(electron, file), '')
    fs.writeFileSync(path.join(electron, 'version'), '45.4.1')
    fs.writeFileSync(path.join(electron, 'electron'), fuseWire, { mode: 0o755 })
    const output = path.join(folder, 'dist')
    await promisify(execFile)(
      process.execPath,
      [fileURLToPath(new URL('pack.ts', import.meta.url)), electron, output],
      { cwd: root, timeout: 100_000 },
    )
    resources = path.join(output, 'linux-unpacked', 'resources')
    created = fs.readFileSync(path.join(output, 'made.json'), 'utf8')
  })
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  test('the package contains builds and dependencies, but no sources', () => {
    const files = listPackage(path.join(resources, 'app.asar'), { isPack: false }).map((file) =>
      file.replaceAll('\\', '/').slice(1),
    )
    const top = new Set(files.map((file) => file.split('/')[0]))
    expect([...top].sort()).toEqual(['node_modules', 'out', 'package.json', 'resources'])
    const built = new Set(files.filter((file) => file.startsWith('out/')).map((file) => file.split('/')[1]))
    expect([...built].sort()).toEqual(['elements', 'main', 'preload', 'reactors', 'renderer'])
    const left = files.filter((file) => /\.(ts|md|map)$/.test(file))
    expect(left.filter((file) => !/(licen[cs]e|notice)[^/]*\.md$/i.test(file))).toEqual([])
    expect(
      files.filter((file) => /^node_modules\/(node-linux|node-win|electron|vite|react)/.test(file)),
    ).toEqual([])
  })

  test('the package contains Coffer’s licence and the notices of all dependencies', () => {
    expect(fs.readFileSync(path.join(resources, 'LICENSE.txt'), 'utf8')).toMatch(/^MIT License/)
    const notices = fs.readFileSync(path.join(resources, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    const archive = path.join(resources, 'app.asar')
    const manifests = listPackage(archive, { isPack: false })
      .map((file) => file.replaceAll('\\', '/').slice(1))
      .filter((file) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    expect(manifests.length).toBeGreaterThan(40)
    for (const file of manifests) {
      const { name, version } = JSON.parse(extractFile(archive, file).toString())
      expect([file, notices.includes(`${name} ${version}`)]).toEqual([file, true])
    }
    for (const { folder } of packagesOf(bundles.desktop)) {
      const { name, version } = JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
      expect([folder, notices.includes(`${name} ${version}`)]).toEqual([folder, true])
    }
    // The rule that removes documentation must not remove a licence in Markdown.
    expect(manifests.includes('node_modules/jose/package.json')).toBe(true)
    expect(extractFile(archive, 'node_modules/jose/LICENSE.md').toString()).toContain('MIT')
  })

  test('the package has native modules of this system outside the archive', () => {
    const natives = fs
      .readdirSync(path.join(resources, 'app.asar.unpacked'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.node'))
      .map((file) => path.basename(file))
    const system = `linux-${process.arch}`
    expect(natives.sort()).toEqual([
      `argon2.${system}-gnu.node`,
      `keyring.${system}-gnu.node`,
      `${system}.node`,
    ])
  })

  test('X-39 the package’s desktop entry keeps the sandbox and names the window class', () => {
    expect(created).toContain('Exec=AppRun %U')
    expect(created).not.toContain('--no-sandbox')
    expect(created).toContain('StartupWMClass=coffer')
    expect(created).toMatch(/"--maintainer","[^"]+ <[^"]+>".*"--url","https:/)
  })

  test('X-39 the package has its fuses set', async () => {
    const program = path.join(resources, '..', 'coffer')
    const fuses = await getCurrentFuseWire(program)
    expect(fuses).toMatchObject({
      [FuseV1Options.RunAsNode]: FuseState.DISABLE,
      [FuseV1Options.OnlyLoadAppFromAsar]: FuseState.ENABLE,
    })
  })

  test('the packaged program creates a vault and returns a masked token', async () => {
    const extracted = path.join(folder, 'app')
    extractAll(path.join(resources, 'app.asar'), extracted)
    const bundle = path.join(extracted, 'out', 'main', 'index.js')
    const { window, stop } = launchDesktop(path.join(folder, 'data'), [], bundle)
    try {
      await window.host.createVault({ name: 'demo', protection: { passphrase: 'correct horse battery' } })
      const token = await window.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
      expect(token.data).toEqual({ number: 'XXXXXXXXXXXX4242' })
      expect(await window.host.backup({})).toMatchObject({ name: 'demo' })
    } finally {
      await stop()
    }
  })
})
