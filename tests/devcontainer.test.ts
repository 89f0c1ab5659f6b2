import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { packCli } from '../scripts/pack-cli.mjs'
import { readFile, root } from './repository.ts'
import { createTempFolder } from './vault.ts'

const feature = path.join(root, 'resources', 'devcontainer', 'coffer')
const isolates = spawnSync('unshare', ['--mount', 'true']).status === 0
const why = isolates ? '' : ' (skipped: this user may not make namespaces)'

/** Runs install.sh, and then a script, on a layer over /usr/local that is gone afterwards, as in the build of an image. */
function installFeature(options: Record<string, string>, file: string | null, script = 'true') {
  const folder = createTempFolder()
  fs.cpSync(feature, path.join(folder, 'feature'), { recursive: true })
  if (file !== null) fs.copyFileSync(file, path.join(folder, 'feature', path.basename(file)))
  for (const name of ['upper', 'work']) fs.mkdirSync(path.join(folder, name))
  const layers = `lowerdir=/usr/local,upperdir=${folder}/upper,workdir=${folder}/work`
  const steps = `mount -t overlay overlay -o ${layers} /usr/local && sh ${folder}/feature/install.sh && cd / && ${script}`
  const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', steps], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, ...options },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('the dev container feature has the version of the package, and every option is used', () => {
  const { id, version, options } = JSON.parse(
    fs.readFileSync(path.join(feature, 'devcontainer-feature.json'), 'utf8'),
  )
  expect([id, version]).toEqual([path.basename(feature), manifest.version])
  const script = fs.readFileSync(path.join(feature, 'install.sh'), 'utf8')
  // The environment variable of an option is its name in upper case.
  for (const name of Object.keys(options)) expect(script).toContain(`${name.toUpperCase()}=\${`)
})

test.skipIf(!isolates)(`the feature says what is wrong with its options${why}`, () => {
  const file = path.join(createTempFolder(), 'coffer.tgz')
  fs.writeFileSync(file, 'no package')
  for (const [options, message] of [
    [{}, /^coffer: Set the option package /],
    [{ PACKAGE: 'coffer.zip' }, /^coffer: coffer\.zip is no \.tar\.gz or \.tgz file\./],
    [{ PACKAGE: 'other.tgz' }, /^coffer: There is no file other\.tgz beside install\.sh\./],
    [{ PACKAGE: 'coffer.tgz', SHA256: '0'.repeat(64) }, /^coffer: The SHA-256 of coffer\.tgz is not /m],
  ] as const) {
    const { status, stderr } = installFeature({ ...options }, file)
    expect([options, status, stderr]).toEqual([options, 1, expect.stringMatching(message)])
  }
})

test.skipIf(!isolates)(`the feature verifies its package with the sha256sum of BusyBox${why}`, () => {
  const folder = createTempFolder()
  const program = '#!/bin/sh\n[ "$*" = -c ] || exit 1\nexec /usr/bin/sha256sum -c\n'
  fs.writeFileSync(path.join(folder, 'sha256sum'), program, { mode: 0o755 })
  const file = path.join(createTempFolder(), 'coffer.tgz')
  fs.writeFileSync(file, 'no package')
  const SHA256 = createHash('sha256').update(fs.readFileSync(file)).digest('hex')
  const PATH = `${folder}:/usr/local/bin:/usr/bin:/bin`
  expect(installFeature({ PACKAGE: 'coffer.tgz', SHA256, PATH }, file).stderr).not.toContain('SHA-256')
})

test.skipIf(!isolates)(
  `the feature installs a release's archive, which needs nothing else${why}`,
  { tags: 'thorough', timeout: 300_000 },
  () => {
    const archive = packCli(createTempFolder())
    const SHA256 = createHash('sha256').update(fs.readFileSync(archive)).digest('hex')
    const { status, stdout, stderr } = installFeature(
      { PACKAGE: path.basename(archive), SHA256 },
      archive,
      "coffer serve --ephemeral --port 0 --run 'echo url $VAULT_URL' && ls -A /usr/local/lib/coffer",
    )
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('coffer:')])
    expect(stdout).toMatch(/^url http:\/\/127\.0\.0\.1:\d+$/m)
    expect(stdout.split('\n')[0]).toBe(manifest.version)
    expect(stdout).not.toContain('.tar.gz')
  },
)

test('the dev container of this repository installs what tests need', () => {
  const { onCreateCommand, postCreateCommand } = JSON.parse(readFile('.devcontainer/devcontainer.json'))
  const [, list = ''] = /const debian = \[([\s\S]*?)\n\]/.exec(readFile('scripts/install.mjs')) ?? []
  const needed = [...list.matchAll(/package: '([\w-]+)'/g)].map(([, name = '']) => name)
  expect(needed.length).toBeGreaterThan(2)
  // A headless Chromium replaces the package that has a window.
  for (const name of needed.map((each) => (each === 'chromium' ? 'chromium-headless-shell' : each)))
    expect(onCreateCommand).toContain(` ${name}`)
  expect(postCreateCommand).toBe('node scripts/install.mjs')
})
