// Turns off in the packaged program what would let somebody run other code in it. Called by electron-builder.
import path from 'node:path'
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses'

export const fuses = {
  // SECURITY: the program is not a Node that runs any script with the vault's name and keychain rights.
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // SECURITY: only the archive that was packaged is loaded, and only unaltered where the platform checks it.
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  // SECURITY: what Chromium stores of a session is encrypted, and file:// is no special origin.
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // No snapshot of its own is packaged.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** @param {import('./after-pack.d.mts').PackContext} context */
export default async function afterPack({ appOutDir, electronPlatformName, arch, packager }) {
  const { productFilename } = packager.appInfo
  const program =
    electronPlatformName === 'darwin'
      ? path.join(appOutDir, `${productFilename}.app`)
      : electronPlatformName === 'win32'
        ? path.join(appOutDir, `${productFilename}.exe`)
        : path.join(appOutDir, packager.executableName)
  const arm64 = 3
  await flipFuses(program, {
    version: FuseVersion.V1,
    // A fuse that a newer Electron adds must be decided on, too.
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: electronPlatformName === 'darwin' && arch === arm64,
    ...fuses,
  })
}
