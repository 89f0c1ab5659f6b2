import fs from 'node:fs'
import path from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { expect, test } from 'vitest'
import afterPack from '../../resources/after-pack.mjs'
import { tempFolder } from '../vault.ts'

/** What @electron/fuses looks for in a program: a sentinel, a version, how many fuses, and one character each. */
const wire = Buffer.concat([
  Buffer.from('a program … dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('101101011'),
  Buffer.from('… and more of it'),
])

test('X-39 packaging turns off run-as-node, NODE_OPTIONS and inspect, and loads only the archive', async () => {
  const appOutDir = tempFolder()
  const program = path.join(appOutDir, 'coffer')
  fs.writeFileSync(program, wire)
  await afterPack({
    appOutDir,
    electronPlatformName: 'linux',
    arch: 1,
    packager: { appInfo: { productFilename: 'Coffer' }, executableName: 'coffer' },
  })
  const fuses = await getCurrentFuseWire(program)
  expect(fuses).toMatchObject({
    [FuseV1Options.RunAsNode]: FuseState.DISABLE,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: FuseState.DISABLE,
    [FuseV1Options.EnableNodeCliInspectArguments]: FuseState.DISABLE,
    [FuseV1Options.OnlyLoadAppFromAsar]: FuseState.ENABLE,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: FuseState.ENABLE,
    [FuseV1Options.EnableCookieEncryption]: FuseState.ENABLE,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: FuseState.DISABLE,
  })
})
