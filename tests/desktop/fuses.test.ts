import fs from 'node:fs'
import path from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { expect, test } from 'vitest'
import afterPack from '../../resources/after-pack.mjs'
import { createTempFolder } from '../vault.ts'
import { fuseWire } from './fuse-wire.ts'

test('X-39 packaging disables code injection and loads only the archive', async () => {
  const appOutDir = createTempFolder()
  const program = path.join(appOutDir, 'coffer')
  fs.writeFileSync(program, fuseWire)
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
