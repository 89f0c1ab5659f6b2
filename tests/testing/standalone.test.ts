import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { packCli } from '../../scripts/pack-cli.mjs'
import { tempFolder } from '../vault.ts'

test.runIf(process.platform === 'linux')(
  'the archive of the command line runs with an empty PATH, and through a link',
  { tags: 'thorough', timeout: 300_000 },
  () => {
    const folder = tempFolder()
    const archive = packCli(folder)
    spawnSync('tar', ['-xzf', path.basename(archive)], { cwd: folder })
    const unpacked = path.join(folder, path.basename(archive, '.tar.gz'))
    const program = path.join(unpacked, 'coffer')
    const home = path.join(folder, 'home')
    const run = (file: string, args: string[], more: Record<string, string> = {}) =>
      spawnSync(file, args, { encoding: 'utf8', env: { HOME: home, PATH: '', ...more }, timeout: 60_000 })
    const place = ['--data-dir', path.join(folder, 'data')]
    const made = run(program, ['init', '--json', ...place], { COFFER_PASSPHRASE: 'correct horse battery' })
    expect([made.status, made.stderr]).toEqual([0, ''])
    const doctor = run(program, ['doctor', '--open', ...place], {
      COFFER_PASSPHRASE: 'correct horse battery',
    })
    expect(doctor.stdout).toMatch(/ok +database +[A-Z]/)
    const link = path.join(folder, 'link')
    fs.symlinkSync(program, link)
    const version = run(link, ['--version'], { PATH: process.env.PATH ?? '' })
    expect(version.stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/)
  },
)
