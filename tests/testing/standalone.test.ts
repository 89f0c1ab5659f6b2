import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { packCli } from '../../scripts/pack-cli.mjs'
import { bundles, packagesOf } from '../../scripts/third-party-notices.mjs'
import { createTempFolder } from '../vault.ts'

test('the CLI archive lists all licences, including those of its Node.js', {
  tags: 'thorough',
  timeout: 300_000,
}, () => {
  const folder = createTempFolder()
  const archive = packCli(folder)
  spawnSync('tar', ['-xzf', path.basename(archive)], { cwd: folder })
  const unpacked = path.join(folder, path.basename(archive, '.tar.gz'))
  const notices = fs.readFileSync(path.join(unpacked, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  expect(notices).toContain('SQLite3 Multiple Ciphers')
  const readNameAndVersion = (file: string) => {
    const { name, version } = JSON.parse(fs.readFileSync(file, 'utf8'))
    return `${name} ${version}`
  }
  const root = path.join(import.meta.dirname, '..', '..')
  for (const { folder } of packagesOf(bundles.npm))
    expect(notices).toContain(readNameAndVersion(path.join(root, folder, 'package.json')))
  const modules = path.join(unpacked, 'lib', 'node_modules')
  for (const file of fs.globSync(['*/package.json', '@*/*/package.json'], { cwd: modules }))
    if (!file.startsWith('coffer')) expect(notices).toContain(readNameAndVersion(path.join(modules, file)))
  expect(fs.readFileSync(path.join(unpacked, 'lib', 'LICENSE.node.txt'), 'utf8')).toMatch(/V8[\s\S]*OpenSSL/)
})

test.runIf(process.platform === 'linux')(
  'the program in the CLI archive runs with an empty PATH and through a link',
  { tags: 'thorough', timeout: 300_000 },
  () => {
    const folder = createTempFolder()
    const archive = packCli(folder)
    spawnSync('tar', ['-xzf', path.basename(archive)], { cwd: folder })
    const unpacked = path.join(folder, path.basename(archive, '.tar.gz'))
    const program = path.join(unpacked, 'coffer')
    const home = path.join(folder, 'home')
    const runFile = (file: string, args: string[], more: Record<string, string> = {}) =>
      spawnSync(file, args, { encoding: 'utf8', env: { HOME: home, PATH: '', ...more }, timeout: 60_000 })
    const passphrase = { COFFER_PASSPHRASE: 'correct horse battery' }
    const seed = path.join(import.meta.dirname, '..', '..', 'examples', 'coffer.seed.yaml')
    const backup = path.join(folder, 'a.coffer-backup')
    const tokens = path.join(folder, 'tokens.ndjson')
    const reactor = path.join(folder, 'double.js')
    fs.writeFileSync(reactor, 'module.exports = async ({ args }) => ({ raw: { twice: args.n * 2 } })')
    // Each command is in a separate file, so each one is tried.
    for (const [line, pattern] of [
      ['--help', /^Usage: coffer /],
      ['serve --help', /^Usage: coffer serve /],
      ['config', /^# yaml-language-server: /],
      ['config --schema', /^\{\n/],
      ['completion bash', /^_coffer/],
      ['man', /^\.TH COFFER 1 /],
      ['export-openapi', /"openapi": "3\.1\.0"/],
      [`serve --ephemeral --port 0 --seed ${seed} --run true`, /^$/],
      ['serve --ephemeral --console --port 0 --run true', /^$/],
      ['run -- /bin/true', /^$/],
      ['init --json', /"created":true/],
      ['status', /^default +passphrase, /m],
      ['keys create --type private --name Shop', /^Key, shown only once: key_local_pvt_/m],
      ['keys list', /^\S+ +private +1 key +Shop$/m],
      ['env', /^COFFER_BASE_URL=http/m],
      ['doctor --open', /^ok +database +[A-Z]/m],
      [`backup --out ${backup}`, /^Backed up and verified: /],
      [`verify ${backup}`, /a\.coffer-backup/],
      [`restore ${backup} --vault other`, /other/],
      [`export --out ${tokens}`, /^Wrote 0 tokens /],
      [`reactor run ${reactor} --args {"n":2}`, /"twice": ?4/],
      ['reactor packages', /^$/],
      ['rotate data', /./],
      ['recovery-key', /[0-9A-Z]{4}-[0-9A-Z]{4}/],
      ['delete --vault other --yes-delete other', /other/],
    ] as const) {
      const { status, stdout, stderr } = runFile(program, line.split(' '), passphrase)
      const received = stderr.replace(/^(Coffer is listening on|The vault other in) .*\n/, '')
      expect([line, status, received]).toEqual([line, 0, ''])
      expect([line, stdout]).toEqual([line, expect.stringMatching(pattern)])
    }
    const environments = '/bin/cat /proc/$PPID/environ; echo; /bin/cat /proc/self/environ'
    const { stdout } = runFile(program, ['serve', '--ephemeral', '--port', '0', '--run', environments])
    expect(stdout.split('\n').map((each) => each.includes('MALLOC_ARENA_MAX=1'))).toEqual([true, false])
    // docs/upgrade-and-uninstall.md mentions both folders.
    expect([fs.readdirSync(home), fs.readdirSync(path.join(home, '.cache'))]).toEqual([
      ['.cache', '.local'],
      ['coffer'],
    ])
    const link = path.join(folder, 'link')
    fs.symlinkSync(program, link)
    const version = runFile(link, ['--version'], { PATH: process.env.PATH ?? '' })
    expect(version.stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/)
  },
)
